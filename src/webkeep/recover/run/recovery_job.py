"""The job of a recovery: where its store lies while it is under way, and afterwards; which unfinished recovery is gone
on with, and which earlier one is built upon.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Capture, CaptureKind
from webkeep.recover.plan import RecoveryPlan
from webkeep.store.archive import Archive
from webkeep.store.jobs import JobFolder, job_path, newest_captures, resumable_captures

_STORE_FILE = "recovery.sqlite"


@dataclass(frozen=True, slots=True)
class RecoveryJob(JobFolder):
    """The folder of one recovery that is under way, and the place of its store when it is done."""

    finished_path: Path

    @property
    def store_path(self) -> Path:
        """Where its URLs are kept."""
        return self.folder / _STORE_FILE

    def create(self, earlier: Path | None) -> None:
        """Make the folder, with what an earlier recovery knew."""
        self.create_spool()
        if earlier is not None and not self.store_path.exists():
            shutil.copyfile(earlier, self.store_path)

    def finish(self) -> None:
        """Put the recovery store where reports are, and take the folder away."""
        self.finished_path.parent.mkdir(parents=True, exist_ok=True)
        self.store_path.replace(self.finished_path)
        self.remove()


def job_for(archive: Archive, capture: Capture) -> RecoveryJob:
    """The job of a capture."""
    finished = archive.layout.reports / "recoveries" / f"{capture.id}.sqlite"
    return RecoveryJob(job_path(archive, capture.id), finished)


def find_resumable(archive: Archive, plan: RecoveryPlan) -> Capture | None:
    """The newest unfinished recovery of the same plan."""
    return next(resumable_captures(archive, CaptureKind.RECOVER, plan.is_same_as), None)


def find_earlier(archive: Archive, seeds: tuple[str, ...]) -> Capture | None:
    """The newest recovery of the same site, be it finished or not."""
    return next((each for each in newest_captures(archive, CaptureKind.RECOVER) if each.seeds == seeds), None)


def find_store(archive: Archive, capture: Capture) -> Path | None:
    """Where the store of a recovery lies, if it is still there."""
    job = job_for(archive, capture)
    return next((path for path in (job.store_path, job.finished_path) if path.exists()), None)
