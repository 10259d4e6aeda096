"""Two schedulers that take a risk as their parameter, over chances of change instead of rates."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.expectation import rate_of
from webkeep.coherence.geometry import joined, single
from webkeep.coherence.rates import coldest_first
from webkeep.coherence.schedule import Schedule
from webkeep.coherence.threshold import threshold
from webkeep.errors import UsageError


def bernoulli_conflict(chance: float, units: float) -> float:
    """The probability that a page changes within so many units of time, by its chance in each."""
    return 1 - float((1 - chance) ** units)


def measurable_schedule(chances: Sequence[float], risk: float) -> Schedule:
    """Single visits such that many pages have not changed since the start.

    Each page, hottest first, is next unless the risk is too great; those passed over follow, hottest last.
    """
    _check(risk)
    on_time: list[int] = []
    skipped: list[int] = []
    for page in reversed(coldest_first(chances)):
        if bernoulli_conflict(chances[page], len(on_time)) < risk:
            on_time.append(page)
        else:
            skipped.append(page)
    return Schedule(single(len(chances)), (*on_time, *reversed(skipped)), hopeless=frozenset(skipped))


def inducible_schedule(chances: Sequence[float], risk: float) -> Schedule:
    """Visits and revisits such that many pages are the same at both; a threshold schedule by other words."""
    _check(risk)
    rates = [rate_of(chance) if chance < 1 else float("inf") for chance in chances]
    return threshold(rates, 1 - risk, joined(len(chances)))


def _check(risk: float) -> None:
    if not 0 <= risk <= 1:
        raise UsageError(f"{risk} is no probability; give a risk from 0 to 1")
