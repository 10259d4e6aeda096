"""Waiting pages on the two sides of a plan: the hopeless, hottest first, and the hopeful, coldest first."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from math import inf
from typing import Generic, TypeVar

Page = TypeVar("Page")


class Divided(Generic[Page]):
    """Pages that wait to be visited; a plan divides them, and pages that come later follow its border."""

    def __init__(self) -> None:
        self._hopeful: list[tuple[float, int, Page]] = []
        self._hopeless: list[tuple[float, int, Page]] = []
        self._border = inf
        self._serial = 0

    def __len__(self) -> int:
        return len(self._hopeful) + len(self._hopeless)

    @property
    def has_hopeless(self) -> bool:
        """Whether the plan has hopeless pages left."""
        return bool(self._hopeless)

    def add(self, page: Page, rate: float) -> None:
        """Let a page wait on the side that its rate belongs to."""
        self._serial += 1
        if rate >= self._border:
            heappush(self._hopeless, (-rate, -self._serial, page))
        else:
            heappush(self._hopeful, (rate, self._serial, page))

    def take(self) -> Page:
        """The page with the longest length: the hottest hopeless one, else the coldest."""
        return heappop(self._hopeless)[2] if self._hopeless else self.take_hopeful()

    def take_hopeful(self) -> Page:
        """The coldest hopeful page."""
        return heappop(self._hopeful)[2]

    def rates(self) -> list[float]:
        """The rates of all waiting pages, ascending; `divide` speaks of places in this list."""
        self._hopeful += [(-rate, -serial, page) for rate, serial, page in self._hopeless]
        self._hopeful.sort(key=_rate_and_serial)
        self._hopeless = []
        return [rate for rate, _, _ in self._hopeful]

    def divide(self, hopeless: Iterable[int]) -> None:
        """Part the pages anew: hopeless are those at these places, hottest first."""
        ascending = self._hopeful
        places = list(hopeless)
        self._border = ascending[places[-1]][0] if places else inf
        self._hopeless = [(-rate, -serial, page) for rate, serial, page in (ascending[place] for place in places)]
        hidden = set(places)
        self._hopeful = [entry for place, entry in enumerate(ascending) if place not in hidden]


def _rate_and_serial(entry: tuple[float, int, object]) -> tuple[float, int]:
    return entry[:2]
