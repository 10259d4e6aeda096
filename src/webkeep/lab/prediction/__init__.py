"""How well rates are told before pages are seen, and what it costs where they are told wrong."""

from webkeep.lab.prediction.accuracy import (
    AFTER,
    BEFORE,
    LEARNERS,
    SITEMAP,
    Accuracy,
    accuracies,
    sitemap_accuracies,
)
from webkeep.lab.prediction.cost import BLURRED, COHERENT, SOURCES, Cost, averaged, costs
from webkeep.lab.prediction.experiment import Extent, Outcome, run
from webkeep.lab.prediction.sites import MANNERS, Manner, Page, generated

__all__ = [
    "AFTER",
    "BEFORE",
    "BLURRED",
    "COHERENT",
    "LEARNERS",
    "MANNERS",
    "SITEMAP",
    "SOURCES",
    "Accuracy",
    "Cost",
    "Extent",
    "Manner",
    "Outcome",
    "Page",
    "accuracies",
    "averaged",
    "costs",
    "generated",
    "run",
    "sitemap_accuracies",
]
