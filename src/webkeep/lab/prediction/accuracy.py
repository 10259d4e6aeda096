"""How well predictors tell classes and rates of pages they have not seen, by ten-fold cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from webkeep.change import (
    ClassScore,
    DecisionTree,
    Features,
    Forest,
    Kin,
    Learner,
    Majority,
    NaiveBayes,
    Score,
    cross_validate,
    cross_validate_classes,
)
from webkeep.lab.prediction.archived import after_features, taught
from webkeep.lab.prediction.news import worded_entries
from webkeep.lab.prediction.sites import Manner, generated
from webkeep.model import ChangeFrequency

LEARNERS: Mapping[str, Learner] = {
    "majority": Majority(),
    "naive Bayes": NaiveBayes(),
    "decision tree": DecisionTree(),
    "forest": Forest(trees=10),
    "kin": Kin(),
}
BEFORE, AFTER, SITEMAP = "before", "after", "sitemap"
"""What is known of a page: its URL and kind; the page too; its entry in a sitemap."""
_WORDS = tuple(ChangeFrequency)

PUBLISHED = {
    ("institute", BEFORE, "naive Bayes"): 90.857, ("institute", BEFORE, "decision tree"): 97.951,
    ("institute", AFTER, "naive Bayes"): 97.502, ("institute", AFTER, "decision tree"): 97.951,
    ("directory", BEFORE, "naive Bayes"): 27.398, ("directory", BEFORE, "decision tree"): 43.520,
    ("directory", AFTER, "naive Bayes"): 48.670, ("directory", AFTER, "decision tree"): 43.753,
    ("ministry", BEFORE, "naive Bayes"): 79.379, ("ministry", BEFORE, "decision tree"): 85.995,
    ("ministry", AFTER, "naive Bayes"): 80.794, ("ministry", AFTER, "decision tree"): 86.886,
    ("news", SITEMAP, "naive Bayes"): 98.464, ("news", SITEMAP, "decision tree"): 99.889,
}  # fmt: skip
"""Percent right on the site that each generated one is like: MPII, DMOZ, MOD, Intereconomia."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What one learner makes of one site."""

    site: str
    known: str
    learner: str
    score: ClassScore

    @property
    def published(self) -> float | None:
        """The share right that was published for a site of this kind."""
        percent = PUBLISHED.get((self.site, self.known, self.learner))
        return None if percent is None else percent / 100

    @property
    def facts(self) -> dict[str, object]:
        """All figures by name."""
        told = self.score
        facts: dict[str, object] = {
            "site": self.site,
            "known": self.known,
            "learner": self.learner,
            "accuracy": round(told.accuracy, 4),
            "majority": round(told.majority, 4),
            "bin_error": round(told.bin_error, 3),
            "published": self.published,
        }
        if isinstance(told, Score):
            facts |= {"rank_correlation": round(told.rank_correlation, 3), "calibration": round(told.calibration, 3)}
        return facts


def accuracies(manner: Manner, pages: int, seed: int, folds: int = 10) -> Iterator[Accuracy]:
    """Every learner on a generated site, before and after its pages are seen; rates are those its archive tells."""
    site = generated(manner, pages, seed)
    known = taught(manner, site, seed)
    rates = [lesson.rate for lesson in known]
    views: dict[str, list[Features]] = {
        BEFORE: [lesson.before for lesson in known],
        AFTER: [after_features(page, lesson) for page, lesson in zip(site, known, strict=True)],
    }
    for view, features in views.items():
        for name, learner in LEARNERS.items():
            yield Accuracy(manner.name, view, name, cross_validate(learner, features, rates, folds))


def sitemap_accuracies(entries: int, seed: int, folds: int = 10) -> Iterator[Accuracy]:
    """Every learner on the words of a generated sitemap."""
    worded = worded_entries(entries, seed)
    pages, words = [entry.page for entry in worded], [_WORDS.index(entry.word) for entry in worded]
    for name, learner in LEARNERS.items():
        yield Accuracy("news", SITEMAP, name, cross_validate_classes(learner, pages, words, len(_WORDS), folds))
