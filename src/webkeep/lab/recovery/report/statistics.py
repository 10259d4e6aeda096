"""The statistics that the experiments are judged by, in plain code: regressions and tests, no more than is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, exp, lgamma, log, sqrt
from statistics import fmean, stdev

from webkeep.errors import UsageError

_MAX_SERIES_STEPS = 300
"""Series and fractions have settled long before."""
_MIN_DENOMINATOR = 1e-300
"""Stands for zero where Lentz's method divides by it."""


@dataclass(frozen=True, slots=True)
class MeanSpread:
    """The mean of some figures, and how they scatter."""

    mean: float
    median: float
    deviation: float
    """Of the sample."""
    least: float
    most: float

    @classmethod
    def from_values(cls, values: Sequence[float]) -> MeanSpread:
        """The spread of at least one value."""
        if not values:
            raise UsageError("no values have no mean; give one or more")
        ordered = sorted(values)
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        deviation = stdev(values) if len(values) > 1 else 0.0
        return cls(fmean(values), middle, deviation, ordered[0], ordered[-1])


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """A test of significance: its statistic, and how likely such a one would come about by chance."""

    statistic: float
    p: float


def pearson_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's coefficient; zero where one of both does not vary."""
    mean_x, mean_y = fmean(first), fmean(second)
    across = sum((x - mean_x) * (y - mean_y) for x, y in zip(first, second, strict=True))
    along = sqrt(sum((x - mean_x) ** 2 for x in first) * sum((y - mean_y) ** 2 for y in second))
    return across / along if along else 0.0


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> SignificanceTest:
    """Student's test of paired figures, two-sided."""
    differences = [x - y for x, y in zip(first, second, strict=True)]
    count = len(differences)
    if count < 2:
        raise UsageError("a paired test needs two pairs or more")
    scatter = stdev(differences)
    if not scatter:
        return SignificanceTest(0.0, 1.0) if not any(differences) else SignificanceTest(float("inf"), 0.0)
    t = fmean(differences) / (scatter / sqrt(count))
    return SignificanceTest(t, _incomplete_beta((count - 1) / (count - 1 + t * t), (count - 1) / 2, 0.5))


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


def chi_squared_test(table: Sequence[Sequence[float]]) -> SignificanceTest:
    """The test of independence of a table of counts."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(rows)
    if not all(rows) or not all(columns):
        raise UsageError("a row or column without counts says nothing; leave it out")
    statistic = sum(
        (count - rows[i] * columns[j] / total) ** 2 / (rows[i] * columns[j] / total)
        for i, row in enumerate(table)
        for j, count in enumerate(row)
    )
    freedom = (len(rows) - 1) * (len(columns) - 1)
    return SignificanceTest(statistic, _upper_gamma(freedom / 2, statistic / 2))


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
        if abs(lines[pivot][i]) < 1e-12:
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


def _upper_gamma(shape: float, x: float) -> float:
    """The upper regularised incomplete gamma function: by its series below the shape, by its fraction above."""
    if x <= 0:
        return 1.0
    front = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for step in range(1, _MAX_SERIES_STEPS):
            term *= x / (shape + step)
            total += term
        return max(1 - front * total, 0.0)
    below = x + 1 - shape
    c, d = 1 / _MIN_DENOMINATOR, 1 / below
    value = d
    for step in range(1, _MAX_SERIES_STEPS):
        factor = -step * (step - shape)
        below += 2
        d = 1 / (factor * d + below or _MIN_DENOMINATOR)
        c = below + factor / c or _MIN_DENOMINATOR
        value *= d * c
    return front * value


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _MIN_DENOMINATOR)
    value = d
    for m in range(1, _MAX_SERIES_STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d or _MIN_DENOMINATOR)
            c = 1 + factor / c or _MIN_DENOMINATOR
            value *= d * c
    return front * value
