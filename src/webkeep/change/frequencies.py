"""Sitemap words told from what else a sitemap says: for pages whose entries leave the word out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.features import Features
from webkeep.change.hint import Mean, frequency_rate
from webkeep.change.learner import Learner, Predictor, likeliest
from webkeep.errors import UsageError
from webkeep.model import ChangeFrequency

WORDS = tuple(ChangeFrequency)
"""The classes, by their numbers: those that change most first."""


@dataclass(frozen=True, slots=True)
class FrequencyPredictor:
    """A predictor of words."""

    predictor: Predictor

    def word(self, page: Features) -> ChangeFrequency:
        """The word to expect for a page."""
        return WORDS[likeliest(self.predictor.shares(page))]

    def rate(self, page: Features, delay: float) -> float:
        """The rate that the word stands for, in changes a second."""
        return frequency_rate(self.word(page), delay, Mean.GEOMETRIC)


def learn_frequencies(
    learner: Learner, pages: Sequence[Features], words: Sequence[ChangeFrequency]
) -> FrequencyPredictor:
    """A predictor that learned from entries which have the word."""
    if not words:
        raise UsageError("no entry of the sitemap says how often its page changes; there is nothing to learn")
    return FrequencyPredictor(learner.learn(pages, [WORDS.index(word) for word in words], len(WORDS)))
