"""Pages in order of their change rates, to be taken from either end or by their place, while others come in.

Rates and pages lie in parallel blocks of some hundreds. A finger remembers where the last page was taken, because the
next one is mostly near. Pages that come in wait until somebody looks: many at once are sorted in, few put in singly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

Page = TypeVar("Page")

_MAX_BLOCK_PAGES = 1024
"""A block of the sorted list is split beyond this size: inserting into a longer one takes longer than finding it."""


class RateQueue(Generic[Page]):
    """Pages by ascending rate; equal ones as they came."""

    def __init__(self) -> None:
        self._rates: list[list[float]] = []
        self._pages: list[list[Page]] = []
        self._lows: list[float] = []
        """The rate that each block began with when it was made."""
        self._size = 0
        self._new_rates: list[float] = []
        self._new_pages: list[Page] = []
        self._finger = 0
        self._before = 0
        """How many pages lie in blocks before the finger's."""

    def __len__(self) -> int:
        return self._size + len(self._new_rates)

    def __iter__(self) -> Iterator[tuple[float, Page]]:
        self._merge_new()
        for rates, pages in zip(self._rates, self._pages, strict=True):
            yield from zip(rates, pages, strict=True)

    def sample_rates(self, group: int) -> list[float]:
        """Ascending, the middle rate of every group of so many pages; groups are counted from the hottest page."""
        self._merge_new()
        place = (self._size - 1 - (group - 1) // 2) % group
        sample: list[float] = []
        for rates in self._rates:
            sample += rates[place::group]
            place = (place - len(rates)) % group
        return sample

    @property
    def coldest(self) -> float:
        """The lowest rate."""
        self._merge_new()
        return self._rates[0][0]

    @property
    def hottest(self) -> float:
        """The highest rate."""
        self._merge_new()
        return self._rates[-1][-1]

    def add(self, page: Page, rate: float) -> None:
        """Let a page be where its rate belongs, behind those of the same rate."""
        self._new_rates.append(rate)
        self._new_pages.append(page)

    def _merge_new(self) -> None:
        if not self._new_rates:
            return
        rates, pages = self._new_rates, self._new_pages
        self._new_rates, self._new_pages = [], []
        if len(rates) > _MAX_BLOCK_PAGES and 4 * len(rates) > self._size:
            self._rebuild([*chain(*self._rates), *rates], [*chain(*self._pages), *pages])
        else:
            for rate, page in zip(rates, pages, strict=True):
                self._insert(page, rate)

    def _rebuild(self, rates: list[float], pages: list[Page]) -> None:
        half = _MAX_BLOCK_PAGES // 2
        order = sorted(range(len(rates)), key=rates.__getitem__)
        blocks = [order[start : start + half] for start in range(0, len(order), half)]
        self._rates = [[rates[place] for place in block] for block in blocks]
        self._pages = [[pages[place] for place in block] for block in blocks]
        self._lows = [block[0] for block in self._rates]
        self._size = len(order)
        self._finger = self._before = 0

    def _insert(self, page: Page, rate: float) -> None:
        if not self._rates:
            self._rates, self._pages, self._lows = [[]], [[]], [rate]
        block = max(bisect_right(self._lows, rate) - 1, 0)
        rates = self._rates[block]
        place = bisect_right(rates, rate)
        rates.insert(place, rate)
        self._pages[block].insert(place, page)
        self._size += 1
        if block < self._finger:
            self._before += 1
        if len(rates) > _MAX_BLOCK_PAGES:
            self._split(block)

    def pop(self, place: int) -> Page:
        """Take out the page at a place counted from the coldest."""
        self._merge_new()
        block, within = self._locate(place)
        self._size -= 1
        if block < self._finger:
            self._before -= 1
        del self._rates[block][within]
        page = self._pages[block].pop(within)
        if not self._rates[block]:
            self._remove_block(block)
        return page

    def _locate(self, place: int) -> tuple[int, int]:
        if place == self._size - 1:
            return len(self._rates) - 1, len(self._rates[-1]) - 1
        if place < len(self._rates[0]):
            return 0, place
        while place < self._before:
            self._finger -= 1
            self._before -= len(self._rates[self._finger])
        while place >= self._before + len(self._rates[self._finger]):
            self._before += len(self._rates[self._finger])
            self._finger += 1
        return self._finger, place - self._before

    def _split(self, block: int) -> None:
        half = _MAX_BLOCK_PAGES // 2
        self._rates.insert(block + 1, self._rates[block][half:])
        self._pages.insert(block + 1, self._pages[block][half:])
        del self._rates[block][half:], self._pages[block][half:]
        self._lows.insert(block + 1, self._rates[block + 1][0])
        if block < self._finger:
            self._finger += 1

    def _remove_block(self, block: int) -> None:
        del self._rates[block], self._pages[block], self._lows[block]
        if block < self._finger or self._finger == len(self._rates):
            self._finger = max(self._finger - 1, 0)
            self._before = sum(map(len, self._rates[: self._finger]))
