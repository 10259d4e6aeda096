"""The two statistics that the experiments are judged by and the library does not have, in plain code: Wilcoxon's signed
ranks, and linear least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import fmean

from webkeep.errors import UsageError

_MIN_PIVOT = 1e-12
"""Of a matrix whose diagonal is one: less is rounding, a hundredfold of what doubles leave of an exact zero."""


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """A test of significance: its statistic, and how likely such a one would come about by chance."""

    statistic: float
    p: float


def wilcoxon_test(first: Sequence[float], second: Sequence[float]) -> SignificanceTest:
    """Wilcoxon's test of matched pairs, two-sided, by the normal approximation with ties considered."""
    differences = [x - y for x, y in zip(first, second, strict=True) if x != y]
    if not differences:
        return SignificanceTest(0.0, 1.0)
    ranks, ties = _rank_values([abs(each) for each in differences])
    positive = sum(rank for rank, each in zip(ranks, differences, strict=True) if each > 0)
    count = len(differences)
    mean = count * (count + 1) / 4
    variance = count * (count + 1) * (2 * count + 1) / 24 - sum(tie**3 - tie for tie in ties) / 48
    return SignificanceTest(min(positive, 2 * mean - positive), erfc(abs(positive - mean) / sqrt(2 * variance)))


def _rank_values(values: Sequence[float]) -> tuple[list[float], list[int]]:
    """The rank of each value, equal ones sharing theirs, and how many share each."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, ties, begin = [0.0] * len(values), [], 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            ranks[place] = (begin + end + 1) / 2
        ties.append(end - begin)
        begin = end
    return ranks, ties


@dataclass(frozen=True, slots=True)
class LinearFit:
    """A linear regression: where it begins, the weight of each column, and how much of the variance it explains."""

    intercept: float
    weights: tuple[float, ...]
    r_squared: float


def fit_linear(rows: Sequence[Sequence[float]], told: Sequence[float]) -> LinearFit:
    """The least squares of what was told, over columns that are not combinations of one another."""
    means = [fmean(column) for column in zip(*rows, strict=True)]
    centre = fmean(told)
    width = len(means)
    square = [[0.0] * width for _ in range(width)]
    right = [0.0] * width
    for row, value in zip(rows, told, strict=True):
        off = [x - mean for x, mean in zip(row, means, strict=True)]
        for i, x in enumerate(off):
            right[i] += x * (value - centre)
            line = square[i]
            for j in range(i, width):
                line[j] += x * off[j]
    for i in range(width):
        for j in range(i):
            square[i][j] = square[j][i]
    weights = _solve_linear(square, right)
    explained = sum(weight * part for weight, part in zip(weights, right, strict=True))
    whole = sum((value - centre) ** 2 for value in told)
    intercept = centre - sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    return LinearFit(intercept, tuple(weights), explained / whole if whole else 0.0)


def _solve_linear(square: list[list[float]], right: list[float]) -> list[float]:
    """Gauss, with pivots by size relative to the diagonal."""
    width = len(right)
    scale = [sqrt(square[i][i]) for i in range(width)]
    if not all(scale):
        raise UsageError("a column that does not vary has no weight; leave it out")
    lines = [[square[i][j] / scale[i] / scale[j] for j in range(width)] + [right[i] / scale[i]] for i in range(width)]
    for i in range(width):
        pivot = max(range(i, width), key=lambda row: abs(lines[row][i]))
        if abs(lines[pivot][i]) < _MIN_PIVOT:
            raise UsageError("columns that are combinations of one another have no weights; leave one out")
        lines[i], lines[pivot] = lines[pivot], lines[i]
        for row in range(i + 1, width):
            factor = lines[row][i] / lines[i][i]
            lines[row] = [x - factor * y for x, y in zip(lines[row], lines[i], strict=True)]
    found = [0.0] * width
    for i in reversed(range(width)):
        rest = sum(lines[i][j] * found[j] for j in range(i + 1, width))
        found[i] = (lines[i][width] - rest) / lines[i][i]
    return [value / each for value, each in zip(found, scale, strict=True)]
