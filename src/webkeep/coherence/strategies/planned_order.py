"""SHARC-Selective and SHARC-Threshold online, while pages are being found: plan, visit one page, and plan again once
enough more is known.

A plan gives the known pages the longest free lengths. Planning again after every find is exact but costs much on large
sites; so plans are kept until what is known, or believed, has grown by some share, and pages found in between join the
side of the plan that their rates belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Generic, TypeVar

from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.coherence.schedules.selective_choice import choose_hopeless
from webkeep.coherence.strategies.site_size import SizeEstimate
from webkeep.coherence.strategies.visit_orders import VisitOrder

# Waiting pages on the two sides of a plan: the hopeless, hottest first, and the hopeful, coldest first.

QueuedPage = TypeVar("QueuedPage")


class DividedQueue(Generic[QueuedPage]):
    """Pages that wait to be visited; a plan divides them, and pages that come later follow its border."""

    def __init__(self) -> None:
        self._hopeful: list[tuple[float, int, QueuedPage]] = []
        self._hopeless: list[tuple[float, int, QueuedPage]] = []
        self._hopeless_from_rate = inf
        self._serial = 0

    def __len__(self) -> int:
        return len(self._hopeful) + len(self._hopeless)

    @property
    def has_hopeless(self) -> bool:
        """Whether the plan has hopeless pages left."""
        return bool(self._hopeless)

    def add(self, page: QueuedPage, rate: float) -> None:
        """Let a page wait on the side that its rate belongs to."""
        self._serial += 1
        if rate >= self._hopeless_from_rate:
            heappush(self._hopeless, (-rate, -self._serial, page))
        else:
            heappush(self._hopeful, (rate, self._serial, page))

    def take_next(self) -> QueuedPage:
        """The page with the longest length: the hottest hopeless one, else the coldest."""
        return heappop(self._hopeless)[2] if self._hopeless else self.take_hopeful()

    def take_hopeful(self) -> QueuedPage:
        """The coldest hopeful page."""
        return heappop(self._hopeful)[2]

    def sorted_rates(self) -> list[float]:
        """The rates of all waiting pages, ascending; `divide` speaks of places in this list."""
        self._hopeful += [(-rate, -serial, page) for rate, serial, page in self._hopeless]
        self._hopeful.sort(key=_rate_and_serial_of)
        self._hopeless = []
        return [rate for rate, _, _ in self._hopeful]

    def divide(self, hopeless: Iterable[int]) -> None:
        """Part the pages anew: hopeless are those at these places, hottest first."""
        ascending = self._hopeful
        places = list(hopeless)
        self._hopeless_from_rate = ascending[places[-1]][0] if places else inf
        self._hopeless = [(-rate, -serial, page) for rate, serial, page in (ascending[place] for place in places)]
        hidden = set(places)
        self._hopeful = [entry for place, entry in enumerate(ascending) if place not in hidden]


def _rate_and_serial_of(entry: tuple[float, int, object]) -> tuple[float, int]:
    return entry[:2]


Page = TypeVar("Page")


HopelessChoice = Callable[[Sequence[float], float, float], list[int]]
"""Which places are hopeless, hottest first: by ascending rates, the shortest free length and the step to the next."""


class PlannedOrder(VisitOrder[Page]):
    """Hopeless pages first, hottest of them first; then the coldest."""

    def __init__(
        self, size: SizeEstimate, delay: float = 1.0, patience: float = 0.02, choice: HopelessChoice = choose_hopeless
    ) -> None:
        """`patience` is the share by which things may grow before they are planned again; zero is exact."""
        self._size, self._step, self._patience, self._choice = size, 2 * delay, patience, choice
        self._waiting: DividedQueue[Page] = DividedQueue()
        self._visited = 0
        self._planned_free = -1.0
        self._added_since_plan = 0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._waiting.add(page, min(rate, MAX_RATE))
        self._added_since_plan += 1

    def take_next(self) -> Page | None:
        """The page that has the longest free length in the plan."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        free = max(self._size.estimate_pages(self._visited, waiting) - self._visited, waiting)
        if self._is_stale(free):
            self._plan(free)
        self._visited += 1
        self._planned_free -= 1
        return self._waiting.take_next()

    def _is_stale(self, free: int) -> bool:
        grown = self._added_since_plan > self._patience * len(self._waiting)
        return grown or abs(free - self._planned_free) > self._patience * free

    def _plan(self, free: int) -> None:
        rates = self._waiting.sorted_rates()
        self._waiting.divide(self._choice(rates, self._step * (free - len(rates)), self._step))
        self._planned_free, self._added_since_plan = free, 0
