"""Jobs: the folders of captures that are under way, and how the one to go on with is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.run.control_channel import ControlChannel
from webkeep.model import Capture, CaptureKind
from webkeep.store.archive import UPDATES_FACT, Archive
from webkeep.store.folder import replace_file_durably

PLAN_FACT = "plan"
"""The name under which a capture keeps its plan."""

_PLAN_FILE = "plan.json"


@dataclass(frozen=True, slots=True)
class CaptureJob:
    """The folder of one capture that is under way."""

    folder: Path

    @property
    def capture(self) -> str:
        """The identifier of its capture."""
        return self.folder.name

    @property
    def url_store_path(self) -> Path:
        """Where its URLs are kept."""
        return self.folder / "frontier.sqlite"

    @property
    def spool(self) -> Path:
        """Where large bodies lie while they come."""
        return self.folder / "spool"

    @property
    def control(self) -> ControlChannel:
        """Where words for it are left."""
        return ControlChannel(self.folder)

    def create(self, plan: CapturePlan) -> None:
        """Make the folder, or see that all of it is there."""
        self.spool.mkdir(parents=True, exist_ok=True)
        replace_file_durably(self.folder / _PLAN_FILE, json.dumps({"plan": plan.to_text()}).encode())

    def remove(self) -> None:
        """Take the folder away; what it led to is in the WARC files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def job_of(archive: Archive, capture: Capture) -> CaptureJob:
    """The job of a capture."""
    return CaptureJob(archive.layout.jobs / capture.id)


def remove_finished_jobs(archive: Archive) -> None:
    """Take away the folders of captures that came to their end, and were killed before they could do that."""
    for capture in archive.captures():
        if capture.finished is not None:
            job_of(archive, capture).remove()


def unfinished_captures(archive: Archive) -> Iterator[Capture]:
    """The captures that were begun and did not come to their end, newest first."""
    captures = [each for each in archive.captures() if each.kind == CaptureKind.CAPTURE and each.finished is None]
    return iter(sorted(captures, key=lambda each: each.started, reverse=True))


def find_resumable(archive: Archive, plan: CapturePlan, updates: str = "") -> Capture | None:
    """The newest unfinished capture of the same plan, that brings the same earlier one up to date if any."""
    for capture in unfinished_captures(archive):
        text = capture.facts.get(PLAN_FACT, "")
        if text and plan.is_same_as(text) and capture.facts.get(UPDATES_FACT, "") == updates:
            return capture
    return None
