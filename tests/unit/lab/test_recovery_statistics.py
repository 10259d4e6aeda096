"""Statistics of the recovery laboratory, held against figures that anyone can look up or reckon by hand."""

import random

import pytest

from webkeep.errors import UsageError
from webkeep.lab.recovery.report.statistics import (
    MeanSpread,
    chi_squared_test,
    fit_linear,
    paired_t_test,
    pearson_correlation,
    wilcoxon_test,
)


def test_spread() -> None:
    told = MeanSpread.from_values([3, 1, 4, 1, 5])
    assert (told.mean, told.median, told.least, told.most) == (2.8, 3, 1, 5)
    assert told.deviation == pytest.approx(1.78885, abs=1e-5)
    assert MeanSpread.from_values([7]).deviation == 0
    with pytest.raises(UsageError, match="no mean"):
        MeanSpread.from_values([])


def test_correlation() -> None:
    assert pearson_correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert pearson_correlation([1, 2, 3], [5, 5, 5]) == 0
    assert pearson_correlation([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("t", "freedom", "p"), [(2.262, 9, 0.05), (3.250, 9, 0.01), (12.706, 1, 0.05), (1.372, 10, 0.2)]
)
def test_t_has_the_quantiles_of_the_tables(t: float, freedom: int, p: float) -> None:
    # Differences of this form have the mean t / sqrt(n) and the deviation one.
    count = freedom + 1
    raw = list(range(count))
    spread = MeanSpread.from_values([float(each) for each in raw])
    pairs = [(each - spread.mean) / spread.deviation + t / count**0.5 for each in raw]
    told = paired_t_test(pairs, [0.0] * count)
    assert told.statistic == pytest.approx(t)
    assert told.p == pytest.approx(p, rel=2e-3)


def test_t_of_pairs_without_scatter() -> None:
    assert paired_t_test([1, 2], [1, 2]).p == 1
    assert paired_t_test([2, 3], [1, 2]).p == 0
    with pytest.raises(UsageError, match="two pairs"):
        paired_t_test([1], [2])


def test_signed_ranks() -> None:
    before = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
    after = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]
    told = wilcoxon_test(before, after)
    assert told.statistic == 18
    assert told.p == pytest.approx(0.5936, abs=2e-3)
    assert wilcoxon_test([1, 2], [1, 2]).p == 1


@pytest.mark.parametrize(
    ("table", "statistic", "p"),
    [([[10, 20], [20, 10]], 6.6667, 0.00982), ([[12, 5, 7], [9, 8, 6]], 1.1771, 0.5551)],
    ids=["two by two", "two by three"],
)
def test_chi_squared(table: list[list[float]], statistic: float, p: float) -> None:
    told = chi_squared_test(table)
    assert told.statistic == pytest.approx(statistic, abs=2e-3)
    assert told.p == pytest.approx(p, abs=2e-4)


def test_chi_squared_of_nothing() -> None:
    with pytest.raises(UsageError, match="says nothing"):
        chi_squared_test([[0, 0], [1, 2]])
    assert chi_squared_test([[5, 5], [5, 5]]).p == 1


def test_a_regression_finds_the_weights_it_was_made_with() -> None:
    chance = random.Random(1)
    rows = [[chance.random() * 1e6, chance.random(), chance.gauss(0, 1)] for _ in range(200)]
    told = [3 + 2e-6 * a - 5 * b + 0.25 * c for a, b, c in rows]
    fit = fit_linear(rows, told)
    assert [fit.intercept, *fit.weights] == pytest.approx([3, 2e-6, -5, 0.25])
    assert fit.r_squared == pytest.approx(1)
    noisy = fit_linear(rows, [value + chance.gauss(0, 10) for value in told])
    assert noisy.r_squared < 0.2


def test_regressions_that_have_no_answer_are_refused() -> None:
    with pytest.raises(UsageError, match="does not vary"):
        fit_linear([[1, 2], [1, 3]], [1, 2])
    with pytest.raises(UsageError, match="combinations"):
        fit_linear([[1, 2], [2, 4], [3, 6]], [1, 2, 4])
