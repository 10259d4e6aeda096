"""SHARC-Revisits: two visits a page at even distance, in organ-pipe order, for low blur."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.schedules import (
    VisitSchedule,
    capture_interval,
    check_rates,
    fifo_schedule,
    order_by_rate,
    revisit_penalty,
    schedule_from_slots,
    separate_revisit_slots,
)
from webkeep.lab.coherence.schedulers.offline import organ_pipe_order


def revisits_schedule(rates: Sequence[float], delay: float = 1.0) -> VisitSchedule:
    """An organ pipe, and the same again."""
    return fifo_schedule(separate_revisit_slots(len(rates), delay), organ_pipe_order(rates))


def greedy_revisits_schedule(rates: Sequence[float], delay: float = 1.0) -> VisitSchedule:
    """Each page, hottest first, takes the free pair of slots with the least penalty.

    Somewhat less blur than `revisits_schedule` where the number of pages is even; all pairs are looked at, so it is
    for small sites.
    """
    visit_slots = separate_revisit_slots(len(rates), delay)
    seen = capture_interval(fifo_schedule(visit_slots, range(len(rates))))
    pairs = sorted(
        ((visit, revisit) for visit in range(len(rates)) for revisit in range(len(rates), 2 * len(rates))),
        key=lambda pair: (revisit_penalty(pair[0] * delay, pair[1] * delay, seen), pair),
    )
    hottest_first = iter(order_by_rate(check_rates(rates))[::-1])
    slots = [(0, 0)] * len(rates)
    taken: set[int] = set()
    for pair in pairs:
        if taken.isdisjoint(pair):
            taken.update(pair)
            slots[next(hottest_first)] = pair
    return schedule_from_slots(visit_slots, slots)
