"""Predictors of change rates: classes of about equally many pages that a learner tells apart, the rates they stand for,
and the calibration of their chances by pages held back (isotonic).

Classes are told with probabilities, and rates span powers of ten, so neither the likeliest class nor the mean rate
serves a schedule. What it needs is how likely a page is to change before it is seen again. So a page is given the one
rate at which it would change within a horizon with the chance that its classes have together, and that chance is set
right by pages that were held back from learning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import expm1, log1p

from webkeep.change.prediction.features import Features, PageFacts, page_features, url_features
from webkeep.change.prediction.learner import Learner, Predictor
from webkeep.errors import UsageError

# Rates in classes of equal number, as a predictor's answers; pages that never change have a class of their own.


@dataclass(frozen=True, slots=True)
class RateBins:
    """Classes of rates: where each but the first begins, and the mean rate of each."""

    edges: tuple[float, ...]
    means: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.means)

    def bin_of(self, rate: float) -> int:
        """The class of a rate."""
        return bisect_right(self.edges, rate)


def build_equal_bins(rates: Sequence[float], count: int = 10) -> RateBins:
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
    return RateBins(edges, tuple(total / max(number, 1) for total, number in zip(sums, counts, strict=True)))


# Chances set right: what was told of pages that a learner had not seen, against what was true of them.

_CALIBRATION_GROUPS = 10
"""Groups of pages by the chance told of them, before those that do not rise are joined."""
_CALIBRATION_PRIOR_PAGES = 0.5
"""As many pages of the usual kind are added to each group, so that few pages are not taken for certainty."""


@dataclass(frozen=True, slots=True)
class ProbabilityCalibration:
    """Points of chances told and true, both rising; between them, and to nought and beyond, lines are straight."""

    points: tuple[tuple[float, float], ...] = ()

    def calibrate(self, told: float) -> float:
        """The chance that a chance told stands for."""
        if not self.points:
            return told
        place = bisect_right(self.points, (told, 2.0))
        if place in (0, len(self.points)):
            known, true = self.points[min(place, len(self.points) - 1)]
            return min(told * true / known, 1.0) if known > 0 else true
        (left, low), (right, high) = self.points[place - 1], self.points[place]
        return low + (high - low) * (told - left) / (right - left)


def fit_calibration(told: Sequence[float], true: Sequence[float]) -> ProbabilityCalibration:
    """The calibration by pages of which both are known: groups of them in order, joined until they rise."""
    if not told:
        return ProbabilityCalibration()
    usual = sum(true) / len(true)
    rising: list[_CalibrationGroup] = []
    for group in _group_by_prediction(told, true, usual):
        rising.append(group)
        while len(rising) > 1 and rising[-1].mean <= rising[-2].mean:
            last = rising.pop()
            rising[-1] = rising[-1].merge(last)
    return ProbabilityCalibration(tuple((group.told / group.pages, group.mean) for group in rising))


@dataclass(frozen=True, slots=True)
class _CalibrationGroup:
    pages: float
    told: float
    true: float

    @property
    def mean(self) -> float:
        return self.true / self.pages

    def merge(self, other: _CalibrationGroup) -> _CalibrationGroup:
        return _CalibrationGroup(self.pages + other.pages, self.told + other.told, self.true + other.true)


def _group_by_prediction(told: Sequence[float], true: Sequence[float], usual: float) -> list[_CalibrationGroup]:
    """Groups of about the same size by rising chance told; what was told alike stays together."""
    order = sorted(range(len(told)), key=told.__getitem__)
    size = max(len(order) // _CALIBRATION_GROUPS, 1)
    groups, start = [], 0
    while start < len(order):
        end = min(start + size, len(order))
        while end < len(order) and told[order[end]] == told[order[end - 1]]:
            end += 1
        pages = order[start:end]
        said = sum(told[page] for page in pages)
        was = sum(true[page] for page in pages)
        count = len(pages)
        groups.append(
            _CalibrationGroup(
                count, said, (was + _CALIBRATION_PRIOR_PAGES * usual) * count / (count + _CALIBRATION_PRIOR_PAGES)
            )
        )
        start = end
    return groups


_MAX_CHANCE = 1 - 1e-9
"""A chance of one would be an infinite rate."""


@dataclass(frozen=True, slots=True)
class RatePredictor:
    """A predictor of rates, in the unit of those it learned from."""

    bins: RateBins
    predictor: Predictor
    horizon: float
    """For how long a page is to stay the same, in the unit of time of the rates."""
    calibration: ProbabilityCalibration = field(default_factory=ProbabilityCalibration)

    def predict_rate(self, page: Features) -> float:
        """The rate to expect of a page."""
        return self.rate_from_probabilities(self.predictor.class_probabilities(page))

    def rate_from_probabilities(self, shares: Sequence[float]) -> float:
        """The rate to expect of a page that is of each class with these probabilities."""
        chance = self.calibration.calibrate(_change_chance(self.bins, shares, self.horizon))
        return -log1p(-min(chance, _MAX_CHANCE)) / self.horizon

    def url_rate(self, url: str) -> float:
        """The rate to expect of a page of which the URL alone is known."""
        return self.predict_rate(url_features(url))

    def predict_page_rate(self, url: str, media_type: str, facts: PageFacts) -> float:
        """The rate to expect of a page that was seen."""
        return self.predict_rate(page_features(url, media_type, facts))


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
    bins = build_equal_bins(rates, count)
    hottest = max(bins.means)
    wanted = horizon or (1 / hottest if hottest else 1.0)
    classes = [bins.bin_of(rate) for rate in rates]
    predictor = learner.learn(pages, classes, len(bins))
    told, true = _predict_halves(learner, pages, rates, bins, wanted)
    return RatePredictor(bins, predictor, wanted, fit_calibration(told, true))


def _predict_halves(
    learner: Learner, pages: Sequence[Features], rates: Sequence[float], bins: RateBins, horizon: float
) -> tuple[list[float], list[float]]:
    """The chance of a change told by a predictor that learned from the other half of the pages, and the true one."""
    told: list[float] = []
    true: list[float] = []
    for half in range(2):
        known = range(half, len(pages), 2)
        if not known:
            continue
        predictor = learner.learn(
            [pages[page] for page in known], [bins.bin_of(rates[page]) for page in known], len(bins)
        )
        for page in range(1 - half, len(pages), 2):
            told.append(_change_chance(bins, predictor.class_probabilities(pages[page]), horizon))
            true.append(-expm1(-rates[page] * horizon))
    return told, true


def _change_chance(bins: RateBins, shares: Sequence[float], horizon: float) -> float:
    """How likely a page of these classes is to change within the horizon."""
    return sum(-share * expm1(-rate * horizon) for share, rate in zip(shares, bins.means, strict=True))
