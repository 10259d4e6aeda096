"""Two schedulers that take a risk as their parameter, over chances of change instead of rates: for measurable coherence
which pages are passed over, for inducible coherence a threshold schedule.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.schedules import (
    VisitSchedule,
    joined_revisit_slots,
    order_by_rate,
    rate_from_probability,
    single_visit_slots,
    threshold_schedule,
)
from webkeep.errors import UsageError


def bernoulli_change_probability(chance: float, units: float) -> float:
    """The probability that a page changes within so many units of time, by its chance in each."""
    return 1 - float((1 - chance) ** units)


def measurable_schedule(chances: Sequence[float], risk: float) -> VisitSchedule:
    """Single visits such that many pages have not changed since the start.

    Each page, hottest first, is next unless the risk is too great; those passed over follow, hottest last.
    """
    _check_risk(risk)
    on_time: list[int] = []
    skipped: list[int] = []
    for page in reversed(order_by_rate(chances)):
        if bernoulli_change_probability(chances[page], len(on_time)) < risk:
            on_time.append(page)
        else:
            skipped.append(page)
    return VisitSchedule(single_visit_slots(len(chances)), (*on_time, *reversed(skipped)), hopeless=frozenset(skipped))


def inducible_schedule(chances: Sequence[float], risk: float) -> VisitSchedule:
    """Visits and revisits such that many pages are the same at both; a threshold schedule by other words."""
    _check_risk(risk)
    rates = [rate_from_probability(chance) if chance < 1 else float("inf") for chance in chances]
    return threshold_schedule(rates, 1 - risk, joined_revisit_slots(len(chances)))


def _check_risk(risk: float) -> None:
    if not 0 <= risk <= 1:
        raise UsageError(f"{risk} is no probability; give a risk from 0 to 1")
