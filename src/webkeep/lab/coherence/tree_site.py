"""Synthetic sites: complete trees whose change rates fall, or rise, by rank from the root to the leaves (hot or cold
leaves), with links in an order of chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.lab.coherence.poisson_process import draw_changes
from webkeep.lab.demo.site_plan import LeafRates

OUTDEGREE = 400
"""Links a page of the published synthetic sites."""


@dataclass(frozen=True, slots=True)
class TreeSite:
    """Pages numbered level by level from the root; the hottest changes `slow` times in a delay."""

    pages: int = 10_000
    leaves: LeafRates = LeafRates.COLD
    skew: float = 1.2
    slow: float = 1.0
    """By what the delay between requests is multiplied, which is as if all rates were."""
    outdegree: int = OUTDEGREE

    def __post_init__(self) -> None:
        if self.pages < 1 or self.outdegree < 1 or self.slow <= 0:
            raise UsageError(
                f"no site has {self.pages} pages of {self.outdegree} links each, {self.slow} times as slow; "
                "give numbers above zero"
            )

    def rate(self, page: int) -> float:
        """The changes of a page in a delay."""
        rank = self.pages - page if self.leaves is LeafRates.HOT else page + 1
        return self.slow / float(rank**self.skew)

    @property
    def rates(self) -> list[float]:
        """The rates of all pages."""
        return [self.rate(page) for page in range(self.pages)]

    def links(self, page: int) -> range:
        """The pages that a page leads to, by rank."""
        first = page * self.outdegree + 1
        return range(min(first, self.pages), min(first + self.outdegree, self.pages))


class ShuffledSite:
    """A site with the links of every page in an order of chance, and with changes of chance; the same for a seed."""

    def __init__(self, site: TreeSite, seed: int) -> None:
        self._site, self._seed = site, seed
        self._chance = random.Random(seed)
        self._known: dict[int, list[int]] = {}
        self.pages, self.rate = site.pages, site.rate

    @property
    def rates(self) -> list[float]:
        """The rates of all pages."""
        return self._site.rates

    def links(self, page: int) -> Sequence[int]:
        """The pages that a page leads to."""
        if page not in self._known:
            links = list(self._site.links(page))
            if not links:
                return links
            self._chance.shuffle(links)
            self._known[page] = links
        return self._known[page]

    def history(self, page: int) -> Iterable[float]:
        """When a page changes, counted in delays."""
        return draw_changes(self._site.rate(page), f"{self._seed}/{page}")
