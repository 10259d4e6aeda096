"""How often a page changes, by looks at it that each say only whether it changed since the one before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log

from webkeep.errors import UsageError

SHORTEST = 1e-9
"""Looks closer than this say nothing."""


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
    _check(looks, changed, interval)
    return changed / (looks * interval)


def likeliest_rate(looks: int, changed: int, interval: float) -> float:
    """The likeliest rate after looks at even intervals; infinite where all of them saw a change."""
    _check(looks, changed, interval)
    return inf if changed == looks else -log((looks - changed) / looks) / interval


def corrected_rate(looks: int, changed: int, interval: float) -> float:
    """The likeliest rate with its bias taken out, and finite whatever was seen."""
    _check(looks, changed, interval)
    rate = -log((looks - changed + 0.5) / (looks + 0.5)) / interval
    return rate + 0.0  # nothing seen is zero, not minus zero


def irregular_rate(polls: Iterable[Poll]) -> float:
    """The likeliest rate after looks at any intervals; infinite where all of them saw a change."""
    seen = [poll for poll in polls if poll.length > SHORTEST]
    changed = [poll.length for poll in seen if poll.changed]
    calm = sum(poll.length for poll in seen if not poll.changed)
    if not changed:
        return 0.0
    return inf if calm == 0 else _root(changed, calm)


def _root(changed: Sequence[float], calm: float) -> float:
    """Where the pull of the changes equals that of the calm, which each halving closes in upon."""
    low, high = 0.0, 1 / max(changed)
    while _pull(changed, high) > calm:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _pull(changed, middle) > calm:
            low = middle
        else:
            high = middle
    return middle


def _pull(changed: Sequence[float], rate: float) -> float:
    # Written with negative exponents so that long intervals at high rates give nought and no overflow.
    return sum(length * exp(-rate * length) / -expm1(-rate * length) for length in changed)


def polled_rate(polls: Sequence[Poll]) -> float:
    """A finite rate from any looks: corrected where intervals are even, likeliest where they are not."""
    seen = [poll for poll in polls if poll.length > SHORTEST]
    if not seen:
        return 0.0
    lengths = [poll.length for poll in seen]
    changed = sum(poll.changed for poll in seen)
    if changed == len(seen) or max(lengths) - min(lengths) <= 1e-3 * max(lengths):
        return corrected_rate(len(seen), changed, sum(lengths) / len(lengths))
    return irregular_rate(seen)


def _check(looks: int, changed: int, interval: float) -> None:
    if not 0 <= changed <= looks or looks == 0 or not 0 < interval < inf:
        raise UsageError(f"{changed} changes in {looks} looks {interval} apart give no rate; look at least once")
