"""Schedules: who is visited and revisited when, with revisits in the order of the visits (FIFO) or against it (LIFO),
and which pages are given up as hopeless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.coherence.schedules.visit_slots import CrawlShape, VisitSlots
from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class VisitSchedule:
    """Pages in the order of their visits and of their revisits, each by its number."""

    geometry: VisitSlots
    visits: tuple[int, ...]
    revisits: tuple[int, ...] = ()
    hopeless: frozenset[int] = frozenset()
    """Pages whose coherence was given up for that of others."""

    def __post_init__(self) -> None:
        if len(self.visits) != self.geometry.pages or len(self.visits) + len(self.revisits) != self.geometry.requests:
            raise UsageError(
                f"{len(self.visits)} visits and {len(self.revisits)} revisits do not fill {self.geometry}; "
                "give every page its slots"
            )

    @property
    def apex(self) -> int | None:
        """The page whose one request is visit and revisit; None where there is none."""
        return self.visits[-1] if self.visits and self.geometry.shape is CrawlShape.JOINED else None

    def slots(self) -> list[tuple[int, int]]:
        """The slots of visit and revisit by page; one slot twice where there is no revisit."""
        slots = [(0, 0)] * len(self.visits)
        for slot, page in enumerate(self.visits):
            slots[page] = (slot, slot)
        for slot, page in enumerate(self.revisits, self.geometry.revisit_start):
            slots[page] = (slots[page][0], slot)
        return slots

    def times(self) -> list[tuple[float, float]]:
        """The times of visit and revisit by page."""
        delay = self.geometry.delay
        return [(visit * delay, revisit * delay) for visit, revisit in self.slots()]

    def lengths(self) -> list[float]:
        """The time from visit to revisit by page."""
        delay = self.geometry.delay
        return [(revisit - visit) * delay for visit, revisit in self.slots()]


def lifo_schedule(slots: VisitSlots, visits: Iterable[int], hopeless: Iterable[int] = ()) -> VisitSchedule:
    """Revisits against the order of the visits (LIFO)."""
    order = tuple(visits)
    revisits = order[::-1] if slots.shape is CrawlShape.APART else order[-2::-1] if len(order) > 1 else ()
    return VisitSchedule(slots, order, revisits, frozenset(hopeless))


def fifo_schedule(slots: VisitSlots, visits: Iterable[int]) -> VisitSchedule:
    """Revisits in the order of the visits (FIFO)."""
    order = tuple(visits)
    return VisitSchedule(slots, order, order if slots.shape is CrawlShape.APART else order[:-1])


def schedule_from_slots(
    visit_slots: VisitSlots, slots: Sequence[tuple[int, int]], hopeless: Iterable[int] = ()
) -> VisitSchedule:
    """The schedule that gives each page these slots of visit and revisit."""
    pages = range(len(slots))
    visits = sorted(pages, key=lambda page: slots[page][0])
    revisits = sorted((page for page in pages if slots[page][1] > slots[page][0]), key=lambda page: slots[page][1])
    schedule = VisitSchedule(visit_slots, tuple(visits), tuple(revisits), frozenset(hopeless))
    if schedule.slots() != list(slots):
        raise UsageError(f"the slots given do not fill {visit_slots}; use each slot once")
    return schedule
