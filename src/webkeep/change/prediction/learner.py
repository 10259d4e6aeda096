"""What all predictors of change share: they learn classes from features and answer with probabilities; and the
baseline, which says of every page what most pages are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webkeep.change.prediction.features import Features


class Predictor(Protocol):
    """Something that has learned."""

    def class_probabilities(self, page: Features) -> list[float]:
        """The probability of each class."""
        ...


class Learner(Protocol):
    """A way to learn."""

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> Predictor:
        """A predictor of classes, which are numbered below `count`."""
        ...


class MajorityLearner:
    """The baseline: what most pages are, whatever the page."""

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> ConstantPredictor:  # noqa: ARG002
        """A predictor that answers with the shares among what it saw."""
        return ConstantPredictor(tuple(smooth_shares(Counter(classes), count)))


@dataclass(frozen=True, slots=True)
class ConstantPredictor:
    """A predictor with one answer."""

    answer: tuple[float, ...]

    def class_probabilities(self, page: Features) -> list[float]:  # noqa: ARG002
        """The one answer."""
        return list(self.answer)


def smooth_shares(counts: Counter[int], count: int, doubt: float = 0.0) -> list[float]:
    """Shares of classes, each seen `doubt` times more than it was."""
    total = sum(counts.values()) + doubt * count
    return [(counts[number] + doubt) / total if total else 1 / count for number in range(count)]


def likeliest_class(shares: Sequence[float]) -> int:
    """The class with the greatest probability, the first of equals."""
    return max(range(len(shares)), key=shares.__getitem__)
