"""Why a job that is queued has not begun, in one line for whoever waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.model import Clock
from webkeep.presentation import format_moment
from webkeep.service.jobs import Job, JobState
from webkeep.service.run.capture_workers import WorkersTurn
from webkeep.service.store import JobQueue, MachineStore


@dataclass(frozen=True, slots=True)
class QueueWait:
    """What a queued job waits for."""

    reason: str
    writer: str = ""
    """The job that it waits for, where it is one: such as that which writes to its archive."""


@dataclass(frozen=True, slots=True)
class QueueExplainer:
    """Knows what jobs wait for."""

    queue: JobQueue
    machines: MachineStore
    running: int
    """How many jobs run at a time here."""
    clock: Clock
    turn: WorkersTurn
    """Whose capture the workers carry out."""

    def explain(self, job: Job, lack_of_room: str, full: Mapping[str, str]) -> QueueWait | None:
        """What a job waits for; None where it is not queued, or begins at once."""
        if job.state is not JobState.QUEUED:
            return None
        if reason := lack_of_room or full.get(job.order.collection, ""):
            return QueueWait(reason)
        if job.not_before is not None and job.not_before > self.clock.now():
            return QueueWait(f"it is tried again at {format_moment(job.not_before)} UTC")
        if writer := self.queue.find_writer(job):
            return QueueWait("another job writes to its archive, one at a time does", writer)
        if job.order.wants_workers and (holder := self.turn.find_holder()) is not None and holder.id != job.id:
            said = "is paused: have it go on, or stop it" if holder.state is JobState.PAUSED else "comes first"
            return QueueWait(f"many machines carry out one capture at a time, and another one {said}", holder.id)
        return self._explain_turn(job)

    def _explain_turn(self, job: Job) -> QueueWait | None:
        machines = self.machines.list_machines()
        if machines and all(each.is_locked for each in machines):
            return QueueWait("an administrator locked all machines, and no job begins")
        if self.queue.count_running() < max(self.running, sum(each.running for each in machines if not each.is_locked)):
            return None
        before = self.queue.count_before(job)
        ahead = f"{before:,} {'job goes' if before == 1 else 'jobs go'} before it" if before else "it is the next"
        return QueueWait(f"{ahead}; as many run as may at a time")
