"""Olston and Pandey's order: the page that has changed most and latest first; it has to know every change.

Utilities move only when a page changes, so changes are played in time and the greatest utility is kept in a heap. A
visit costs a logarithm, where comparing all pages at every visit would be quadratic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

from webkeep.coherence.strategies import VisitOrder

Page = TypeVar("Page")


class OlstonPandeyOrder(VisitOrder[Page]):
    """The page whose download now would have the greatest blur up to now."""

    def __init__(self, history: Callable[[Page], Iterable[float]], delay: float = 1.0) -> None:
        """`history` gives the times of a page's changes, ascending, from the start of the crawl on."""
        self._history, self._delay = history, delay
        self._pages: list[_PageUtility[Page]] = []
        self._coming: list[tuple[float, int]] = []
        self._best: list[tuple[float, int]] = []
        self._visited = 0

    def add(self, page: Page, rate: float) -> None:  # noqa: ARG002
        """Take note of a page."""
        watched = _PageUtility(page, iter(self._history(page)))
        self._pages.append(watched)
        heappush(self._best, (0.0, len(self._pages) - 1))
        self._schedule_change(len(self._pages) - 1)

    def take_next(self) -> Page | None:
        """The page with the greatest utility now."""
        now = self._visited * self._delay
        while self._coming and self._coming[0][0] <= now:
            time, number = heappop(self._coming)
            watched = self._pages[number]
            if not watched.visited:
                watched.utility += time
                heappush(self._best, (-watched.utility, number))
                self._schedule_change(number)
        while self._best:
            utility, number = heappop(self._best)
            watched = self._pages[number]
            if not watched.visited and -utility == watched.utility:
                watched.visited = True
                self._visited += 1
                return watched.page
        return None

    def _schedule_change(self, number: int) -> None:
        change = next(self._pages[number].changes, None)
        if change is not None:
            heappush(self._coming, (change, number))


class _PageUtility(Generic[Page]):
    """A page with its changes still to come."""

    __slots__ = ("changes", "page", "utility", "visited")

    def __init__(self, page: Page, changes: Iterator[float]) -> None:
        self.page, self.changes = page, changes
        self.utility = 0.0
        self.visited = False
