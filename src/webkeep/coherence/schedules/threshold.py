"""SHARC-Threshold: pages that stay the same with a given probability are hopeful, the others make room; planned from
the inside out or from the outside in.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import log

from webkeep.coherence.schedules.expected_coherence import unchanged_probability
from webkeep.coherence.schedules.rate_order import check_rates, order_by_rate
from webkeep.coherence.schedules.schedule import VisitSchedule, lifo_schedule
from webkeep.coherence.schedules.visit_slots import VisitSlots
from webkeep.errors import UsageError


def threshold_schedule(rates: Sequence[float], sureness: float, slots: VisitSlots) -> VisitSchedule:
    """From the inside out: each page, hottest first, takes the shortest free length if it is sure enough there.

    The hottest hopeless page goes outermost. A sureness of about 0.8 serves most sites best.
    """
    _check_probability(sureness)
    clean = check_rates(rates)
    ascending = order_by_rate(clean)
    ordered = [clean[page] for page in ascending]
    hopeless = [
        ascending[place] for place in choose_doubtful(ordered, slots.shortest_length, 2 * slots.delay, sureness)
    ]
    hidden = frozenset(hopeless)
    return lifo_schedule(slots, [*hopeless, *(page for page in ascending if page not in hidden)], hidden)


def choose_doubtful(rates: Sequence[float], first: float, step: float, sureness: float) -> list[int]:
    """The places, in ascending rates, of pages not sure enough on the shortest length left for them; hottest first."""
    places: list[int] = []
    length = first
    for place in range(len(rates) - 1, -1, -1):
        if unchanged_probability(rates[place], length) > sureness:
            length += step
        else:
            places.append(place)
    return places


def outside_in_schedule(rates: Sequence[float], sureness: float, slots: VisitSlots) -> VisitSchedule:
    """From the outside in: each length, longest first, goes to the hottest page that is sure enough on it.

    Where none is, the hottest page left is hopeless and takes it. This form follows the published figures, and is worse
    than `threshold_schedule` on sites of a few hot pages.
    """
    _check_probability(sureness)
    clean = check_rates(rates)
    ascending = order_by_rate(clean)
    ordered = [clean[page] for page in ascending]
    left = _RemainingNumbers(len(ascending))
    visits: list[int] = []
    hopeless: list[int] = []
    for length in reversed(slots.pyramid_lengths()):
        place = left.last_below(_count_sure_pages(ordered, length, sureness))
        if place < 0:
            place = left.last_below(len(ascending))
            hopeless.append(ascending[place])
        left.remove(place)
        visits.append(ascending[place])
    return lifo_schedule(slots, visits, hopeless)


def _check_probability(sureness: float) -> None:
    if not 0 <= sureness <= 1:
        raise UsageError(f"{sureness} is no probability; give a threshold from 0 to 1")


def _count_sure_pages(ordered: Sequence[float], length: float, sureness: float) -> int:
    """How many of the coldest pages are sure enough on a length."""
    if length == 0 or sureness == 0:
        return len(ordered) if sureness < 1 else 0
    return bisect_left(ordered, -log(sureness) / length)


class _RemainingNumbers:
    """Numbers from zero on, some removed; finds the last one left below a limit."""

    def __init__(self, count: int) -> None:
        self._last = list(range(-1, count))

    def remove(self, number: int) -> None:
        """Take a number out."""
        self._last[number + 1] = number - 1

    def last_below(self, limit: int) -> int:
        """The last number left below the limit, -1 where none is; ways over removed numbers are shortened."""
        way = []
        at = limit
        while self._last[at] != at - 1:
            way.append(at)
            at = self._last[at] + 1
        for passed in way:
            self._last[passed] = at - 1
        return at - 1
