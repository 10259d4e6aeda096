"""How a service runs: where, with which job store, how many jobs at a time, and what stays free on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.service.notices import MailSettings
from webkeep.service.recoveries import VisitorSettings
from webkeep.service.run.capture_workers import CaptureWorkers
from webkeep.service.run.disk_budget import DiskBudget
from webkeep.service.run.service_place import ServicePlace

DEFAULT_PORT = 8060
"""Beside those of the demo site, the server of archives and recordings, so that all run at once."""
DEFAULT_RUNNING = 4
"""So many jobs run at a time where nobody said: each is a process that is busy with its site, not with the machine."""


@dataclass(frozen=True, slots=True)
class JobLimits:
    """How many jobs run, and what they may take of the disk."""

    running: int = DEFAULT_RUNNING
    budget: DiskBudget = field(default_factory=DiskBudget)

    def __post_init__(self) -> None:
        if self.running < 1:
            raise UsageError(f"a service runs at least one job at a time, and not {self.running}")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How a service runs."""

    root: Path
    store_address: str = ""
    """The address of a PostgreSQL database; empty for a file in the folder."""
    limits: JobLimits = field(default_factory=JobLimits)
    port: int = DEFAULT_PORT
    program: Sequence[str] = ()
    """What processes of jobs are started by; the folder of the job follows it."""
    ends_when_idle: bool = False
    """Whether it ends when no job is left to be done."""
    place: ServicePlace = field(default_factory=ServicePlace)
    mail: MailSettings | None = None
    """By which server mail is sent; None where none is."""
    visitors: VisitorSettings | None = None
    """How visitors may recover; None where they may not."""
    workers: CaptureWorkers | None = None
    """Who carries captures out that are for many machines; None where nobody does."""

    def __post_init__(self) -> None:
        if self.workers is not None and not self.store_address:
            raise UsageError("workers share their captures by a job store in PostgreSQL; say --database postgresql://…")
