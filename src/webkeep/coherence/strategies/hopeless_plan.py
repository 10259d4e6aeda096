"""Which of the waiting pages are hopeless, planned at a cost that hardly grows with their number.

Hopeless pages lie in few runs of the order of rates, mostly one of hot pages. A plan keeps each run by how many hotter
pages stay hopeful, and need not touch the pages. Of many pages, neighbours by rate are planned as groups: one of them
stands for all, as `scouting_order` lets known pages stand for those unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from webkeep.coherence.strategies.rate_queue import RateQueue

MAX_PLANNED_GROUPS = 4096
"""More groups than this cost time and change no plan by a thousandth."""

HopelessChoice = Callable[[Sequence[float], float, float], list[int]]
"""Which places are hopeless, hottest first: by ascending rates, the shortest free length and the step to the next."""


class HopelessPlan:
    """The runs of hopeless pages; pages that come later join the run that their rates belong to."""

    def __init__(self) -> None:
        self._lows: list[float] = []
        """For each run, the coldest first, the rate from which on pages belong to it."""
        self._hotter: list[int] = []
        """For each run, how many hotter pages stay hopeful."""
        self._left: list[int] = []

    def add_run(self, low: float, hotter: int, pages: int) -> None:
        """Let so many pages be hopeless, below `hotter` hopeful ones; runs are added from the coldest on."""
        self._lows.append(low)
        self._hotter.append(hotter)
        self._left.append(pages)

    @property
    def pages_left(self) -> int:
        """How many hopeless pages have not been taken."""
        return sum(self._left)

    def add_page(self, rate: float) -> None:
        """Let a page be hopeless if it changes as often as those that are."""
        run = bisect_right(self._lows, rate) - 1
        if run >= 0:
            self._left[run] += 1

    def take_place(self, waiting: int) -> int:
        """The place, counted from the coldest of so many, of the hottest hopeless page; else of the coldest page."""
        while len(self._left) > 1 and not self._left[-1]:
            del self._lows[-1], self._hotter[-1], self._left[-1]
        if not self._left or not self._left[-1]:
            return 0
        self._left[-1] -= 1
        return max(waiting - 1 - self._hotter[-1], 0)


@dataclass(frozen=True, slots=True)
class PageGroups:
    """Neighbours by rate, `size` in a group, planned like pages: the free lengths are `first`, `first + step`, …"""

    rates: list[float]
    first: float
    step: float
    size: int


def group_pages(waiting: RateQueue[Any], first: float, step: float, max_groups: int) -> PageGroups:
    """The waiting pages in no more groups than so many; each has the middle of the lengths of its pages."""
    size = -(-len(waiting) // max_groups)
    return PageGroups(waiting.sample_rates(size), first + step / 2 * (size - 1), step * size, size)


def plan_hopeless(groups: PageGroups, choice: HopelessChoice) -> HopelessPlan:
    """The plan for pages in groups."""
    plan = HopelessPlan()
    hopeless = choice(groups.rates, groups.first, groups.step)
    for low, hotter, pages in reversed(_join_groups(groups, hopeless)):
        plan.add_run(low, hotter, pages)
    return plan


def _join_groups(groups: PageGroups, hopeless: Sequence[int]) -> list[tuple[float, int, int]]:
    """Runs of neighbouring groups, the hottest first: lowest rate, hopeful pages that are hotter, pages."""
    runs: list[tuple[float, int, int]] = []
    hottest = len(groups.rates) - 1
    for before, place in enumerate(hopeless):
        hotter = (hottest - place - before) * groups.size
        pages = groups.size + (runs.pop()[2] if runs and runs[-1][1] == hotter else 0)
        runs.append((groups.rates[place], hotter, pages))
    return runs
