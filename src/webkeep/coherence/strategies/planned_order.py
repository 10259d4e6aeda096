"""SHARC-Selective and SHARC-Threshold online, while pages are being found: plan, visit one page, and plan again once
enough more is known.

A plan gives the known pages the longest free lengths. Planning again after every find is exact but costs much on large
sites; so plans are kept until what is known, or believed, has grown by some share, and pages found in between join the
side of the plan that their rates belong to.
"""

from __future__ import annotations

import sys
from typing import TypeVar

from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.coherence.schedules.selective_choice import choose_hopeless
from webkeep.coherence.strategies.hopeless_plan import (
    MAX_PLANNED_GROUPS,
    HopelessChoice,
    HopelessPlan,
    group_pages,
    plan_hopeless,
)
from webkeep.coherence.strategies.rate_queue import RateQueue
from webkeep.coherence.strategies.site_size import SizeEstimate
from webkeep.coherence.strategies.visit_orders import VisitOrder

Page = TypeVar("Page")


class PlannedOrder(VisitOrder[Page]):
    """Hopeless pages first, hottest of them first; then the coldest."""

    def __init__(
        self, size: SizeEstimate, delay: float = 1.0, patience: float = 0.02, choice: HopelessChoice = choose_hopeless
    ) -> None:
        """`patience` is the share by which things may grow before they are planned again; zero is exact."""
        self._size, self._step, self._patience, self._choice = size, 2 * delay, patience, choice
        self._max_groups = MAX_PLANNED_GROUPS if patience else sys.maxsize
        self._waiting: RateQueue[Page] = RateQueue()
        self._plan = HopelessPlan()
        self._visited = 0
        self._planned_free = -1.0
        self._added_since_plan = 0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        rate = min(rate, MAX_RATE)
        self._waiting.add(page, rate)
        self._plan.add_page(rate)
        self._added_since_plan += 1

    def take_next(self) -> Page | None:
        """The page that has the longest free length in the plan: the hottest hopeless one, else the coldest."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        free = max(self._size.estimate_pages(self._visited, waiting) - self._visited, waiting)
        if self._is_stale(free):
            self._plan_anew(free)
        self._visited += 1
        self._planned_free -= 1
        return self._waiting.pop(self._plan.take_place(waiting))

    def _plan_anew(self, free: int) -> None:
        shortest = self._step * (free - len(self._waiting))
        self._plan = plan_hopeless(group_pages(self._waiting, shortest, self._step, self._max_groups), self._choice)
        self._planned_free, self._added_since_plan = free, 0

    def _is_stale(self, free: int) -> bool:
        grown = self._added_since_plan > self._patience * len(self._waiting)
        return grown or abs(free - self._planned_free) > self._patience * free
