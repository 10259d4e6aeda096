"""The job of a capture: what lies in its folder (plan.json, frontier.sqlite), when the folder of a finished one is
removed, and which unfinished capture a plan goes on with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.run.control_channel import ControlChannel
from webkeep.formats import read_json
from webkeep.model import Capture, CaptureKind
from webkeep.store.archive import UPDATES_FACT, Archive
from webkeep.store.folder import replace_file_durably
from webkeep.store.jobs import JobFolder, job_path, newest_captures, resumable_captures

_PLAN_FILE, _DATABASE_FILE = "plan.json", "database.json"
JOB_FACT = "job"
"""The name under which a capture keeps which job it is."""


@dataclass(frozen=True, slots=True)
class CaptureJob(JobFolder):
    """The folder of one capture that is under way."""

    @property
    def url_store_path(self) -> Path:
        """Where its URLs are kept."""
        return self.folder / "frontier.sqlite"

    @property
    def control(self) -> ControlChannel:
        """Where words for it are left."""
        return ControlChannel(self.folder)

    def create(self, plan: CapturePlan) -> None:
        """Make the folder, or see that all of it is there."""
        self.create_spool()
        replace_file_durably(self.folder / _PLAN_FILE, json.dumps({"plan": plan.to_text()}).encode())

    def save_database(self, address: str) -> None:
        """Keep which database has what becomes of the URLs, where many machines carry the capture out."""
        replace_file_durably(self.folder / _DATABASE_FILE, json.dumps({"address": address}).encode())

    def read_database(self) -> str:
        """Its address; empty where the capture is of one machine."""
        try:
            told = read_json((self.folder / _DATABASE_FILE).read_bytes())
        except OSError:
            return ""
        return str(told.get("address", "")) if isinstance(told, dict) else ""


def job_of(archive: Archive, capture: Capture) -> CaptureJob:
    """The job of a capture."""
    return CaptureJob(job_path(archive, capture.id))


def remove_finished_jobs(archive: Archive) -> None:
    """Take away the folders of captures that came to their end, and were killed before they could do that."""
    for capture in archive.captures():
        if capture.finished is not None:
            job_of(archive, capture).remove()


def unfinished_captures(archive: Archive) -> Iterator[Capture]:
    """The captures that were begun and did not come to their end, newest first."""
    return (each for each in newest_captures(archive, CaptureKind.CAPTURE) if each.finished is None)


def find_resumable(archive: Archive, plan: CapturePlan, updates: str = "") -> Capture | None:
    """The newest unfinished capture of the same plan, that brings the same earlier one up to date if any."""
    alike = resumable_captures(archive, CaptureKind.CAPTURE, plan.is_same_as)
    return next(
        (
            each
            for each in alike
            if each.facts.get(UPDATES_FACT, "") == updates and each.facts.get(JOB_FACT, "") == plan.job
        ),
        None,
    )


def find_finished(archive: Archive, job: str) -> Capture | None:
    """The capture of a job that came to its end."""
    done = newest_captures(archive, CaptureKind.CAPTURE)
    return next((each for each in done if each.finished is not None and each.facts.get(JOB_FACT) == job), None)
