"""Numbers as curves: how they are distributed (CDF), and which share of their sum they add up to."""

from __future__ import annotations

from collections.abc import Sequence


def cumulative_distribution(numbers: Sequence[float]) -> list[tuple[float, float]]:
    """Which share of the numbers is no larger than each of them (a cumulative distribution)."""
    ordered = sorted(numbers)
    return [(number, (place + 1) / len(ordered)) for place, number in enumerate(ordered)]


def cumulative_sums(numbers: Sequence[float]) -> list[tuple[float, float]]:
    """Which share of the sum the first so many numbers make."""
    whole = sum(numbers) or 1.0
    points, held = [(0.0, 0.0)], 0.0
    for place, number in enumerate(numbers, 1):
        held += number
        points.append((place / len(numbers), held / whole))
    return points
