"""The slots of a capture: when pages are asked for, once or twice, a delay apart, and how long each stays under
observation between visit and revisit.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.errors import UsageError


class CrawlShape(enum.Enum):
    """How visits and revisits lie to each other."""

    SINGLE = "every page once"
    APART = "all visits, then all revisits"
    JOINED = "all visits, then all revisits; the last page visited needs none"


@dataclass(frozen=True, slots=True)
class VisitSlots:
    """The slots for so many pages, `delay` apart; the first request is at time zero."""

    shape: CrawlShape
    pages: int
    delay: float = 1.0

    def __post_init__(self) -> None:
        if self.pages < 0 or not 0 < self.delay < float("inf"):
            raise UsageError(f"no schedule has {self.pages} pages {self.delay} apart; give a delay above zero")

    @property
    def requests(self) -> int:
        """How many requests the capture makes."""
        match self.shape:
            case CrawlShape.SINGLE:
                return self.pages
            case CrawlShape.APART:
                return 2 * self.pages
            case CrawlShape.JOINED:
                return max(2 * self.pages - 1, 0)

    @property
    def duration(self) -> float:
        """The time from the first request to the last."""
        return max(self.requests - 1, 0) * self.delay

    @property
    def reference(self) -> float:
        """The moment that every page's observation holds; the middle of the capture."""
        return self.duration / 2

    @property
    def shortest_length(self) -> float:
        """The shortest length of a pyramid."""
        return self.delay if self.shape is CrawlShape.APART else 0.0

    @property
    def revisit_start(self) -> int:
        """The slot of the first revisit that is made."""
        return self.pages

    def pyramid_lengths(self) -> list[float]:
        """The lengths of a pyramid, in which the page visited last is revisited first; shortest first."""
        return [self.shortest_length + 2 * self.delay * place for place in range(self.pages)]


def single_visit_slots(pages: int, delay: float = 1.0) -> VisitSlots:
    """Every page once."""
    return VisitSlots(CrawlShape.SINGLE, pages, delay)


def separate_revisit_slots(pages: int, delay: float = 1.0) -> VisitSlots:
    """All visits, then as many revisits."""
    return VisitSlots(CrawlShape.APART, pages, delay)


def joined_revisit_slots(pages: int, delay: float = 1.0) -> VisitSlots:
    """All visits, then all revisits but that of the page visited last."""
    return VisitSlots(CrawlShape.JOINED, pages, delay)
