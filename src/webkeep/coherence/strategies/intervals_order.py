"""SHARC-Intervals online, while pages are being found: each visit reserves the moment of its revisit.

Moments are slots counted from the end of the visits, at which the page visited last needs no revisit.
"""

from __future__ import annotations

from math import inf
from typing import TypeVar

from webkeep.coherence.schedules.interval_schedule import confidence_interval
from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.coherence.strategies.rate_queue import RateQueue
from webkeep.coherence.strategies.site_size import SizeEstimate
from webkeep.coherence.strategies.visit_orders import VisitOrder

Page = TypeVar("Page")


class IntervalsOrder(VisitOrder[Page]):
    """The page with the longest interval first, as long as a revisit within it can be reserved."""

    def __init__(self, size: SizeEstimate, delay: float = 1.0, sureness: float = 0.95, strict: bool = False) -> None:
        """If `strict`, a revisit falls on the very end of its interval or the page has to wait."""
        self._size, self._delay, self._sureness, self._strict = size, delay, sureness, strict
        self._waiting: RateQueue[tuple[Page, float]] = RateQueue()
        self._reserved: dict[int, Page] = {}
        self._free_below: dict[int, int] = {}
        self._hopeless: list[Page] = []
        self._last: Page | None = None
        """The page visited last, which needs no revisit unless another visit follows."""
        self._visited = 0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self.add_with_limit(page, confidence_interval(min(rate, MAX_RATE), self._sureness) / self._delay)

    def add_with_limit(self, page: Page, slots: float) -> None:
        """Take note of a page that is to be revisited within so many slots."""
        self._waiting.add((page, slots), -slots)

    def take_next(self) -> Page | None:
        """The page with the longest interval that can be revisited within it, else the shortest, which is hopeless."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        last = max(self._size.estimate_pages(self._visited, waiting), self._visited + waiting) - 1
        now = self._visited - last
        self._visited += 1
        self._last = self._take_page(now, last)
        return self._last

    def reserved_revisits(self) -> list[Page]:
        """Reserved pages as reserved, then hopeless ones, against the order of their visits."""
        reserved = [self._reserved[slot] for slot in sorted(self._reserved)]
        return [page for page in (*reserved, *reversed(self._hopeless)) if page != self._last]

    @property
    def hopeless_pages(self) -> tuple[Page, ...]:
        """Pages that could not be revisited in time, as they were visited."""
        return tuple(page for page in self._hopeless if page != self._last)

    def _take_page(self, now: int, last: int) -> Page:
        reservation = self._find_reservation(now, last) if now < 0 else None
        if reservation is None:
            page, _ = self._waiting.pop(len(self._waiting) - 1 if now < 0 else 0)
            self._hopeless.append(page)
            return page
        place, slot = reservation
        self._reserved[slot] = self._waiting.pop(place)[0]
        return self._reserved[slot]

    def _find_reservation(self, now: int, last: int) -> tuple[int, int] | None:
        """The place of the page to visit and the slot of its revisit."""
        for place, (_, (_, slots)) in enumerate(self._waiting):
            exact = self._strict and slots < inf
            slot = now + int(slots) if exact else self._last_free_slot(int(min(now + slots, last)))
            if slot <= 0:
                return None
            if slot not in self._reserved:
                return place, slot
        return None

    def _last_free_slot(self, slot: int) -> int:
        """The last free slot up to this one; zero or less where there is none. Ways are shortened in passing."""
        way = []
        while slot in self._reserved:
            way.append(slot)
            slot = self._free_below.get(slot, slot - 1)
        for passed in way:
            self._free_below[passed] = slot
        return slot
