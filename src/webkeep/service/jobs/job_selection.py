"""Which jobs a list has: of some states, of the collections that somebody may see, of one seed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from webkeep.service.jobs.job_state import JobState


@dataclass(frozen=True, slots=True)
class JobSelection:
    """What is listed; whatever is left empty is not asked for."""

    states: Collection[JobState] = ()
    collections: Collection[str] | None = None
    """Of these alone; None for all."""
    seed: str = ""
    """The id of one."""
