"""Orders of visits that are decided online, while pages are being found: breadth-first, depth-first, hottest first or
last, and the organ pipe of SHARC-Online.

A crawl adds the pages it finds, each once (`add`), and asks for the next (`take_next`). Nothing else is needed but
rates and an estimate of the site's size; time is counted in requests.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Protocol, TypeVar

from webkeep.coherence.schedules.rate_order import MAX_RATE
from webkeep.coherence.strategies.rate_queue import RateQueue
from webkeep.coherence.strategies.site_size import SizeEstimate

Page = TypeVar("Page")


class VisitOrder(Protocol[Page]):
    """Which of the pages found so far is visited next."""

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page that was not known before."""
        ...

    def take_next(self) -> Page | None:
        """The page to visit now, which is then no longer waiting; None while none is."""
        ...


class BreadthFirstOrder(VisitOrder[Page]):
    """Pages in the order in which they were found."""

    def __init__(self) -> None:
        self._waiting: deque[Page] = deque()

    def add(self, page: Page, rate: float) -> None:  # noqa: ARG002
        """Take note of a page."""
        self._waiting.append(page)

    def take_next(self) -> Page | None:
        """The page found first."""
        return self._waiting.popleft() if self._waiting else None


class DepthFirstOrder(VisitOrder[Page]):
    """What the last visit revealed before everything else, in the order of the page."""

    def __init__(self) -> None:
        self._waiting: list[Page] = []
        self._revealed: list[Page] = []

    def add(self, page: Page, rate: float) -> None:  # noqa: ARG002
        """Take note of a page."""
        self._revealed.append(page)

    def take_next(self) -> Page | None:
        """The first page of those revealed last."""
        self._waiting += reversed(self._revealed)
        self._revealed.clear()
        return self._waiting.pop() if self._waiting else None


class _RateOrder(VisitOrder[Page]):
    """Pages by a sign of their rates; equal ones as they were found."""

    _sign: float

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, Page]] = []
        self._serial = 0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._serial += 1
        heappush(self._waiting, (self._sign * rate, self._serial, page))

    def take_next(self) -> Page | None:
        """The first by rate."""
        return heappop(self._waiting)[2] if self._waiting else None


class HottestFirstOrder(_RateOrder[Page]):
    """The page that changes most first."""

    _sign = -1.0


class HottestLastOrder(_RateOrder[Page]):
    """The page that changes least first."""

    _sign = 1.0


class OrganPipeOrder(VisitOrder[Page]):
    """SHARC-Online: coldest first, then every page's mirror image kept in reserve, then hottest first."""

    def __init__(self, size: SizeEstimate) -> None:
        self._size = size
        self._waiting: RateQueue[Page] = RateQueue()
        self._visited = 0

    def add(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._waiting.add(page, min(rate, MAX_RATE))

    def take_next(self) -> Page | None:
        """The page that keeps the order closest to an organ pipe."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        page = self._waiting.pop(self._choose_place(waiting, self._size.estimate_pages(self._visited, waiting)))
        self._visited += 1
        return page

    def _choose_place(self, waiting: int, expected: int) -> int:
        if 2 * (self._visited + waiting) <= expected:
            return 0
        if 2 * self._visited <= expected:
            return min(self._visited, waiting - 1)
        return waiting - 1


def simulate_visits(
    order: VisitOrder[Page],
    seeds: Iterable[Page],
    rate: Callable[[Page], float],
    links: Callable[[Page], Iterable[Page]],
) -> list[Page]:
    """The visits that an order makes on a site, where every visit reveals the page's links at once."""
    visits: list[Page] = []
    seen: set[Page] = set()

    def reveal(pages: Iterable[Page]) -> None:
        for page in pages:
            if page not in seen:
                seen.add(page)
                order.add(page, rate(page))

    reveal(seeds)
    while (page := order.take_next()) is not None:
        visits.append(page)
        reveal(links(page))
    return visits


def fifo_revisits(visits: Sequence[Page]) -> list[Page]:
    """Revisits in the order of the visits; the page visited last needs none."""
    return list(visits[:-1])


def lifo_revisits(visits: Sequence[Page]) -> list[Page]:
    """Revisits against the order of the visits; the page visited last needs none."""
    return list(visits[-2::-1]) if len(visits) > 1 else []
