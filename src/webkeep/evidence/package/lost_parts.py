"""Parts of a capture that could not be had: what its records say of each, as they are named in a package."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.evidence.package.coherence_proof import UnprovenPart
from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive
from webkeep.store.views import read_unstored_fates
from webkeep.url import is_robots_url

_LOST_OUTCOMES = frozenset(
    {UrlOutcome.FAILED, UrlOutcome.REFUSED, UrlOutcome.CUT, UrlOutcome.TRAPPED, UrlOutcome.TAKEN_DOWN}
)
"""What became of parts that belong to a page, and are not there."""


def find_lost_parts(archive: Archive, capture: str) -> Iterator[UnprovenPart]:
    """What a capture asked for, or would have, and did not get; pieces of streams that nobody asked for are apart."""
    for fate in read_unstored_fates(archive, capture):
        if fate.outcome in _LOST_OUTCOMES and not is_robots_url(fate.url):
            yield UnprovenPart(fate.url, fate.reason or str(fate.outcome))
