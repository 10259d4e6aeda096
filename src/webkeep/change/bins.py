"""Rates in classes of equal number, as a predictor's answers; pages that never change have a class of their own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class Bins:
    """Classes of rates: where each but the first begins, and the mean rate of each."""

    edges: tuple[float, ...]
    means: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.means)

    def of(self, rate: float) -> int:
        """The class of a rate."""
        return bisect_right(self.edges, rate)


def equal_bins(rates: Sequence[float], count: int = 10) -> Bins:
    """So many classes, or fewer where rates are equal, that hold about as many pages each."""
    if not rates or count < 1:
        raise UsageError(f"{len(rates)} pages cannot be put into {count} classes; give some of each")
    moving = sorted(rate for rate in rates if rate > 0)
    still = len(rates) - len(moving)
    classes = max(count - 1, 1) if still else count
    starts = [moving[len(moving) * number // classes] for number in range(classes)] if moving else []
    first = 0 if still else 1
    edges = tuple(sorted(set(starts[first:]) - (set() if still else {moving[0]})))
    sums, counts = [0.0] * (len(edges) + 1), [0] * (len(edges) + 1)
    for rate in rates:
        place = bisect_right(edges, rate)
        sums[place] += rate
        counts[place] += 1
    return Bins(edges, tuple(total / max(number, 1) for total, number in zip(sums, counts, strict=True)))
