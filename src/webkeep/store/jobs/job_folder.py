"""Job folders: where what is under way lies in an archive, and how an unfinished capture with the same plan is found to
be resumed.

Captures, recoveries and recordings each have one. What is in it is a cache or unfinished; its results are in the WARC
files. Who may write to it is who may write to the archive, so that the archive's lock is its lock.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Capture, CaptureKind
from webkeep.store.archive.archive import Archive

SHARED_FACT = "shares-payloads"
"""The name under which a worker's archive keeps that others of its capture may refer to what it holds."""
PLAN_FACT = "plan"
"""The name under which a capture keeps its plan."""


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The folder of one capture, recovery or recording that is under way."""

    folder: Path

    @property
    def spool(self) -> Path:
        """Where large bodies lie while they come."""
        return self.folder / "spool"

    def create_spool(self) -> None:
        """Make the folder, or see that it is there."""
        self.spool.mkdir(parents=True, exist_ok=True)

    def remove(self) -> None:
        """Take the folder away; what it led to is in the WARC files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def remove_if_empty(self) -> None:
        """Take the folder away, unless something was left in it; an empty one left behind does no harm."""
        with suppress(OSError):
            self.spool.rmdir()
            self.folder.rmdir()


def job_path(archive: Archive, capture_id: str) -> Path:
    """Where the job of a capture is."""
    return archive.layout.jobs / capture_id


def newest_captures(archive: Archive, kind: CaptureKind) -> list[Capture]:
    """The captures of a kind, newest first."""
    captures = [each for each in archive.captures() if each.kind == kind]
    return sorted(captures, key=lambda each: each.started, reverse=True)


def resumable_captures(archive: Archive, kind: CaptureKind, is_same_plan: Callable[[str], bool]) -> Iterator[Capture]:
    """The captures of a kind that did not come to their end and have this plan, newest first."""
    for capture in newest_captures(archive, kind):
        text = capture.facts.get(PLAN_FACT, "")
        if capture.finished is None and text and is_same_plan(text):
            yield capture
