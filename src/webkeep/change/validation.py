"""How good predictors are: by pages they have not seen, beside the answer that needs no predictor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from webkeep.change.bins import Bins, equal_bins
from webkeep.change.features import Features
from webkeep.change.learner import Learner, Predictor, likeliest
from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class RatePredictor:
    """A predictor of rates: classes with the rates they stand for."""

    bins: Bins
    predictor: Predictor

    def rate(self, page: Features) -> float:
        """The rate to expect of a page."""
        return self.bins.rate(self.predictor.shares(page))


def learn_rates(learner: Learner, pages: Sequence[Features], rates: Sequence[float], count: int = 10) -> RatePredictor:
    """A predictor that learned from pages whose rates are known, with its scale set right by halves of them."""
    bins = equal_bins(rates, count)
    classes = [bins.of(rate) for rate in rates]
    predictor = learner.learn(pages, classes, len(bins))
    return RatePredictor(_calibrated(learner, pages, rates, bins), predictor)


def _calibrated(learner: Learner, pages: Sequence[Features], rates: Sequence[float], bins: Bins) -> Bins:
    """Classes stand for the mean rate of pages told to be of them by a predictor that has not seen those pages."""
    sums, counts = list(bins.means), [1] * len(bins)
    for half in range(2):
        known = range(half, len(pages), 2)
        if not known:
            continue
        predictor = learner.learn([pages[page] for page in known], [bins.of(rates[page]) for page in known], len(bins))
        for page in range(1 - half, len(pages), 2):
            told = bins.middle(predictor.shares(pages[page]))
            sums[told] += rates[page]
            counts[told] += 1
    means = [total / number for total, number in zip(sums, counts, strict=True)]
    return Bins(bins.edges, tuple(accumulate(means, max)))


@dataclass(frozen=True, slots=True)
class Score:
    """How well classes and rates of unseen pages were told."""

    accuracy: float
    majority: float
    """The accuracy of always giving the commonest class."""
    bin_error: float
    """By how many classes answers are off, on average."""
    rank_correlation: float
    """Spearman's, between rates told and true; one where their order is the same."""
    calibration: float
    """All changes told by all changes true; one where the absolute scale is right."""


def cross_validate(
    learner: Learner, pages: Sequence[Features], rates: Sequence[float], folds: int = 10, count: int = 10
) -> Score:
    """Every page is told by a predictor that learned from the other folds; page `i` is in fold `i` modulo `folds`."""
    if not 2 <= folds <= len(pages):
        raise UsageError(f"{len(pages)} pages do not make {folds} folds; give two or more, each with a page")
    told = [0.0] * len(pages)
    right = common = off = 0
    for fold in range(folds):
        known = [page for page in range(len(pages)) if page % folds != fold]
        learned = learn_rates(learner, [pages[page] for page in known], [rates[page] for page in known], count)
        usual = Counter(learned.bins.of(rates[page]) for page in known).most_common(1)[0][0]
        for page in range(fold, len(pages), folds):
            shares, true = learned.predictor.shares(pages[page]), learned.bins.of(rates[page])
            told[page] = learned.bins.rate(shares)
            right += likeliest(shares) == true
            common += usual == true
            off += abs(likeliest(shares) - true)
    total, scale = len(pages), sum(rates)
    calibration = sum(told) / scale if scale else 1.0
    return Score(right / total, common / total, off / total, rank_correlation(told, rates), calibration)


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """How far two lists have the same order, from minus one to one; zero where one of them has none."""
    one, other = _ranks(first), _ranks(second)
    middle = (len(one) - 1) / 2
    shared = sum((left - middle) * (right - middle) for left, right in zip(one, other, strict=True))
    spread = sum((left - middle) ** 2 for left in one) * sum((right - middle) ** 2 for right in other)
    return shared / spread**0.5 if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
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
