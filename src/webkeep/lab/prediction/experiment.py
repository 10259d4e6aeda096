"""The whole experiment: accuracy of every learner on every site, then the cost of every source of rates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from webkeep.lab.prediction.accuracy import Accuracy, accuracies, sitemap_accuracies
from webkeep.lab.prediction.cost import UNIFORM, Cost, averaged, costs
from webkeep.lab.prediction.sites import MANNERS, Manner


@dataclass(frozen=True, slots=True)
class Extent:
    """How large the experiment is; the same seed gives the same figures."""

    pages: int = 1000
    folds: int = 10
    sites: int = 5
    """How many sites of each manner the costs are averaged over."""
    slow_down: float = 1.0
    seed: int = 1

    @classmethod
    def quick(cls, seed: int = 1) -> Extent:
        """Small enough to be waited for."""
        return cls(pages=300, sites=2, seed=seed)


@dataclass(frozen=True, slots=True)
class Outcome:
    """All figures."""

    accuracies: tuple[Accuracy, ...]
    costs: tuple[Cost, ...]


def run(extent: Extent, status: Callable[[str], None] = lambda _: None) -> Outcome:
    """Make the experiment, saying what is under way."""
    told: list[Accuracy] = []
    paid: list[Cost] = []
    for manner in MANNERS:
        status(f"accuracy: {manner.name}")
        told += accuracies(manner, extent.pages, extent.seed, extent.folds)
    status("accuracy: words of sitemaps")
    told += sitemap_accuracies(extent.pages, extent.seed, extent.folds)
    for manner in MANNERS:
        status(f"cost: {manner.name}")
        paid += _mean_costs(manner, extent)
    status("")
    return Outcome(tuple(told), tuple(paid))


def _mean_costs(manner: Manner, extent: Extent) -> Iterator[Cost]:
    by_source: dict[str, list[Cost]] = defaultdict(list)
    for number in range(extent.sites):
        for cost in costs(manner, extent.pages, extent.seed + number, extent.slow_down):
            by_source[cost.source].append(cost)
    return (averaged(made, by_source[UNIFORM]) for made in by_source.values())
