"""How well predictors tell classes and rates of pages they have not seen: which learners are compared, what is known of
a page, and the percentages that were published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from webkeep.change.prediction import Features, Learner, MajorityLearner, UrlTreeLearner
from webkeep.lab.prediction.cross_validation import ClassScore, RateScore, cross_validate, cross_validate_classes
from webkeep.lab.prediction.decision_tree import DecisionTreeLearner
from webkeep.lab.prediction.forest import ForestLearner
from webkeep.lab.prediction.generated_archive import features_after_fetch, read_training_pages
from webkeep.lab.prediction.generated_sites import SiteModel, draw_entries, generate_site
from webkeep.lab.prediction.naive_bayes import NaiveBayesLearner
from webkeep.model import ChangeFrequency

LEARNERS: Mapping[str, Learner] = {
    "majority": MajorityLearner(),
    "naive Bayes": NaiveBayesLearner(),
    "decision tree": DecisionTreeLearner(),
    "forest": ForestLearner(trees=10),
    "kin": UrlTreeLearner(),
}
BEFORE_FETCH, AFTER_FETCH, SITEMAP_ENTRY = "before", "after", "sitemap"
"""What is known of a page: its URL and kind; the page too; its entry in a sitemap."""
_CHANGEFREQ_CLASSES = tuple(ChangeFrequency)

PUBLISHED_ACCURACIES = {
    ("institute", BEFORE_FETCH, "naive Bayes"): 90.857, ("institute", BEFORE_FETCH, "decision tree"): 97.951,
    ("institute", AFTER_FETCH, "naive Bayes"): 97.502, ("institute", AFTER_FETCH, "decision tree"): 97.951,
    ("directory", BEFORE_FETCH, "naive Bayes"): 27.398, ("directory", BEFORE_FETCH, "decision tree"): 43.520,
    ("directory", AFTER_FETCH, "naive Bayes"): 48.670, ("directory", AFTER_FETCH, "decision tree"): 43.753,
    ("ministry", BEFORE_FETCH, "naive Bayes"): 79.379, ("ministry", BEFORE_FETCH, "decision tree"): 85.995,
    ("ministry", AFTER_FETCH, "naive Bayes"): 80.794, ("ministry", AFTER_FETCH, "decision tree"): 86.886,
    ("news", SITEMAP_ENTRY, "naive Bayes"): 98.464, ("news", SITEMAP_ENTRY, "decision tree"): 99.889,
}  # fmt: skip
"""Percent right on the site that each generated one is like: MPII, DMOZ, MOD, Intereconomia."""


@dataclass(frozen=True, slots=True)
class PredictionAccuracy:
    """What one learner makes of one site."""

    site: str
    known: str
    learner: str
    score: ClassScore

    @property
    def published(self) -> float | None:
        """The share right that was published for a site of this kind."""
        percent = PUBLISHED_ACCURACIES.get((self.site, self.known, self.learner))
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
        if isinstance(told, RateScore):
            facts |= {"rank_correlation": round(told.rank_correlation, 3), "calibration": round(told.calibration, 3)}
        return facts


def measure_accuracies(manner: SiteModel, pages: int, seed: int, folds: int = 10) -> Iterator[PredictionAccuracy]:
    """Every learner on a generated site, before and after its pages are seen; rates are those its archive tells."""
    site = generate_site(manner, pages, seed)
    known = read_training_pages(manner, site, seed)
    rates = [lesson.rate for lesson in known]
    views: dict[str, list[Features]] = {
        BEFORE_FETCH: [lesson.features_before_fetch for lesson in known],
        AFTER_FETCH: [features_after_fetch(page, lesson) for page, lesson in zip(site, known, strict=True)],
    }
    for view, features in views.items():
        for name, learner in LEARNERS.items():
            yield PredictionAccuracy(manner.name, view, name, cross_validate(learner, features, rates, folds))


def measure_sitemap_accuracies(entries: int, seed: int, folds: int = 10) -> Iterator[PredictionAccuracy]:
    """Every learner on the words of a generated sitemap."""
    worded = draw_entries(entries, seed)
    pages, words = [entry.page for entry in worded], [_CHANGEFREQ_CLASSES.index(entry.word) for entry in worded]
    for name, learner in LEARNERS.items():
        yield PredictionAccuracy(
            "news", SITEMAP_ENTRY, name, cross_validate_classes(learner, pages, words, len(_CHANGEFREQ_CLASSES), folds)
        )
