"""What pages of an archive do in the course of its captures: static, churn or scroll, how often they changed in what
matters, and which change together; how much two pages must have in common for that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from webkeep.change.detection import (
    ChangeBehaviour,
    ChangeCategory,
    classify_behaviour,
    jaccard_similarity,
    sample_hashes,
)
from webkeep.errors import FormatError
from webkeep.quality.changes.change_judge import ChangeJudge
from webkeep.quality.changes.cleaning import SeenPage, read_seen_pages
from webkeep.store.archive import Archive

_MIN_SHARED_CHANGES = 0.7
"""Of the times at which either of two pages changed: those that share so many change together."""
_MAX_LEADERS = 1000
"""Groups that a page is held against; further ones are groups of their own."""
_MAX_READ_PAIRS = 5000
"""Of versions that are read, at some milliseconds each, to tell noise from change: as many of each page, its latest."""


_PagePair = tuple[SeenPage, SeenPage]


@dataclass(frozen=True, slots=True)
class PageBehaviour:
    """What one page did."""

    url: str
    versions: int
    """Captures that saw it."""
    changes: int
    """From how many of them to the next it changed in what matters, as far as that is told."""
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
    changes = {url: list(filter(_differs, pairwise(pages))) for url, pages in histories.items() if len(pages) > 1}
    most = _MAX_READ_PAIRS // max(1, sum(map(bool, changes.values())))
    judge = ChangeJudge(archive)
    for url, pairs in changes.items():
        at = max(0, len(pairs) - most)
        older, latest = pairs[:at], pairs[at:]
        changes[url] = [*older, *(pair for pair in latest if _matters(archive, judge, pair))]
    groups = group_changes(
        {url: frozenset(order[after.capture] for _, after in pairs) for url, pairs in changes.items()}
    )
    for url, pairs in sorted(changes.items()):
        versions = [histories[url][0], *(after for _, after in pairs)]
        behaviour = classify_behaviour(sample_hashes(page.fingerprint.sketch) for page in versions)
        if pairs and behaviour is ChangeBehaviour.STATIC:  # what changed is too little for a sketch, or links alone
            behaviour = ChangeBehaviour.CHURN
        yield PageBehaviour(url, len(histories[url]), len(pairs), behaviour, groups[url])


def _differs(pair: _PagePair) -> bool:
    before, after = pair
    return before.fingerprint[0::2] != after.fingerprint[0::2] or before.status != after.status


def _matters(archive: Archive, judge: ChangeJudge, pair: _PagePair) -> bool:
    """Whether two versions that differ do so in more than noise; what cannot be read counts as if they did."""
    before, after = (archive.observation_at(page.place) for page in pair)
    if before is None or after is None:
        return True
    try:
        return judge.judge(before, after).category is not ChangeCategory.INSIGNIFICANT
    except FormatError:
        return True


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
