"""Change rates as schedules need them: checked, none negative, none beyond the highest that formulas take, and in
ascending order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from webkeep.errors import UsageError

MAX_RATE = 1e100
"""Stands for any rate beyond it, infinity included, so that products with lengths stay numbers."""


def check_rates(rates: Sequence[float]) -> list[float]:
    """The rates, none below zero, none infinite."""
    clean = [min(rate, MAX_RATE) for rate in rates]
    for page, rate in enumerate(clean):
        if isnan(rate) or rate < 0:
            raise UsageError(f"page {page} has the change rate {rate}; rates are zero or more")
    return clean


def order_by_rate(rates: Sequence[float]) -> list[int]:
    """The pages by ascending rate; equal ones as they come."""
    return sorted(range(len(rates)), key=rates.__getitem__)
