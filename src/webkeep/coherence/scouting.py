"""Scouting: an online order that plans for the pages it does not know yet, and goes to look for them while that pays.

Two things are added to SHARC-Selective. First, every waiting page stands for as many pages as are believed to exist for
each one known, so that the plan spans all free lengths and not only the longest. Second, pages that reveal others are
visited early: the hottest and the coldest waiting page are the two ends of the site, each with what visits at that end
revealed lately. A visit out of turn costs some expected coherence; it is made if the pages it should reveal are worth
more than that.
"""

from __future__ import annotations

import enum
from math import exp
from typing import TypeVar

from webkeep.coherence.order import VisitOrder
from webkeep.coherence.ranked import Ranked
from webkeep.coherence.rates import HOTTEST
from webkeep.coherence.sacrifice import sacrifice_price, sacrificed
from webkeep.coherence.size import Size

Page = TypeVar("Page")

VALUE = 0.1
"""The coherence, in pages, that knowing one more page is worth to the plan."""


class _End(enum.Enum):
    HOT = "hottest"
    COLD = "coldest"


class _Yield:
    """How many pages visits at one end revealed lately."""

    FADE = 0.9
    DOUBT = 1.0
    """How many visits what is believed beforehand counts for."""

    def __init__(self) -> None:
        self._visits = 0.0
        self._revealed = 0.0

    def visit(self) -> None:
        self._visits = self._visits * self.FADE + 1
        self._revealed *= self.FADE

    def reveal(self) -> None:
        self._revealed += 1

    def expected(self, prior: float) -> float:
        return (self._revealed + self.DOUBT * prior) / (self._visits + self.DOUBT)


class Scouting(VisitOrder[Page]):
    """SHARC-Selective with pages unknown in the plan, and visits that find them."""

    def __init__(self, size: Size, delay: float = 1.0, patience: float = 0.02, value: float = VALUE) -> None:
        """`patience` is the share by which things may grow before they are planned again; zero is exact."""
        self._size, self._step, self._patience, self._value = size, 2 * delay, patience, value
        self._waiting: Ranked[Page] = Ranked()
        self._yields = {_End.HOT: _Yield(), _End.COLD: _Yield()}
        self._lately: tuple[_End, ...] = ()
        """The ends of the last visit; an only page is at both."""
        self._visited = 0
        self._planned, self._changed = -1.0, 0
        self._hotter: list[int] = []
        """For each hopeless page, the hottest last, how many hotter ones the plan keeps hopeful."""
        self._price = 0.0

    def found(self, page: Page, rate: float) -> None:
        """Take note of a page."""
        self._waiting.add(page, min(rate, HOTTEST))
        for end in self._lately:
            self._yields[end].reveal()
        self._changed += 1

    def next(self) -> Page | None:
        """The page that reveals most for what it costs, else the one with the longest length in the plan."""
        waiting = len(self._waiting)
        if not waiting:
            return None
        free = max(self._size.pages(self._visited, waiting) - self._visited, waiting)
        if self._changed > self._patience * waiting or abs(free - self._planned) > self._patience * free:
            self._plan(free)
        place = self._place(waiting, free)
        self._visited += 1
        self._planned -= 1
        self._lately = tuple(_End) if waiting == 1 else (_End.HOT,) if place else (_End.COLD,)
        for end in self._lately:
            self._yields[end].visit()
        return self._waiting.pop(place)

    def _place(self, waiting: int, free: int) -> int:
        """Where, counted from the coldest, the page to visit is."""
        end = self._best_end((free - waiting) / waiting, free) if free > waiting else None
        if end is _End.COLD:
            return 0
        if end is _End.HOT:
            return waiting - 1
        return max(waiting - 1 - self._hotter.pop(), 0) if self._hotter else 0

    def _best_end(self, prior: float, free: int) -> _End | None:
        """The end where a visit gains more than it costs."""
        worth = {end: self._value * seen.expected(prior) for end, seen in self._yields.items()}
        worth[_End.HOT] -= max(self._price, 0.0)
        worth[_End.COLD] -= self._cold_price(free)
        best = max(worth, key=worth.__getitem__)
        return best if worth[best] > 0 else None

    def _cold_price(self, free: int) -> float:
        """What the coldest page loses if it comes before the hopeless ones."""
        rate, longest = self._waiting.coldest, self._step * free
        ahead = len(self._hotter) * free / len(self._waiting) * self._step
        return exp(-rate * (longest - ahead)) - exp(-rate * longest)

    def _plan(self, free: int) -> None:
        """Let every waiting page stand for its share of the free lengths."""
        rates = [rate for rate, _ in self._waiting]
        stands_for = free / len(rates)
        first, step = self._step / 2 * (stands_for - 1), self._step * stands_for
        given_up = sacrificed(rates, first, step)
        self._hotter = [len(rates) - 1 - page - before for before, page in enumerate(given_up)][::-1]
        self._price = sacrifice_price(rates, first, step)
        self._planned, self._changed = free, 0
