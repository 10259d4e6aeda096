"""SHARC-Intervals: each page is revisited before a change becomes likely, where slots allow it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log

from webkeep.coherence.free_slots import FreeSlots
from webkeep.coherence.geometry import joined
from webkeep.coherence.rates import checked
from webkeep.coherence.schedule import Schedule, by_slots
from webkeep.errors import UsageError


def confidence_interval(rate: float, sureness: float) -> float:
    """The longest time for which a page stays the same with this probability."""
    if not 0 < sureness < 1:
        raise UsageError(f"{sureness} gives no interval; give a probability between 0 and 1")
    return log(1 / sureness) / rate if rate > 0 else inf


def intervals(rates: Sequence[float], sureness: float = 0.95, delay: float = 1.0, shrunk: bool = False) -> Schedule:
    """Every page as far from the middle as its confidence interval lets it, hopeless ones where room is left."""
    limits = [confidence_interval(rate, sureness) / delay for rate in checked(rates)]
    schedule = interval_schedule(limits, delay)
    return shrink(schedule) if shrunk else schedule


def interval_schedule(limits: Sequence[float], delay: float = 1.0) -> Schedule:
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
    for page, early, late in zip(reversed(hopeless), *free.left(), strict=True):
        slots[page] = (last - early, last + late)
    return by_slots(joined(len(limits), delay), slots, hopeless)


def shrink(schedule: Schedule) -> Schedule:
    """Hopeful pages close up around the middle, in their order; no hopeful page's length grows."""
    hopeful = [page for page in schedule.visits if page not in schedule.hopeless]
    outer = [page for page in schedule.visits if page in schedule.hopeless]
    soon = [page for page in schedule.revisits if page not in schedule.hopeless]
    late = [page for page in schedule.revisits if page in schedule.hopeless]
    return Schedule(schedule.geometry, (*outer, *hopeful), (*soon, *late), schedule.hopeless)
