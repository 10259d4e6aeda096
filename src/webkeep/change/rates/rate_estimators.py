"""How often a page changes (a Poisson rate), by looks at it that each say only whether it changed since the one before:
naive, likeliest, bias-corrected (Cho and Garcia-Molina), or in the light of a hint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt
from typing import NamedTuple

from webkeep.errors import UsageError

MIN_POLL_SECONDS = 1e-9
"""Looks closer than this say nothing."""
_MIN_HINT_CHANGES = 0.5
"""However little a hint is worth, above itself it holds a rate back by half a change."""
_MAX_LOG_RATE_DISTANCE = 100.0
"""The logarithm of a rate is looked for this far on both sides of the hint's."""
_MAX_NEWTON_STEPS = 100
"""Newton's method needs a few steps; this ends it whatever the looks are."""
_LOG_RATE_TOLERANCE = 1e-9
"""A step smaller than this, as a share of the rate, ends the search."""


@dataclass(frozen=True, slots=True)
class Poll:
    """Two looks at a page, one after the other."""

    length: float
    """The time between them."""
    changed: bool


def history_rate(changes: int, duration: float) -> float:
    """The likeliest rate where every change is known."""
    return changes / duration if duration > 0 else 0.0


def naive_rate(looks: int, changed: int, interval: float) -> float:
    """Changes seen by time; too low, because several changes between two looks are seen as one."""
    _check_polls(looks, changed, interval)
    return changed / (looks * interval)


def maximum_likelihood_rate(looks: int, changed: int, interval: float) -> float:
    """The likeliest rate after looks at even intervals; infinite where all of them saw a change."""
    _check_polls(looks, changed, interval)
    return inf if changed == looks else -log((looks - changed) / looks) / interval


def bias_corrected_rate(looks: int, changed: int, interval: float) -> float:
    """The likeliest rate with its bias taken out, and finite whatever was seen."""
    _check_polls(looks, changed, interval)
    rate = -log((looks - changed + 0.5) / (looks + 0.5)) / interval
    return rate + 0.0  # nothing seen is zero, not minus zero


def irregular_likelihood_rate(polls: Iterable[Poll]) -> float:
    """The likeliest rate after looks at any intervals; infinite where all of them saw a change."""
    seen = [poll for poll in polls if poll.length > MIN_POLL_SECONDS]
    changed = [poll.length for poll in seen if poll.changed]
    calm = sum(poll.length for poll in seen if not poll.changed)
    if not changed:
        return 0.0
    return inf if calm == 0 else _likelihood_root(changed, calm)


def _likelihood_root(changed: Sequence[float], calm: float) -> float:
    """Where the pull of the changes equals that of the calm, which each halving closes in upon."""
    low, high = 0.0, 1 / max(changed)
    while _likelihood_slope(changed, high) > calm:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _likelihood_slope(changed, middle) > calm:
            low = middle
        else:
            high = middle
    return middle


def _likelihood_slope(changed: Sequence[float], rate: float) -> float:
    # Written with negative exponents so that long intervals at high rates give nought and no overflow.
    return sum(length * exp(-rate * length) / -expm1(-rate * length) for length in changed)


def estimate_rate(polls: Sequence[Poll]) -> float:
    """A finite rate from any looks: corrected where intervals are even, likeliest where they are not."""
    seen = [poll for poll in polls if poll.length > MIN_POLL_SECONDS]
    if not seen:
        return 0.0
    lengths = [poll.length for poll in seen]
    changed = sum(poll.changed for poll in seen)
    if changed == len(seen) or max(lengths) - min(lengths) <= 1e-3 * max(lengths):
        return bias_corrected_rate(len(seen), changed, sum(lengths) / len(lengths))
    return irregular_likelihood_rate(seen)


def hinted_rate(polls: Iterable[Poll], hint: float, weight: float = 0.5) -> float:
    """The likeliest rate in the light of a hint, which calm looks must outweigh by `weight` changes that did not come.

    Without looks it is the hint. Calm looks lower it by their length, however many they are; changes raise it, though
    not beyond what a hint worth half a change at least holds likely. A hint that is off by powers of ten in either
    direction gives way after a few looks, and the rate is never zero nor infinite.
    """
    if not (0 < hint < inf and 0 < weight < inf):
        raise UsageError(f"a hint of {hint} changes with the weight {weight} is none; both must be above zero")
    seen = [poll for poll in polls if poll.length > MIN_POLL_SECONDS]
    changed = [poll.length for poll in seen if poll.changed]
    calm = sum(poll.length for poll in seen if not poll.changed)
    held = _RateHint(hint, weight)
    if not changed:
        return held.rate_after_calm(calm)
    start = (len(changed) + weight) / (calm + sum(changed) / 2 + weight / hint)
    return _balance_rate(changed, calm, held, log(start))


class _RateHint(NamedTuple):
    """What is held of a page before it is looked at.

    At rates far below the hint it pulls upwards by its weight; far above, downwards by as much, or half a change.
    """

    hint: float
    weight: float

    @property
    def skew(self) -> float:
        return self.weight / max(self.weight, _MIN_HINT_CHANGES)

    def pull(self, rate: float) -> tuple[float, float]:
        """The pull on the logarithm of a rate, and its slope."""
        times = rate / self.hint
        spread = 1 + self.skew * times
        return self.weight * (1 - times) / spread, -self.weight * times * (1 + self.skew) / spread**2

    def rate_after_calm(self, calm: float) -> float:
        """The rate of a page that has been calm for so long."""
        half = self.hint * calm + self.weight
        root = sqrt(half * half + 4 * self.hint * calm * self.skew * self.weight)
        return 2 * self.weight * self.hint / (half + root)


def _balance_rate(changed: Sequence[float], calm: float, held: _RateHint, place: float) -> float:
    """Where looks and hint pull alike, on a scale of logarithms: by Newton's method, kept between two bounds."""
    low, high = log(held.hint) - _MAX_LOG_RATE_DISTANCE, log(held.hint) + _MAX_LOG_RATE_DISTANCE
    for _ in range(_MAX_NEWTON_STEPS):
        rate = exp(place)
        excess, slope = held.pull(rate)
        excess -= rate * calm
        slope -= rate * calm
        for length in changed:
            gone = rate * length
            pull = gone * exp(-gone) / -expm1(-gone)
            excess += pull
            slope += pull * (1 - gone - pull)
        low, high = (place, high) if excess > 0 else (low, place)
        ahead = place - excess / slope if slope < 0 else low
        before, place = place, ahead if low < ahead < high else (low + high) / 2
        if abs(place - before) < _LOG_RATE_TOLERANCE:
            break
    return exp(place)


def _check_polls(looks: int, changed: int, interval: float) -> None:
    if not 0 <= changed <= looks or looks == 0 or not 0 < interval < inf:
        raise UsageError(f"{changed} changes in {looks} looks {interval} apart give no rate; look at least once")
