"""How jobs are doing, read once a second for all who watch one, however many they are."""

from __future__ import annotations

import asyncio
import heapq
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from webkeep.crawl.run import LivePictures
from webkeep.model import Moment, UrlOutcome
from webkeep.service.jobs import Job, JobState
from webkeep.service.run import QueueWait, Service, find_job_channel

SNAPSHOT_SECONDS = 1.0
"""So often a job that is watched is looked at."""
_MAX_BARS = 8
"""Types and statuses that are shown, the most frequent ones."""
_MAX_SNAPSHOTS = 200
"""Jobs that are remembered to have been looked at."""


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """A job as it was a moment ago."""

    job: Job
    progress: Mapping[str, Any]
    """What its capture tells of itself; empty where none runs."""
    read: Moment
    wait: QueueWait | None = None
    """What it waits for, where it is queued."""

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many URLs came to which outcome."""
        counts = self.progress.get("counts")
        return list(counts.items()) if isinstance(counts, dict) else []

    @property
    def done(self) -> int:
        """URLs that are settled."""
        return sum(count for outcome, count in self.counts if outcome != UrlOutcome.QUEUED)

    @property
    def queued(self) -> int:
        """URLs that wait for their turn."""
        return dict(self.counts).get(UrlOutcome.QUEUED, 0)

    @property
    def seconds(self) -> float | None:
        """How long it has run since it was first started; None where it was not."""
        started = self.job.started
        return None if started is None else (self.job.ended or self.read).seconds_since(started)

    def bars(self, name: str) -> list[tuple[str, int, float]]:
        """The largest of some counts, each with its share of the largest."""
        counts = self.progress.get(name)
        told = counts.items() if isinstance(counts, dict) else ()
        largest = heapq.nlargest(_MAX_BARS, ((str(key), int(count)) for key, count in told), key=itemgetter(1))
        most = max((count for _, count in largest), default=1)
        return [(key, count, count / most) for key, count in largest]

    def list_told(self, name: str) -> list[Mapping[str, Any]]:
        """What is told as a list: failures, pictures."""
        values = self.progress.get(name)
        return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []

    @property
    def rules(self) -> list[str]:
        """The rules that hold now, with their signs."""
        rules = self.progress.get("rules")
        return [str(each) for each in rules] if isinstance(rules, list) else []

    @property
    def hosts(self) -> list[Mapping[str, Any]]:
        """The busiest hosts, and what each waits for."""
        hosts = self.progress.get("hosts")
        return [each for each in hosts if isinstance(each, dict)] if isinstance(hosts, list) else []

    @property
    def bytes(self) -> int:
        """How much was read so far."""
        return int(self.progress.get("bytes", 0))

    @property
    def workers(self) -> int | None:
        """How many workers carry it out; None where one machine does, or nothing is known yet."""
        workers = self.progress.get("workers")
        return workers if isinstance(workers, int) else None

    @property
    def bytes_per_second(self) -> float | None:
        """The speed lately, or where nothing tells that since the job was started; None where that says nothing."""
        if "bytes_per_second" in self.progress:
            told = self.progress["bytes_per_second"]
            return told if isinstance(told, int | float) else None
        started = self.job.started
        seconds = 0.0 if started is None else self.read.seconds_since(started)
        return self.bytes / seconds if seconds >= 1 and self.progress else None


class SnapshotReader:
    """Reads snapshots, each of them once a second at most."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], tuple[float, asyncio.Task[JobSnapshot]]] = OrderedDict()

    async def read(self, service: Service, job_id: str) -> JobSnapshot:
        """How a job is doing; whoever asks meanwhile has the same answer."""
        key, now = (id(service), job_id), asyncio.get_running_loop().time()
        kept = self._kept.get(key)
        if kept is None or now - kept[0] >= SNAPSHOT_SECONDS * 0.9:
            kept = self._kept[key] = now, asyncio.create_task(asyncio.to_thread(read_snapshot, service, job_id))
            self._kept.move_to_end(key)
            while len(self._kept) > _MAX_SNAPSHOTS:
                self._kept.popitem(last=False)
        return await asyncio.shield(kept[1])


def read_snapshot(service: Service, job_id: str) -> JobSnapshot:
    """How a job is doing now."""
    job = service.jobs.get(job_id)
    progress: Mapping[str, Any] = {}
    if job.state is JobState.RUNNING:
        channel = find_job_channel(service.folder, job)
        if channel is not None:
            LivePictures(channel.folder).ask_for_pictures()
            progress = channel.read_state()
    return JobSnapshot(job, progress, service.clock.now(), service.explain_wait(job))
