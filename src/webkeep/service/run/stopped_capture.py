"""What there is so far of a capture that was paused or cancelled, whose command told no numbers at its end."""

from __future__ import annotations

from pathlib import Path

from webkeep.crawl.run import JOB_FACT
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive


def describe_stopped_capture(path: Path, job: str) -> dict[str, object] | None:
    """A summary of what an archive holds of the capture of a job; None where it holds nothing of it."""
    if not is_archive(path):
        return None
    with Archive(path) as archive:
        capture = next((each.id for each in archive.captures() if each.facts.get(JOB_FACT) == job), None)
        if capture is None:
            return None
        totals = archive.catalog.observations.totals(capture)
    return {"capture": capture, "finished": False, "stored": totals.urls, "bytes": totals.size}
