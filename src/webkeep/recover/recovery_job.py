"""Jobs of recovery: where the book of one lies while it is under way, and afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Capture
from webkeep.recover.plan import Plan
from webkeep.store.archive import Archive

KIND = "recover"
PLAN_FACT = "plan"
_BOOK = "recovery.sqlite"


@dataclass(frozen=True, slots=True)
class Job:
    """The folder of one recovery that is under way, and the place of its book when it is done."""

    folder: Path
    kept: Path

    @property
    def book(self) -> Path:
        """Where its URLs are kept."""
        return self.folder / _BOOK

    @property
    def spool(self) -> Path:
        """Where large bodies lie while they come."""
        return self.folder / "spool"

    def make(self, earlier: Path | None) -> None:
        """Make the folder, with what an earlier recovery knew."""
        self.spool.mkdir(parents=True, exist_ok=True)
        if earlier is not None and not self.book.exists():
            shutil.copyfile(earlier, self.book)

    def finish(self) -> None:
        """Put the book where reports are, and take the folder away."""
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        self.book.replace(self.kept)
        shutil.rmtree(self.folder, ignore_errors=True)


def job_of(archive: Archive, capture: Capture) -> Job:
    """The job of a capture."""
    return Job(archive.layout.jobs / capture.id, archive.layout.reports / "recoveries" / f"{capture.id}.sqlite")


def to_go_on_with(archive: Archive, plan: Plan) -> Capture | None:
    """The newest unfinished recovery of the same plan."""
    for capture in _recoveries(archive):
        text = capture.facts.get(PLAN_FACT, "")
        if capture.finished is None and text and plan.is_same_as(text):
            return capture
    return None


def earlier_of(archive: Archive, seeds: tuple[str, ...]) -> Capture | None:
    """The newest recovery of the same site, be it finished or not."""
    return next((each for each in _recoveries(archive) if each.seeds == seeds), None)


def book_of(archive: Archive, capture: Capture) -> Path | None:
    """Where the book of a recovery lies, if it is still there."""
    job = job_of(archive, capture)
    return next((path for path in (job.book, job.kept) if path.exists()), None)


def _recoveries(archive: Archive) -> Iterator[Capture]:
    found = [each for each in archive.captures() if each.kind == KIND]
    return iter(sorted(found, key=lambda each: each.started, reverse=True))
