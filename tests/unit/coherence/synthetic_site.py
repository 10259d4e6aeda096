"""Synthetic sites: complete trees whose rates fall, or rise, from the root to the leaves."""

from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.coherence.schedules import VisitSchedule, joined_revisit_slots, lifo_schedule, single_visit_slots
from webkeep.coherence.strategies import VisitOrder, simulate_visits


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
        return simulate_visits(order, [0], self.rate, self.links)

    def once(self, order: VisitOrder[int]) -> VisitSchedule:
        return VisitSchedule(single_visit_slots(self.pages), tuple(self.visits(order)))

    def twice(self, order: VisitOrder[int]) -> VisitSchedule:
        return lifo_schedule(joined_revisit_slots(self.pages), self.visits(order))
