"""Lines of captures of which each brings the one before it up to date."""

from __future__ import annotations

from webkeep.model import Capture
from webkeep.store.archive import Archive

UPDATES_FACT = "updates"
"""The name under which a capture keeps which earlier one it brings up to date."""


def lineage(archive: Archive, capture_id: str) -> list[Capture]:
    """The captures that lead to one, the first of them first; it is the last."""
    known = {each.id: each for each in archive.captures()}
    line: dict[str, Capture] = {}
    at = capture_id
    while at in known and at not in line:
        line[at] = known[at]
        at = known[at].facts.get(UPDATES_FACT, "")
    return list(reversed(line.values()))
