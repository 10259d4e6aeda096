"""The newest jobs of seeds, in SQL: of any state, that captured the seed, or that are over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webkeep.service.jobs import JobState

IS_CAPTURED = '%"seeds_missed": 0%'
"""In the summary of a capture, as it is written, that reached all its seeds."""
_NEWEST = "ORDER BY newest.created DESC, newest.id DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class LatestOutcome:
    """What the newest job of a seed came to."""

    collection: str
    state: JobState
    summary: Mapping[str, Any]


def write_latest(columns: str, count: int) -> str:
    """Asks for the newest job of each of so many seeds."""
    return (
        f"SELECT {columns} FROM job WHERE seed IN ({_write_marks(count)}) AND NOT EXISTS "
        "(SELECT 1 FROM job later WHERE later.seed = job.seed AND (later.created, later.id) > (job.created, job.id))"
    )


def write_latest_captures(columns: str, count: int) -> str:
    """Asks for the newest job of each of so many seeds whose summary is like a pattern; that comes first."""
    named = ", ".join(f"job.{name}" for name in columns.split(", "))
    return (
        f"SELECT {named} FROM seed JOIN job ON job.id = (SELECT newest.id FROM job newest WHERE newest.seed = seed.id "
        f"AND newest.state = '{JobState.DONE.value}' AND newest.summary LIKE ? {_NEWEST}) "
        f"WHERE seed.id IN ({_write_marks(count)})"
    )


def write_latest_outcomes(count: int) -> str:
    """Asks for collection, state and summary of the newest job that is over of each seed of so many collections."""
    return (
        "SELECT seed.collection, job.state, job.summary FROM seed JOIN job ON job.id = (SELECT newest.id FROM "
        f"job newest WHERE newest.seed = seed.id AND newest.ended IS NOT NULL {_NEWEST}) "
        f"WHERE seed.collection IN ({_write_marks(count)}) AND job.collection = seed.collection"
    )


def _write_marks(count: int) -> str:
    return ", ".join("?" * count)
