"""SHARC-Selective and SHARC-Threshold while pages are being found: plan, visit one page, plan again for more.

A plan gives the known pages the longest free lengths. Planning again after every find is exact but costs much on large
sites; so plans are kept until what is known, or believed, has grown by some share, and pages found in between join the
side of the plan that their rates belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from webkeep.coherence.divided import Divided
from webkeep.coherence.order import VisitOrder
from webkeep.coherence.rates import HOTTEST
from webkeep.coherence.sacrifice import sacrificed
from webkeep.coherence.size import Size

Page = TypeVar("Page")


Choice = Callable[[Sequence[float], float, float], list[int]]
"""Which places are hopeless, hottest first: by ascending rates, the shortest free length and the step to the next."""


class PlannedOnline(VisitOrder[Page]):
    """Hopeless pages first, hottest of them first; then the coldest."""

    def __init__(self, size: Size, delay: float = 1.0, patience: float = 0.02, choice: Choice = sacrificed) -> None:
        """`patience` is the share by which things may grow before they are planned again; zero is exact."""
        self._size, self._step, self._patience, self._choice = size, 2 * delay, patience, choice
        self._waiting: Divided[Page] = Divided()
        self._visited = 0
        self._planned = -1.0
        self._changed = 0

    def found(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._waiting.add(page, min(rate, HOTTEST))
        self._changed += 1

    def next(self) -> Page | None:
        """The page that has the longest free length in the plan."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        free = max(self._size.pages(self._visited, waiting) - self._visited, waiting)
        if self._is_stale(free):
            self._plan(free)
        self._visited += 1
        self._planned -= 1
        return self._waiting.take()

    def _is_stale(self, free: int) -> bool:
        grown = self._changed > self._patience * len(self._waiting)
        return grown or abs(free - self._planned) > self._patience * free

    def _plan(self, free: int) -> None:
        rates = self._waiting.rates()
        self._waiting.divide(self._choice(rates, self._step * (free - len(rates)), self._step))
        self._planned, self._changed = free, 0
