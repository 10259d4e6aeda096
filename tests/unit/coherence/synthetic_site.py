"""Synthetic sites: complete trees whose rates fall, or rise, from the root to the leaves."""

from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.coherence import Schedule, VisitOrder, joined, pyramid, single, walk


@dataclass(frozen=True)
class TreeSite:
    """Pages numbered level by level; `hot` leaves change most, others least."""

    pages: int
    outdegree: int
    skew: float
    hot: bool = False
    slow: float = 1.0

    def rate(self, page: int) -> float:
        rank = self.pages - page if self.hot else page + 1
        return self.slow / rank**self.skew

    @property
    def rates(self) -> list[float]:
        return [self.rate(page) for page in range(self.pages)]

    def links(self, page: int) -> Iterable[int]:
        first = page * self.outdegree + 1
        return range(min(first, self.pages), min(first + self.outdegree, self.pages))

    def visits(self, order: VisitOrder[int]) -> list[int]:
        return walk(order, [0], self.rate, self.links)

    def once(self, order: VisitOrder[int]) -> Schedule:
        return Schedule(single(self.pages), tuple(self.visits(order)))

    def twice(self, order: VisitOrder[int]) -> Schedule:
        return pyramid(joined(self.pages), self.visits(order))
