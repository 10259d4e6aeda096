"""Captures of the service that many machines carry out: by which workers, which plans they take, and whose turn it is.

Their URLs and hosts lie in the database of the job store, which has one such capture at a time: from when its job is
first started until that has ended, also while it is paused. Whose that is stands in a file of the service's folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webkeep.crawl.plan import BrowserMode, coherent_strategy, parse_plan
from webkeep.errors import UsageError
from webkeep.process import write_atomically
from webkeep.service.jobs import ENDED_STATES, MANY_MACHINES_OPTION, Job
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.store import JobStore

_DETAILS = re.compile(r" \(.*\)", re.DOTALL)
"""What a database said of itself, within a message."""


@dataclass(frozen=True, slots=True)
class CaptureWorkers:
    """The workers that a service has for captures on many machines."""

    address: str
    """Of the database in which these captures lie; the administrator's, and no page tells it."""
    count: str
    """How many there are at once, such as `4` or `1-8`."""
    ray: str = ""
    """The Ray cluster they run on; empty for this machine."""


def prepare_many_machines(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan for many machines, without a browser where nothing is said of one; refused where workers cannot do it."""
    if plan.get(LOGIN_OPTION):
        raise UsageError("a login is never written into a database; capture this on one machine, or without the login")
    values = {"browser": BrowserMode.OFF.value, **plan}
    parsed = parse_plan({name: value for name, value in values.items() if name != MANY_MACHINES_OPTION})
    if parsed.browser is not BrowserMode.OFF:
        raise UsageError("on many machines no page is run in a browser; set Browser to off, or capture on one machine")
    if coherent_strategy(parsed.strategy) is not None:
        raise UsageError(
            "pages are visited again for one moment on one machine alone; choose another order, or one machine"
        )
    return {**values, MANY_MACHINES_OPTION: True}


def hide_database(text: str) -> str:
    """What people are told of a failure: where the database is and who its user is stands in the job's log alone."""
    return _DETAILS.sub("", text) if "PostgreSQL" in text or "database" in text else text


@dataclass(frozen=True, slots=True)
class WorkersTurn:
    """Whose capture the database of the workers has."""

    path: Path
    jobs: JobStore

    def find_holder(self) -> Job | None:
        """The job that has it; None where that has ended, or where there is none."""
        with suppress(OSError, UsageError, UnicodeDecodeError):
            job = self.jobs.get(self.path.read_text("utf-8").strip())
            return None if job.state in ENDED_STATES else job
        return None

    def find_ended(self) -> Job | None:
        """The job that had it last, where it has ended."""
        with suppress(OSError, UsageError, UnicodeDecodeError):
            job = self.jobs.get(self.path.read_text("utf-8").strip())
            return job if job.state in ENDED_STATES else None
        return None

    def is_free_for(self, job: Job) -> bool:
        """Whether a job may begin, or go on."""
        holder = self.find_holder()
        return holder is None or holder.id == job.id

    def take(self, job: Job) -> None:
        """Say that it is the turn of a job."""
        write_atomically(self.path, job.id.encode(), sync=True)
