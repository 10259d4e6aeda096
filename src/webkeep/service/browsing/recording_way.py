"""The way to the web of a browser whose visits are recorded: through the proxy of a job that holds the archive.

Theory of operation. The job is `webkeep record` and waits for its turn at the archive as any other. It lasts for as
long as a file in its folder is touched, so that it ends when whoever is shown the browser is done, and also when the
service was killed. Where its proxy listens and what was stored is read out of what it prints for programs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.formats import read_json
from webkeep.model import Clock, UrlOutcome
from webkeep.presentation import format_count, format_size
from webkeep.service.browsing.shown_session import OpenWay, ShownSession, ShownWay
from webkeep.service.jobs import ENDED_STATES, JobEvent, JobState
from webkeep.service.run.job_workspace import JobWorkspace
from webkeep.service.store import JobStore

_LOOK_SECONDS = 0.3
"""So often it is looked whether the job has its turn."""
_MAX_READ_BYTES = 1 << 20
"""Of what a recording says, read at one look."""
_WAITING_WORDS = "the recording waits for its turn at the archive, to which another job writes, or behind others"


class RecordingOutput:
    """What a recording prints for programs, read as it comes."""

    def __init__(self, path: Path) -> None:
        self._path, self._read = path, 0
        self.address = ""
        """Where its proxy listens; empty before it does."""
        self._counts: Counter[str] = Counter()
        self._bytes = 0

    def look(self) -> None:
        """Read what came since, whole lines alone."""
        with suppress(OSError), self._path.open("rb") as stream:  # it is there once the job has begun
            stream.seek(self._read)
            text = stream.read(_MAX_READ_BYTES)
            lines = text[: text.rfind(b"\n") + 1]
            self._read += len(lines) or (len(text) if len(text) == _MAX_READ_BYTES else 0)
            for line in lines.splitlines():
                self._take(read_json(line))

    def _take(self, said: object) -> None:
        if not isinstance(said, dict):
            return
        event = str(said.get("event", ""))
        if event == "recording":
            self.address = str(said.get("proxy", "")).removeprefix("http://")
        elif event:
            self._counts[event] += 1
            self._bytes += int(said.get("bytes") or 0)

    def describe(self) -> str:
        """What was stored so far, in words."""
        counts = self._counts
        told = [f"recorded {format_count(counts[UrlOutcome.STORED] + counts[UrlOutcome.DUPLICATE], 'response')}"]
        told += [format_size(self._bytes)] if self._bytes else []
        told += [f"{counts[UrlOutcome.FAILED]:,} failed"] if counts[UrlOutcome.FAILED] else []
        return ", ".join(told)


class _RecordingWay(ShownWay):
    """Through the proxy of a job."""

    def __init__(self, output: RecordingOutput, workspace: JobWorkspace, key_hashes: tuple[str, ...]) -> None:
        super().__init__(output.address, key_hashes)
        self._output, self._workspace = output, workspace

    def look(self) -> str:
        """Have the recording last; why it has ended, if it did."""
        self._workspace.viewer_path.touch()
        self._output.look()
        return "" if self._workspace.is_process_alive() else "the recording has ended; look at its job"

    def tell(self) -> Mapping[str, Any]:
        """What was stored."""
        return {"counts": self._output.describe()}


def build_recording_way(jobs: JobStore, workspace: JobWorkspace, authority: Path, clock: Clock) -> OpenWay:
    """What opens such a way, once the job of a workspace has its turn."""

    @asynccontextmanager
    async def open_way(session: ShownSession, _folder: Path) -> AsyncIterator[ShownWay]:
        output = RecordingOutput(workspace.output_path)
        try:
            await _await_turn(session, jobs, workspace, output)
            yield _RecordingWay(output, workspace, CertificateAuthority(authority, clock).key_hashes)
        finally:
            workspace.viewer_path.unlink(missing_ok=True)
            await asyncio.to_thread(cancel_waiting_patch, jobs, session.order.job, clock)

    return open_way


async def _await_turn(session: ShownSession, jobs: JobStore, workspace: JobWorkspace, output: RecordingOutput) -> None:
    workspace.folder.mkdir(parents=True, exist_ok=True)
    while not output.address:
        if session.is_ending:
            raise UsageError(session.reason)
        workspace.viewer_path.touch()
        job = await asyncio.to_thread(jobs.get, session.order.job)
        if job.state in ENDED_STATES:
            raise UsageError(f"the recording could not be begun: {job.message or job.state.value}")
        session.note_wait("the recording begins" if job.state is JobState.RUNNING else _WAITING_WORDS)
        if job.state is JobState.RUNNING:
            output.look()
        await session.pause(_LOOK_SECONDS)


def cancel_waiting_patch(jobs: JobStore, job_id: str, clock: Clock) -> None:
    """Have the job of a browser that is shown no more not begin."""
    job = jobs.get(job_id)
    if job.state is JobState.QUEUED:
        with suppress(UsageError):  # it has just begun, and ends by itself
            jobs.wish(job, JobEvent.CANCEL, clock.now())
