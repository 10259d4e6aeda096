"""SHARC-Intervals: each page is revisited before a change becomes likely, where slots allow it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log

from webkeep.coherence.schedules.rate_order import check_rates
from webkeep.coherence.schedules.schedule import VisitSchedule, schedule_from_slots
from webkeep.coherence.schedules.visit_slots import joined_revisit_slots
from webkeep.errors import UsageError

# Slots before and after the middle of a capture that are still free, and the longest pair of them within a limit.
#
# Free slots are the ones of two large numbers, the second written backwards. Shifted by a sum and laid over each other
# they show all pairs of that sum at once, so that a look costs a few words of memory instead of a walk along both
# sides.

_MAX_SUMS_TRIED = 64
"""After so many sums without a pair, walking along both sides costs less than looking on."""


class FreeSlots:
    """Distances from the middle, from one to `count`, on both sides."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._before = self._after_backwards = (1 << count + 1) - 2 if count else 0
        self._after_backwards >>= 1

    def take(self, early: int, late: int) -> None:
        """Let a distance before and one after the middle be free no longer."""
        self._before ^= 1 << early
        self._after_backwards ^= 1 << self._count - late

    def free_distances(self) -> tuple[list[int], list[int]]:
        """The free distances before and after the middle, ascending."""
        after = [self._count - place for place in _set_bits(self._after_backwards)]
        return _set_bits(self._before), after[::-1]

    def longest_pair(self, limit: float) -> tuple[int, int] | None:
        """The pair with the greatest sum within the limit.

        Of equal sums, the one whose sides differ least, then the one with the smaller distance before the middle.
        """
        if not self._before:
            return None
        least = _lowest_one(self._before) + self._count - self._after_backwards.bit_length() + 1
        most = self._before.bit_length() - 1 + self._count - _lowest_one(self._after_backwards)
        if least > limit:
            return None
        start = int(min(limit, most))
        for total in range(start, max(start - _MAX_SUMS_TRIED, least - 1), -1):
            pairs = self._pairs_of_sum(total)
            if pairs:
                early = _nearest_one(pairs, total // 2, total)
                return early, total - early
        return self._walk_to_pair(start)

    def _pairs_of_sum(self, total: int) -> int:
        """The distances before the middle, as ones, that have a free partner for this sum."""
        shift = self._count - total
        return self._before & (self._after_backwards >> shift if shift >= 0 else self._after_backwards << -shift)

    def _walk_to_pair(self, most: int) -> tuple[int, int]:
        before, after = self.free_distances()
        found, rank = (0, 0), (0, 0, 0)
        other = len(after) - 1
        for early in before:
            while other >= 0 and early + after[other] > most:
                other -= 1
            if other < 0:
                break
            late = after[other]
            if (early + late, -abs(early - late), -early) > rank or found == (0, 0):
                found, rank = (early, late), (early + late, -abs(early - late), -early)
        return found


def _nearest_one(ones: int, middle: int, total: int) -> int:
    """The place of the one nearest to half the total, the lower of two; `middle` is the half rounded down."""
    below = (ones & (1 << middle + 1) - 1).bit_length() - 1
    above = ones >> middle + 1
    higher = _lowest_one(above) + middle + 1 if above else -1
    if below < 0 or (higher >= 0 and 2 * higher - total < total - 2 * below):
        return higher
    return below


def _lowest_one(ones: int) -> int:
    return (ones & -ones).bit_length() - 1


def _set_bits(number: int) -> list[int]:
    return [place for place, digit in enumerate(f"{number:b}"[::-1]) if digit == "1"]


def confidence_interval(rate: float, sureness: float) -> float:
    """The longest time for which a page stays the same with this probability."""
    if not 0 < sureness < 1:
        raise UsageError(f"{sureness} gives no interval; give a probability between 0 and 1")
    return log(1 / sureness) / rate if rate > 0 else inf


def intervals_schedule(
    rates: Sequence[float], sureness: float = 0.95, delay: float = 1.0, shrunk: bool = False
) -> VisitSchedule:
    """Every page as far from the middle as its confidence interval lets it, hopeless ones where room is left."""
    limits = [confidence_interval(rate, sureness) / delay for rate in check_rates(rates)]
    schedule = schedule_within_limits(limits, delay)
    return shrink_schedule(schedule) if shrunk else schedule


def schedule_within_limits(limits: Sequence[float], delay: float = 1.0) -> VisitSchedule:
    """The same from the longest lengths allowed, in slots."""
    last = len(limits) - 1
    longest_last = sorted(range(len(limits)), key=limits.__getitem__)
    free = FreeSlots(max(last, 0))
    slots = [(last, last)] * len(limits)
    hopeless: list[int] = []
    for page in longest_last[1:]:
        pair = free.longest_pair(limits[page])
        if pair is None:
            hopeless.append(page)
        else:
            free.take(*pair)
            slots[page] = (last - pair[0], last + pair[1])
    for page, early, late in zip(reversed(hopeless), *free.free_distances(), strict=True):
        slots[page] = (last - early, last + late)
    return schedule_from_slots(joined_revisit_slots(len(limits), delay), slots, hopeless)


def shrink_schedule(schedule: VisitSchedule) -> VisitSchedule:
    """Hopeful pages close up around the middle, in their order; no hopeful page's length grows."""
    hopeful = [page for page in schedule.visits if page not in schedule.hopeless]
    outer = [page for page in schedule.visits if page in schedule.hopeless]
    soon = [page for page in schedule.revisits if page not in schedule.hopeless]
    late = [page for page in schedule.revisits if page in schedule.hopeless]
    return VisitSchedule(schedule.geometry, (*outer, *hopeful), (*soon, *late), schedule.hopeless)
