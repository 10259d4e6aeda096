"""The whole experiment of `webkeep lab prediction`: accuracy of every learner on every site, then the cost of every
source of rates; how large it is, and what a quick run is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from webkeep.lab.prediction.accuracy import PredictionAccuracy, measure_accuracies, measure_sitemap_accuracies
from webkeep.lab.prediction.generated_sites import SITE_MODELS, SiteModel
from webkeep.lab.prediction.rate_error_cost import UNIFORM_RATES, RateErrorCost, average_costs, measure_costs


@dataclass(frozen=True, slots=True)
class PredictionExtent:
    """How large the experiment is; the same seed gives the same figures."""

    pages: int = 1000
    folds: int = 10
    sites: int = 5
    """How many sites of each manner the costs are averaged over."""
    slow_down: float = 1.0
    seed: int = 1

    @classmethod
    def quick(cls, seed: int = 1) -> PredictionExtent:
        """Small enough to be waited for."""
        return cls(pages=300, sites=2, seed=seed)


@dataclass(frozen=True, slots=True)
class PredictionFigures:
    """All figures."""

    accuracies: tuple[PredictionAccuracy, ...]
    costs: tuple[RateErrorCost, ...]


def run_experiment(extent: PredictionExtent, status: Callable[[str], None] = lambda _: None) -> PredictionFigures:
    """Make the experiment, saying what is under way."""
    told: list[PredictionAccuracy] = []
    paid: list[RateErrorCost] = []
    for manner in SITE_MODELS:
        status(f"accuracy: {manner.name}")
        told += measure_accuracies(manner, extent.pages, extent.seed, extent.folds)
    status("accuracy: words of sitemaps")
    told += measure_sitemap_accuracies(extent.pages, extent.seed, extent.folds)
    for manner in SITE_MODELS:
        status(f"cost: {manner.name}")
        paid += _mean_costs(manner, extent)
    status("")
    return PredictionFigures(tuple(told), tuple(paid))


def _mean_costs(manner: SiteModel, extent: PredictionExtent) -> Iterator[RateErrorCost]:
    by_source: dict[str, list[RateErrorCost]] = defaultdict(list)
    for number in range(extent.sites):
        for cost in measure_costs(manner, extent.pages, extent.seed + number, extent.slow_down):
            by_source[cost.source].append(cost)
    return (average_costs(made, by_source[UNIFORM_RATES]) for made in by_source.values())
