"""Words of sitemaps (changefreq) told from what else a sitemap says, for pages whose entries leave the word out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.prediction import Features, Learner, Predictor, likeliest_class
from webkeep.change.rates import RateMean, frequency_rate
from webkeep.errors import UsageError
from webkeep.model import ChangeFrequency

CHANGEFREQ_CLASSES = tuple(ChangeFrequency)
"""The classes, by their numbers: those that change most first."""


@dataclass(frozen=True, slots=True)
class ChangefreqPredictor:
    """A predictor of words."""

    predictor: Predictor

    def predict_word(self, page: Features) -> ChangeFrequency:
        """The word to expect for a page."""
        return CHANGEFREQ_CLASSES[likeliest_class(self.predictor.class_probabilities(page))]

    def predict_rate(self, page: Features, delay: float) -> float:
        """The rate that the word stands for, in changes a second."""
        return frequency_rate(self.predict_word(page), delay, RateMean.GEOMETRIC)


def learn_changefreq(
    learner: Learner, pages: Sequence[Features], words: Sequence[ChangeFrequency]
) -> ChangefreqPredictor:
    """A predictor that learned from entries which have the word."""
    if not words:
        raise UsageError("no entry of the sitemap says how often its page changes; there is nothing to learn")
    return ChangefreqPredictor(
        learner.learn(pages, [CHANGEFREQ_CLASSES.index(word) for word in words], len(CHANGEFREQ_CLASSES))
    )
