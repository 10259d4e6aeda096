"""The folder of a job: its plan, the lock that its process holds for as long as it lives, what the process says, and
what it came to.

The lock is taken by the service and handed on to the process it starts, so that there is no moment at which a job that
runs has none. Who holds it stands in it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webkeep.errors import StorageError
from webkeep.formats import read_json, render_toml_value
from webkeep.presentation import describe_failure
from webkeep.process import write_atomically
from webkeep.service.jobs import MANY_MACHINES_OPTION, Job, ProcessIdentity
from webkeep.service.logins import LOGIN_OPTION

_MAX_LOCK_BYTES = 4096
"""Of the file that names who holds it."""
_MAX_SUMMARY_BYTES = 1 << 20
"""Of the last line that a command prints; the summary of a capture of very many hosts is shortened before."""
_MAX_PROGRESS_BYTES = 1 << 18
"""Of what a command printed last: between two words on how far it is it may tell of a thousand URLs."""
_MAX_TOLD_CHARS = 500
"""Of an address and of a reason, in a sentence for people."""
_PROGRESS_BEGINNINGS = (b'{"event": "progress"', b'{"event": "listing"')
"""Of lines that say how far it is."""
_OWN_OPTIONS = frozenset({LOGIN_OPTION, MANY_MACHINES_OPTION})
"""What of a plan the service goes by itself."""
_SUMMARY_LEFT_OUT = frozenset({"hosts", "traps", "browser"})
"""What of a summary is as long as the site is large; the archive has it."""


@dataclass(frozen=True, slots=True)
class JobOutput:
    """What a process left of itself at its end."""

    exit_code: int
    summary: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JobWorkspace:
    """The folder of one job."""

    folder: Path

    @property
    def plan_path(self) -> Path:
        """What is to be captured, as the command reads it."""
        return self.folder / "plan.toml"

    @property
    def call_path(self) -> Path:
        """The words that the command is called with."""
        return self.folder / "call.json"

    @property
    def output_path(self) -> Path:
        """What the command prints for programs."""
        return self.folder / "output.jsonl"

    @property
    def log_path(self) -> Path:
        """What the command says to people."""
        return self.folder / "log"

    @property
    def viewer_path(self) -> Path:
        """Touched while somebody is shown the browser that the job records; not there when nobody is any more."""
        return self.folder / "viewer"

    @property
    def results_path(self) -> Path:
        """Where the command puts what it makes beside the archive."""
        return self.folder / "results"

    @property
    def workers_path(self) -> Path:
        """Where the archives of workers lie, until what they got is in the collection."""
        return self.folder / "workers"

    @property
    def together_path(self) -> Path:
        """A file that is there while all that workers got so far is in the collection."""
        return self.folder / "workers-together"

    @property
    def _lock_path(self) -> Path:
        return self.folder / "lock"

    @property
    def _result_path(self) -> Path:
        return self.folder / "result.json"

    def prepare(self, job: Job, words: list[str]) -> None:
        """Make the folder with all that the process needs; what an earlier attempt came to is no longer true."""
        self.results_path.mkdir(parents=True, exist_ok=True)
        self.clear_result()
        said = {name: value for name, value in job.order.plan.items() if value is not None and name not in _OWN_OPTIONS}
        lines = [f"{name} = {render_toml_value(value)}\n" for name, value in said.items()]
        write_atomically(self.plan_path, "".join(lines).encode())
        write_atomically(self.call_path, json.dumps(words).encode(), sync=True)

    @contextmanager
    def open_streams(self) -> Iterator[tuple[int, int]]:
        """Where a process prints to: what it has for programs anew, what it says to people behind what was said."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        output = os.open(self.output_path, flags | os.O_TRUNC, 0o600)
        try:
            log = os.open(self.log_path, flags | os.O_APPEND, 0o600)
            try:
                yield output, log
            finally:
                os.close(log)
        finally:
            os.close(output)

    def try_lock(self) -> int | None:
        """The lock as a descriptor to hand on; None where a process of the job lives."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        except OSError as error:
            os.close(handle)
            raise StorageError(f"cannot lock {self._lock_path} ({error.strerror}); keep it on a local disk") from error
        return handle

    def is_process_alive(self) -> bool:
        """Whether a process of the job lives."""
        if not self._lock_path.exists():
            return False
        handle = self.try_lock()
        if handle is not None:
            os.close(handle)
        return handle is None

    def write_holder(self, handle: int, process: ProcessIdentity) -> None:
        """Say who holds the lock."""
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(asdict(process)).encode(), 0)

    def write_runner(self, name: str) -> None:
        """Say which machine begins the job now; its lock must be held."""
        write_atomically(self.folder / "runner", name.encode())

    def read_runner(self) -> str:
        """Which machine began it last; empty for that of the service."""
        try:
            return (self.folder / "runner").read_text("utf-8")
        except OSError:
            return ""

    def read_holder(self) -> ProcessIdentity | None:
        """Who holds the lock, or held it last; None where that is not known yet."""
        try:
            with self._lock_path.open("rb") as stream:
                values = read_json(stream.read(_MAX_LOCK_BYTES))
            return ProcessIdentity(**values) if isinstance(values, dict) else None
        except (OSError, TypeError):
            return None

    def write_result(self, exit_code: int) -> None:
        """Keep what the command came to, with the summary that it printed last; whole or not at all."""
        summary = {name: each for name, each in self._read_summary().items() if name not in _SUMMARY_LEFT_OUT}
        write_atomically(
            self._result_path, json.dumps({"exit_code": exit_code, "summary": summary}).encode(), sync=True
        )

    def read_result(self) -> JobOutput | None:
        """What the command came to; None while that is open."""
        try:
            values = read_json(self._result_path.read_bytes())
        except OSError:
            return None
        if not isinstance(values, dict) or not isinstance(values.get("exit_code"), int):
            return None
        return JobOutput(values["exit_code"], values.get("summary") or {})

    def clear_result(self) -> None:
        """Forget what an attempt came to."""
        self._result_path.unlink(missing_ok=True)

    def read_progress(self) -> dict[str, Any]:
        """The last event by which the command says how far it is; empty where it said none lately."""
        try:
            with self.output_path.open("rb") as stream:
                stream.seek(max(0, self.output_path.stat().st_size - _MAX_PROGRESS_BYTES))
                lines = stream.read(_MAX_PROGRESS_BYTES).splitlines()
        except OSError:
            return {}
        for line in reversed(lines):
            if line.startswith(_PROGRESS_BEGINNINGS) and isinstance(values := read_json(line), dict):
                return values
        return {}

    def last_words(self) -> str:
        """The last line that the command said to people."""
        try:
            with self.log_path.open("rb") as stream:
                stream.seek(max(0, self.log_path.stat().st_size - _MAX_LOCK_BYTES))
                lines = stream.read(_MAX_LOCK_BYTES).decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def read_events(self, name: str, most: int, is_from_end: bool = False) -> list[Mapping[str, Any]]:
        """The first events of a name that the command told programs of, so many; or of what it told last."""
        found: list[Mapping[str, Any]] = []
        try:
            with self.output_path.open("rb") as stream:
                if is_from_end:
                    stream.seek(max(0, self.output_path.stat().st_size - _MAX_SUMMARY_BYTES))
                lines = stream.read(_MAX_SUMMARY_BYTES).splitlines()
        except OSError:
            return []
        for line in lines:
            values = read_json(line)
            if isinstance(values, dict) and values.get("event") == name and len(found) < most:
                found.append(values)
        return found

    def describe_missed_seeds(self, output: JobOutput) -> str:
        """What people are told where seeds were not reached; nothing where all were, or where there are none."""
        count = output.summary.get("seeds_missed")
        if not isinstance(count, int) or count < 1:
            return ""
        told: Mapping[str, Any] = next(iter(self.read_events("seed", 1, is_from_end=True)), {})
        others = f", and {count - 1:,} more" if count > 1 else ""
        reason = describe_failure(str(told.get("reason", "it is not known why")))
        return (
            f"{str(told.get('url', 'a seed'))[:_MAX_TOLD_CHARS]} was not captured: {reason[:_MAX_TOLD_CHARS]}{others}"
        )

    def remove(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read_summary(self) -> dict[str, Any]:
        with self.output_path.open("rb") as stream:
            stream.seek(max(0, self.output_path.stat().st_size - _MAX_SUMMARY_BYTES))
            last = stream.read(_MAX_SUMMARY_BYTES).rstrip().rpartition(b"\n")[2]
        values = read_json(last)
        return values if isinstance(values, dict) else {}
