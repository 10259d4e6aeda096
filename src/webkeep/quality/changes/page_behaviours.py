"""What pages of an archive do in the course of its captures: static, churn or scroll, how often they changed, and which
change together; how much two pages must have in common for that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from webkeep.change.detection import ChangeBehaviour, classify_behaviour, jaccard_similarity, sample_hashes
from webkeep.quality.changes.cleaning import SeenPage, read_seen_pages
from webkeep.store.archive import Archive

_MIN_SHARED_CHANGES = 0.7
"""Of the times at which either of two pages changed: those that share so many change together."""
_MAX_LEADERS = 1000
"""Groups that a page is held against; further ones are groups of their own."""


@dataclass(frozen=True, slots=True)
class PageBehaviour:
    """What one page did."""

    url: str
    versions: int
    """Captures that saw it."""
    changes: int
    """From how many of them to the next its text or its links were not the same."""
    behaviour: ChangeBehaviour
    group: int
    """Those of one number change together; 0 for pages that never changed."""


def read_page_behaviours(archive: Archive) -> Iterator[PageBehaviour]:
    """What each page did that more than one capture saw, by URL."""
    order = {capture.id: number for number, capture in enumerate(archive.captures())}
    histories: dict[str, list[SeenPage]] = defaultdict(list)
    for page in read_seen_pages(archive):
        if page.capture in order:
            histories[page.url].append(page)
    histories = {url: sorted(pages, key=lambda each: order[each.capture]) for url, pages in histories.items()}
    changed = {
        url: frozenset(
            order[after.capture]
            for before, after in pairwise(pages)
            if before.fingerprint[0::2] != after.fingerprint[0::2] or before.status != after.status
        )
        for url, pages in histories.items()
        if len(pages) > 1
    }
    groups = group_changes(changed)
    for url, moments in sorted(changed.items()):
        sketches = [sample_hashes(page.fingerprint.sketch) for page in histories[url]]
        yield PageBehaviour(url, len(sketches), len(moments), classify_behaviour(sketches), groups[url])


def group_changes(changed: Mapping[str, frozenset[int]]) -> dict[str, int]:
    """Which pages change together, by the captures in which each had changed; the group of most changes is the first.

    Pages that changed at the very same times are one; then each such set joins the first larger one that it shares
    enough with (leader clustering). So it takes no longer than pages times leaders, however many pages there are.
    """
    alike: dict[frozenset[int], list[str]] = defaultdict(list)
    for url, moments in changed.items():
        alike[moments].append(url)
    groups: dict[str, int] = {}
    leaders: list[tuple[frozenset[int], int]] = []
    for moments, urls in sorted(alike.items(), key=lambda each: (-len(each[0]) * len(each[1]), sorted(each[0]))):
        number = 0
        if moments:
            shared = (group for leader, group in leaders if jaccard_similarity(leader, moments) >= _MIN_SHARED_CHANGES)
            number = next(shared, len(leaders) + 1)
            if number == len(leaders) + 1 and len(leaders) < _MAX_LEADERS:
                leaders.append((moments, number))
        groups |= dict.fromkeys(urls, number)
    return groups
