"""SHARC-Offline: one visit a page, the pages that change most in the middle, for the least blur there can be."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.blur import Interval, penalty
from webkeep.coherence.geometry import single
from webkeep.coherence.rates import checked, coldest_first
from webkeep.coherence.schedule import Schedule


def organ_pipe(rates: Sequence[float]) -> list[int]:
    """The pages with rates that rise towards the middle and fall again."""
    ascending = coldest_first(checked(rates))
    return ascending[::2] + ascending[1::2][::-1]


def offline(rates: Sequence[float], delay: float = 1.0) -> Schedule:
    """The order of single visits with the least blur within the capture's own time."""
    return Schedule(single(len(rates), delay), tuple(organ_pipe(rates)))


def best_times(rates: Sequence[float], times: Sequence[float], seen: Interval) -> list[float]:
    """For each page the one of the given times that makes blur least over any interval.

    Where pages differ in weight, rates times weights are what counts.
    """
    worst_first = sorted(times, key=lambda time: (-penalty(time, seen), time))
    chosen = [0.0] * len(rates)
    for page, time in zip(coldest_first(checked(rates)), worst_first, strict=True):
        chosen[page] = time
    return chosen


def best_start(rates: Sequence[float], schedule: Schedule, seen: Interval) -> float:
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


def worst_misplacement(rates: Sequence[float], misplaced: int, delay: float = 1.0) -> Schedule:
    """The organ pipe with an even number of its hottest pages outermost: the worst that an online order does."""
    ascending = coldest_first(checked(rates))
    stray = ascending[len(ascending) - misplaced :][::-1]
    inner = [ascending[place] for place in organ_pipe(range(len(ascending) - misplaced))]
    return Schedule(single(len(rates), delay), (*stray[::2], *inner, *stray[1::2][::-1]))
