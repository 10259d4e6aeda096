"""Scouting: an online order that plans for the pages it does not know yet, and goes to look for them while that pays.

Two things are added to SHARC-Selective. First, every waiting page stands for as many pages as are believed to exist for
each one known, so that the plan spans all free lengths and not only the longest. Second, pages that reveal others are
visited early: the hottest and the coldest waiting page are the two ends of the site, each with what visits at that end
revealed lately. A visit out of turn costs some expected coherence; it is made if the pages it should reveal are worth
more than that.
"""

from __future__ import annotations

import enum
import sys
from math import exp
from typing import TypeVar

from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.coherence.schedules.selective_choice import choose_hopeless, hottest_visit_price
from webkeep.coherence.strategies.hopeless_plan import MAX_PLANNED_GROUPS, HopelessPlan, group_pages, plan_hopeless
from webkeep.coherence.strategies.rate_queue import RateQueue
from webkeep.coherence.strategies.site_size import SizeEstimate
from webkeep.coherence.strategies.visit_orders import VisitOrder

Page = TypeVar("Page")

PAGE_KNOWLEDGE_VALUE = 0.1
"""The coherence, in pages, that knowing one more page is worth to the plan."""


class _QueueEnd(enum.Enum):
    HOT = "hottest"
    COLD = "coldest"


class _RevealRate:
    """How many pages visits at one end revealed lately."""

    FADE_FACTOR = 0.9
    PRIOR_VISITS = 1.0
    """How many visits what is believed beforehand counts for."""

    def __init__(self) -> None:
        self._visits = 0.0
        self._revealed = 0.0

    def add_visit(self) -> None:
        self._visits = self._visits * self.FADE_FACTOR + 1
        self._revealed *= self.FADE_FACTOR

    def add_page(self) -> None:
        self._revealed += 1

    def expected_pages(self, prior: float) -> float:
        return (self._revealed + self.PRIOR_VISITS * prior) / (self._visits + self.PRIOR_VISITS)


class ScoutingOrder(VisitOrder[Page]):
    """SHARC-Selective with pages unknown in the plan, and visits that find them."""

    def __init__(
        self, size: SizeEstimate, delay: float = 1.0, patience: float = 0.02, value: float = PAGE_KNOWLEDGE_VALUE
    ) -> None:
        """`patience` is the share by which things may grow before they are planned again; zero is exact."""
        self._size, self._step, self._patience, self._value = size, 2 * delay, patience, value
        self._max_groups = MAX_PLANNED_GROUPS if patience else sys.maxsize
        self._waiting: RateQueue[Page] = RateQueue()
        self._yields = {_QueueEnd.HOT: _RevealRate(), _QueueEnd.COLD: _RevealRate()}
        self._last_ends: tuple[_QueueEnd, ...] = ()
        """The ends of the last visit; an only page is at both."""
        self._visited = 0
        self._planned_free, self._added_since_plan = -1.0, 0
        self._plan = HopelessPlan()
        self._price = 0.0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._waiting.add(page, min(rate, MAX_RATE))
        for end in self._last_ends:
            self._yields[end].add_page()
        self._added_since_plan += 1

    def take_next(self) -> Page | None:
        """The page that reveals most for what it costs, else the one with the longest length in the plan."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        free = max(self._size.estimate_pages(self._visited, waiting) - self._visited, waiting)
        if self._added_since_plan > self._patience * waiting or abs(free - self._planned_free) > self._patience * free:
            self._plan_anew(free)
        place = self._choose_place(waiting, free)
        self._visited += 1
        self._planned_free -= 1
        self._last_ends = tuple(_QueueEnd) if waiting == 1 else (_QueueEnd.HOT,) if place else (_QueueEnd.COLD,)
        for end in self._last_ends:
            self._yields[end].add_visit()
        return self._waiting.pop(place)

    def _choose_place(self, waiting: int, free: int) -> int:
        """Where, counted from the coldest, the page to visit is."""
        end = self._best_end((free - waiting) / waiting, free) if free > waiting else None
        if end is _QueueEnd.COLD:
            return 0
        if end is _QueueEnd.HOT:
            return waiting - 1
        return self._plan.take_place(waiting)

    def _best_end(self, prior: float, free: int) -> _QueueEnd | None:
        """The end where a visit gains more than it costs."""
        worth = {end: self._value * seen.expected_pages(prior) for end, seen in self._yields.items()}
        worth[_QueueEnd.HOT] -= max(self._price, 0.0)
        worth[_QueueEnd.COLD] -= self._cold_price(free)
        best = max(worth, key=worth.__getitem__)
        return best if worth[best] > 0 else None

    def _cold_price(self, free: int) -> float:
        """What the coldest page loses if it comes before the hopeless ones."""
        rate, longest = self._waiting.coldest, self._step * free
        ahead = self._plan.pages_left * free / len(self._waiting) * self._step
        return exp(-rate * (longest - ahead)) - exp(-rate * longest)

    def _plan_anew(self, free: int) -> None:
        """Let every waiting page stand for its share of the free lengths."""
        stands_for = free / len(self._waiting)
        first, step = self._step / 2 * (stands_for - 1), self._step * stands_for
        groups = group_pages(self._waiting, first, step, self._max_groups)
        self._plan = plan_hopeless(groups, choose_hopeless)
        self._price = hottest_visit_price(groups.rates, groups.first, groups.step)
        self._planned_free, self._added_since_plan = free, 0
