"""Statistics of the recovery laboratory, held against figures that anyone can look up or reckon by hand."""

import random

import pytest

from webkeep.errors import UsageError
from webkeep.lab.recovery.report.statistics import fit_linear, wilcoxon_test


def test_signed_ranks() -> None:
    before = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
    after = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]
    told = wilcoxon_test(before, after)
    assert told.statistic == 18
    assert told.p == pytest.approx(0.5936, abs=2e-3)
    assert wilcoxon_test([1, 2], [1, 2]).p == 1


def test_signed_ranks_are_those_of_scipy() -> None:
    # scipy 1.17: wilcoxon(first, second, method="approx", correction=False)
    first = [3, 7, 1, 9, 4, 8, 2, 6, 5, 10, 12, 11, 3, 7, 9]
    second = [1, 8, 1, 5, 6, 3, 2, 2, 9, 4, 10, 12, 1, 2, 9]
    told = wilcoxon_test(first, second)
    assert (told.statistic, told.p) == pytest.approx((15.5, 0.06360450387503916), rel=1e-12)


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
