"""Coherence to expect: how many pages will not change between visit and revisit, and how a change rate and a
probability of change are turned into each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, expm1, log1p

from webkeep.coherence.schedules.rate_order import check_rates
from webkeep.coherence.schedules.schedule import VisitSchedule
from webkeep.errors import UsageError


def unchanged_probability(rate: float, length: float) -> float:
    """The probability that a page does not change for so long."""
    return exp(-rate * length)


def change_probability(rate: float, length: float) -> float:
    """The probability that a page changes at least once."""
    return -expm1(-rate * length)


def probability_from_rate(rate: float) -> float:
    """The probability of a change within one unit of time."""
    return change_probability(rate, 1.0)


def rate_from_probability(chance: float) -> float:
    """The rate of a page that changes with this probability within one unit of time."""
    if not 0 <= chance < 1:
        raise UsageError(f"a chance of change of {chance} has no rate; give one from 0 up to, not including, 1")
    return -log1p(-chance)


def expected_coherence(
    rates: Sequence[float], lengths: Sequence[float], weights: Sequence[float] | None = None
) -> float:
    """How many pages (or how much weight) will be the same at visit and revisit."""
    clean = check_rates(rates)
    if weights is None:
        return sum(exp(-rate * length) for rate, length in zip(clean, lengths, strict=True))
    return sum(weight * exp(-rate * length) for weight, rate, length in zip(weights, clean, lengths, strict=True))


def expected_incoherence(rates: Sequence[float], schedule: VisitSchedule) -> float:
    """How many pages will not be the same at visit and revisit."""
    return sum(
        change_probability(rate, length) for rate, length in zip(check_rates(rates), schedule.lengths(), strict=True)
    )


def incoherence_variance(rates: Sequence[float], schedule: VisitSchedule) -> float:
    """How far incoherence scatters around what is expected: its variance."""
    chances = (
        change_probability(rate, length) for rate, length in zip(check_rates(rates), schedule.lengths(), strict=True)
    )
    return sum(chance * (1 - chance) for chance in chances)


def incoherent_pages(histories: Sequence[Iterable[float]], schedule: VisitSchedule) -> list[int]:
    """The pages that changed after their visit, up to their revisit."""
    return [
        page
        for page, (changes, (visit, revisit)) in enumerate(zip(histories, schedule.times(), strict=True))
        if any(visit < change <= revisit for change in changes)
    ]
