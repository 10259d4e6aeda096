"""SHARC-Revisits: two visits a page at even distance, in organ-pipe order, for low blur."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.blur import own_interval, revisit_penalty
from webkeep.coherence.geometry import apart
from webkeep.coherence.rates import checked, coldest_first
from webkeep.coherence.schedule import Schedule, by_slots, equidistant
from webkeep.coherence.single_visit import organ_pipe


def revisits(rates: Sequence[float], delay: float = 1.0) -> Schedule:
    """An organ pipe, and the same again."""
    return equidistant(apart(len(rates), delay), organ_pipe(rates))


def revisits_greedy(rates: Sequence[float], delay: float = 1.0) -> Schedule:
    """Each page, hottest first, takes the free pair of slots with the least penalty.

    Somewhat less blur than `revisits` where the number of pages is even; all pairs are looked at, so it is for small
    sites.
    """
    geometry = apart(len(rates), delay)
    seen = own_interval(equidistant(geometry, range(len(rates))))
    pairs = sorted(
        ((visit, revisit) for visit in range(len(rates)) for revisit in range(len(rates), 2 * len(rates))),
        key=lambda pair: (revisit_penalty(pair[0] * delay, pair[1] * delay, seen), pair),
    )
    hottest_first = iter(coldest_first(checked(rates))[::-1])
    slots = [(0, 0)] * len(rates)
    taken: set[int] = set()
    for pair in pairs:
        if taken.isdisjoint(pair):
            taken.update(pair)
            slots[next(hottest_first)] = pair
    return by_slots(geometry, slots)
