"""SHARC-Offline: one visit a page, the pages that change most in the middle (the organ pipe), for the least blur there
can be; and when to begin within a given interval.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.schedules import (
    TimeInterval,
    VisitSchedule,
    check_rates,
    order_by_rate,
    single_visit_slots,
    visit_penalty,
)


def organ_pipe_order(rates: Sequence[float]) -> list[int]:
    """The pages with rates that rise towards the middle and fall again."""
    ascending = order_by_rate(check_rates(rates))
    return ascending[::2] + ascending[1::2][::-1]


def offline_schedule(rates: Sequence[float], delay: float = 1.0) -> VisitSchedule:
    """The order of single visits with the least blur within the capture's own time."""
    return VisitSchedule(single_visit_slots(len(rates), delay), tuple(organ_pipe_order(rates)))


def best_times(rates: Sequence[float], times: Sequence[float], seen: TimeInterval) -> list[float]:
    """For each page the one of the given times that makes blur least over any interval.

    Where pages differ in weight, rates times weights are what counts.
    """
    worst_first = sorted(times, key=lambda time: (-visit_penalty(time, seen), time))
    chosen = [0.0] * len(rates)
    for page, time in zip(order_by_rate(check_rates(rates)), worst_first, strict=True):
        chosen[page] = time
    return chosen


def best_start(rates: Sequence[float], schedule: VisitSchedule, seen: TimeInterval) -> float:
    """When to begin so that an order has the least blur over an interval that has room for all of it.

    The pages' centre of gravity, by their rates, meets the middle of the interval. That is never worse than centring
    the capture itself, and better where its two sides differ.
    """
    total = sum(rates)
    if total == 0:
        return seen.middle - schedule.geometry.duration / 2
    centre = sum(rate * visit for rate, (visit, _) in zip(rates, schedule.times(), strict=True)) / total
    latest = max(seen.end - schedule.geometry.duration, seen.start)
    return min(max(seen.middle - centre, seen.start), latest)


def misplaced_schedule(rates: Sequence[float], misplaced: int, delay: float = 1.0) -> VisitSchedule:
    """The organ pipe with an even number of its hottest pages outermost: the worst that an online order does."""
    ascending = order_by_rate(check_rates(rates))
    stray = ascending[len(ascending) - misplaced :][::-1]
    inner = [ascending[place] for place in organ_pipe_order(range(len(ascending) - misplaced))]
    return VisitSchedule(single_visit_slots(len(rates), delay), (*stray[::2], *inner, *stray[1::2][::-1]))
