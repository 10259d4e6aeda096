"""How good predictors are: by pages they have not seen, beside the answer that needs no predictor; how pages are split
into folds, and how accuracy, rank correlation and calibration are reckoned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import expm1
from typing import TypeVar

from webkeep.change.prediction import Features, Learner, learn_rates, likeliest_class
from webkeep.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How well classes of unseen pages were told."""

    accuracy: float
    majority: float
    """The accuracy of always giving the commonest class."""
    bin_error: float
    """By how many classes answers are off, on average."""


@dataclass(frozen=True, slots=True)
class RateScore(ClassScore):
    """How well classes and rates of unseen pages were told."""

    rank_correlation: float
    """Spearman's, between rates told and true; one where their order is the same."""
    calibration: float
    """Pages told to change within the horizon by those that do; one where the absolute scale is right."""


def cross_validate(
    learner: Learner, pages: Sequence[Features], rates: Sequence[float], folds: int = 10, horizon: float | None = None
) -> RateScore:
    """Every page is told by a predictor that learned from the other folds; page `i` is in fold `i` modulo `folds`."""
    told = [0.0] * len(pages)
    tally, expected, true = _ClassTally(), 0.0, 0.0
    for known, unseen in _split_folds(len(pages), folds):
        learned = learn_rates(learner, _pick(pages, known), _pick(rates, known), horizon=horizon)
        usual = _commonest_class(learned.bins.bin_of(rate) for rate in _pick(rates, known))
        for page in unseen:
            shares = learned.predictor.class_probabilities(pages[page])
            told[page] = learned.rate_from_probabilities(shares)
            expected -= expm1(-told[page] * learned.horizon)
            true -= expm1(-rates[page] * learned.horizon)
            tally.add(likeliest_class(shares), usual, learned.bins.bin_of(rates[page]))
    classes = tally.score()
    calibration = expected / true if true else 1.0
    return RateScore(classes.accuracy, classes.majority, classes.bin_error, rank_correlation(told, rates), calibration)


def cross_validate_classes(
    learner: Learner, pages: Sequence[Features], classes: Sequence[int], count: int, folds: int = 10
) -> ClassScore:
    """The same for classes that are given, as the words of sitemaps are."""
    tally = _ClassTally()
    for known, unseen in _split_folds(len(pages), folds):
        taught = _pick(classes, known)
        learned, usual = learner.learn(_pick(pages, known), taught, count), _commonest_class(taught)
        for page in unseen:
            tally.add(likeliest_class(learned.class_probabilities(pages[page])), usual, classes[page])
    return tally.score()


@dataclass(slots=True)
class _ClassTally:
    total: int = 0
    right: int = 0
    common: int = 0
    off: int = 0

    def add(self, told: int, usual: int, true: int) -> None:
        self.total += 1
        self.right += told == true
        self.common += usual == true
        self.off += abs(told - true)

    def score(self) -> ClassScore:
        return ClassScore(self.right / self.total, self.common / self.total, self.off / self.total)


def _split_folds(pages: int, folds: int) -> Iterator[tuple[list[int], range]]:
    """For each fold the pages outside it and those in it."""
    if not 2 <= folds <= pages:
        raise UsageError(f"{pages} pages do not make {folds} folds; give two or more, each with a page")
    for fold in range(folds):
        yield [page for page in range(pages) if page % folds != fold], range(fold, pages, folds)


def _pick(values: Sequence[T], places: Iterable[int]) -> list[T]:
    return [values[place] for place in places]


def _commonest_class(classes: Iterable[int]) -> int:
    return Counter(classes).most_common(1)[0][0]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """How far two lists have the same order, from minus one to one; zero where one of them has none."""
    one, other = _rank_values(first), _rank_values(second)
    middle = (len(one) - 1) / 2
    shared = sum((left - middle) * (right - middle) for left, right in zip(one, other, strict=True))
    spread = sum((left - middle) ** 2 for left in one) * sum((right - middle) ** 2 for right in other)
    return shared / spread**0.5 if spread else 0.0


def _rank_values(values: Sequence[float]) -> list[float]:
    """The places of values in order; equal ones share theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] != values[order[start]]:
            for place in order[start:end]:
                ranks[place] = (start + end - 1) / 2
            start = end
    return ranks
