"""How large a share can be of which a sample shows little or nothing: the upper bound by Clopper and Pearson."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

_CONFIDENCE = 0.95
"""How sure the bound is where nobody says otherwise, as is usual: wrong one time in twenty."""
_BISECTION_STEPS = 60
"""Halvings after which the bound is as exact as a float."""


def upper_bound_of_share(hits: int, tries: int, confidence: float = _CONFIDENCE) -> float:
    """The largest share that a sample with so many hits leaves possible (Clopper and Pearson); one without a sample.

    Without hits that is about three by the number of tries.
    """
    if hits >= tries:
        return 1.0
    low, high = hits / tries, 1.0
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        if _probability_of_at_most(hits, tries, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _probability_of_at_most(hits: int, tries: int, share: float) -> float:
    """The probability of so many hits or fewer."""
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 else 0.0
    whole = lgamma(tries + 1)
    return sum(
        exp(whole - lgamma(k + 1) - lgamma(tries - k + 1) + k * log(share) + (tries - k) * log1p(-share))
        for k in range(hits + 1)
    )
