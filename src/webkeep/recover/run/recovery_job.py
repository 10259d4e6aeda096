"""Jobs of recovery: where the recovery store of one lies while it is under way, and afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Capture, CaptureKind
from webkeep.recover.plan import RecoveryPlan
from webkeep.store.archive import Archive

PLAN_FACT = "plan"
_STORE_FILE = "recovery.sqlite"


@dataclass(frozen=True, slots=True)
class RecoveryJob:
    """The folder of one recovery that is under way, and the place of its recovery store when it is done."""

    folder: Path
    finished_path: Path

    @property
    def store_path(self) -> Path:
        """Where its URLs are kept."""
        return self.folder / _STORE_FILE

    @property
    def spool(self) -> Path:
        """Where large bodies lie while they come."""
        return self.folder / "spool"

    def create(self, earlier: Path | None) -> None:
        """Make the folder, with what an earlier recovery knew."""
        self.spool.mkdir(parents=True, exist_ok=True)
        if earlier is not None and not self.store_path.exists():
            shutil.copyfile(earlier, self.store_path)

    def finish(self) -> None:
        """Put the recovery store where reports are, and take the folder away."""
        self.finished_path.parent.mkdir(parents=True, exist_ok=True)
        self.store_path.replace(self.finished_path)
        shutil.rmtree(self.folder, ignore_errors=True)


def job_for(archive: Archive, capture: Capture) -> RecoveryJob:
    """The job of a capture."""
    return RecoveryJob(archive.layout.jobs / capture.id, archive.layout.reports / "recoveries" / f"{capture.id}.sqlite")


def find_resumable(archive: Archive, plan: RecoveryPlan) -> Capture | None:
    """The newest unfinished recovery of the same plan."""
    for capture in _recoveries(archive):
        text = capture.facts.get(PLAN_FACT, "")
        if capture.finished is None and text and plan.is_same_as(text):
            return capture
    return None


def find_earlier(archive: Archive, seeds: tuple[str, ...]) -> Capture | None:
    """The newest recovery of the same site, be it finished or not."""
    return next((each for each in _recoveries(archive) if each.seeds == seeds), None)


def find_store(archive: Archive, capture: Capture) -> Path | None:
    """Where the store of a recovery lies, if it is still there."""
    job = job_for(archive, capture)
    return next((path for path in (job.store_path, job.finished_path) if path.exists()), None)


def _recoveries(archive: Archive) -> Iterator[Capture]:
    found = [each for each in archive.captures() if each.kind == CaptureKind.RECOVER]
    return iter(sorted(found, key=lambda each: each.started, reverse=True))
