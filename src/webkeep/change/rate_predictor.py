"""Predictors of rates: classes that a learner tells apart, and the rates they stand for.

Classes are told with probabilities, and rates span powers of ten, so neither the likeliest class nor the mean rate
serves a schedule. What it needs is how likely a page is to change before it is seen again. So a page is given the one
rate at which it would change within a horizon with the chance that its classes have together, and that chance is set
right by pages that were held back from learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import expm1, log1p

from webkeep.change.bins import Bins, equal_bins
from webkeep.change.calibration import Calibration, calibrated
from webkeep.change.features import Features, PageFacts, page_features, url_features
from webkeep.change.learner import Learner, Predictor

_SUREST = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class RatePredictor:
    """A predictor of rates, in the unit of those it learned from."""

    bins: Bins
    predictor: Predictor
    horizon: float
    """For how long a page is to stay the same, in the unit of time of the rates."""
    calibration: Calibration = field(default_factory=Calibration)

    def rate(self, page: Features) -> float:
        """The rate to expect of a page."""
        return self.rate_of(self.predictor.shares(page))

    def rate_of(self, shares: Sequence[float]) -> float:
        """The rate to expect of a page that is of each class with these probabilities."""
        chance = self.calibration.true(_chance(self.bins, shares, self.horizon))
        return -log1p(-min(chance, _SUREST)) / self.horizon

    def url_rate(self, url: str) -> float:
        """The rate to expect of a page of which the URL alone is known."""
        return self.rate(url_features(url))

    def page_rate(self, url: str, media_type: str, facts: PageFacts) -> float:
        """The rate to expect of a page that was seen."""
        return self.rate(page_features(url, media_type, facts))


def learn_rates(
    learner: Learner,
    pages: Sequence[Features],
    rates: Sequence[float],
    count: int = 10,
    horizon: float | None = None,
) -> RatePredictor:
    """A predictor that learned from pages whose rates are known.

    Without a horizon it is the usual time between two changes of the pages that change most.
    """
    bins = equal_bins(rates, count)
    hottest = max(bins.means)
    wanted = horizon or (1 / hottest if hottest else 1.0)
    classes = [bins.of(rate) for rate in rates]
    predictor = learner.learn(pages, classes, len(bins))
    told, true = _held_back(learner, pages, rates, bins, wanted)
    return RatePredictor(bins, predictor, wanted, calibrated(told, true))


def _held_back(
    learner: Learner, pages: Sequence[Features], rates: Sequence[float], bins: Bins, horizon: float
) -> tuple[list[float], list[float]]:
    """The chance of a change told by a predictor that learned from the other half of the pages, and the true one."""
    told: list[float] = []
    true: list[float] = []
    for half in range(2):
        known = range(half, len(pages), 2)
        if not known:
            continue
        predictor = learner.learn([pages[page] for page in known], [bins.of(rates[page]) for page in known], len(bins))
        for page in range(1 - half, len(pages), 2):
            told.append(_chance(bins, predictor.shares(pages[page]), horizon))
            true.append(-expm1(-rates[page] * horizon))
    return told, true


def _chance(bins: Bins, shares: Sequence[float], horizon: float) -> float:
    """How likely a page of these classes is to change within the horizon."""
    return sum(-share * expm1(-rate * horizon) for share, rate in zip(shares, bins.means, strict=True))
