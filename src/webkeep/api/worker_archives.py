"""Archives of workers that store a payload once for all of them: what is said of one by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webkeep.presentation import format_count
from webkeep.store.jobs import SHARED_FACT

if TYPE_CHECKING:
    from webkeep.store.archive import Archive


def is_shared(archive: Archive) -> bool:
    """Whether archives of other workers may refer to this one, and this one to theirs."""
    return any(SHARED_FACT in capture.facts for capture in archive.captures())


def describe_missing(archive: Archive) -> str:
    """How much of an archive lies in those of other workers; empty where nothing does."""
    count = archive.catalog.observations.count_without_payload() if is_shared(archive) else 0
    if not count:
        return ""
    return (
        f"{format_count(count, 'record')} without payload, which other workers of the capture have; "
        "webkeep import brings all their archives into one"
    )
