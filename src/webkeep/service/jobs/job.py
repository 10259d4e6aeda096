"""Jobs as values: what is to be done, for which collection, how urgent, in which state it is, and what came of it."""

from __future__ import annotations

import enum
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.model import Moment
from webkeep.service.jobs.job_state import JobEvent, JobState

_ID_BYTES = 8
"""Of chance in the id of a job: enough that no two of one service ever meet, short enough to be read out."""
DEFAULT_PRIORITY = 0
"""Of jobs where nobody said; higher ones go first."""

MANY_MACHINES_OPTION = "many_machines"
"""What a plan says, beside what a capture takes, that is to be carried out by the workers of the service."""


class JobKind(enum.StrEnum):
    """Which command a job is."""

    CAPTURE = "capture"
    RECOVER = "recover"
    """Of a visitor, out of the repositories of the administrator."""
    EVIDENCE = "evidence"
    """A package that proves to others what stood on a page, kept with the job."""
    IMPORT = "import"
    """Files of records that somebody brought."""
    PATCH = "patch"
    """What somebody visits in a browser that they are shown, recorded for as long as they do."""


def new_job_id() -> str:
    """An id that no other job has."""
    return secrets.token_hex(_ID_BYTES)


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What somebody wants done."""

    collection: str
    """The name of the collection that it is for."""
    archive: str
    """The archive of the collection that it writes to; empty for what is kept with the job alone."""
    plan: Mapping[str, Any]
    """What the plan says, by the names of options; seeds among it."""
    kind: JobKind = JobKind.CAPTURE
    seed: str = ""
    """The id of the seed that it is for, where it is for one."""
    priority: int = DEFAULT_PRIORITY
    schedule: str = ""
    """The schedule that had it begun; empty where a person did."""
    due: Moment | None = None
    """Which run of the schedule it is: there is one job for each."""
    is_confirmed: bool = True

    @property
    def wants_workers(self) -> bool:
        """Whether it is a capture that workers of the service are to carry out."""
        return self.kind is JobKind.CAPTURE and bool(self.plan.get(MANY_MACHINES_OPTION))


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process among all there ever were: a number may be given out again, and with its start it is not."""

    machine: str
    boot: str
    """Which start of the machine it is of."""
    number: int
    started: int
    """When it started, in clock ticks since the machine did."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the store has it."""

    id: str
    order: JobOrder
    state: JobState
    created: Moment
    queued: Moment
    """When it was last queued by a person, by which jobs of one priority go."""
    attempts: int = 0
    """How often a process was started for it."""
    losses: int = 0
    """How often its process was lost since anything else became of it."""
    wish: JobEvent | None = None
    """What somebody asked for and its process has yet to do: pause or cancel."""
    process: ProcessIdentity | None = None
    not_before: Moment | None = None
    """When its process was lost, it is not started again sooner."""
    started: Moment | None = None
    ended: Moment | None = None
    exit_code: int | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    """What the command said at its end."""
    message: str = ""
    """Why it failed, or waits, in one line."""
    runner: str = ""
    """The machine that its process runs or ran on last, as it joined; empty for that of the service."""
