"""Pages that changed from a capture of a series to the next, by the verdicts that `webkeep diff` gives: the versions of
so many are read, evenly chosen, as fingerprints alone cannot tell noise from small edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappush, heappushpop
from typing import NamedTuple

import xxhash

from webkeep.change.detection import ChangeCategory
from webkeep.errors import FormatError
from webkeep.model import RecordPlace
from webkeep.quality.changes import ChangeJudge
from webkeep.store.archive import Archive

_MIN_PAGES_OF_A_STEP = 10
"""That are read of each capture before the last, however many captures there are."""


class ChangedPage(NamedTuple):
    """A page that two captures, one after the other, do not have alike."""

    place: int
    """Of the later one in the series."""
    url: str
    before: RecordPlace
    after: RecordPlace
    told: ChangeCategory | None
    """How much that matters, as far as fingerprints tell."""


class ChangedPages:
    """Keeps so many pages of each step of a series, those of the last and as many again of all others; all where the
    number is 0.
    """

    def __init__(self, places: int, most: int) -> None:
        self._kept: list[list[tuple[int, ChangedPage]]] = [[] for _ in range(places)]
        self._most = most
        self._others = max(_MIN_PAGES_OF_A_STEP, most // max(1, places - 2))

    def add(self, page: ChangedPage) -> None:
        """Take in a page; of too many, those are kept that their hashes choose: the same each time, from all over."""
        kept = self._kept[page.place]
        mark = -xxhash.xxh3_64_intdigest(page.url.encode("utf-8", "surrogatepass"))
        most = self._most if page.place == len(self._kept) - 1 else self._others
        if not self._most or len(kept) < most:
            heappush(kept, (mark, page))
        elif mark > kept[0][0]:
            heappushpop(kept, (mark, page))

    def judge(self, archive: Archive, judge: ChangeJudge) -> Iterator[tuple[ChangedPage, ChangeCategory]]:
        """The pages that are kept, each with how much its change matters; those that cannot be read are left out."""
        for kept in self._kept:
            for _, page in sorted(kept, key=lambda each: each[1].url):
                before, after = archive.observation_at(page.before), archive.observation_at(page.after)
                if before is None or after is None:
                    continue
                try:
                    verdict = judge.judge(before, after)
                except FormatError:
                    continue  # what is wrong with its records is for `webkeep verify` to say
                yield page, verdict.category
