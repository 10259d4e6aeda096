"""The coherence strategies of a capture by name, those of SHARC, scouting and plain baselines such as breadth-first: in
what order pages are visited, and revisited if they are.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from webkeep.coherence.schedules.threshold import choose_doubtful
from webkeep.coherence.strategies.intervals_order import IntervalsOrder
from webkeep.coherence.strategies.planned_order import PlannedOrder
from webkeep.coherence.strategies.scouting_order import ScoutingOrder
from webkeep.coherence.strategies.site_size import SizeEstimate
from webkeep.coherence.strategies.visit_orders import (
    BreadthFirstOrder,
    DepthFirstOrder,
    HottestFirstOrder,
    HottestLastOrder,
    OrganPipeOrder,
    VisitOrder,
    fifo_revisits,
    lifo_revisits,
)
from webkeep.errors import UsageError

Page = TypeVar("Page")


class RevisitOrder(enum.Enum):
    """In what order pages are revisited."""

    NONE = "not at all"
    FIFO = "as they were visited"
    LIFO = "against the order of the visits"


@dataclass(frozen=True, slots=True)
class CaptureStrategy:
    """A way to capture a site, for crawls and simulations alike."""

    name: str
    meaning: str
    start_order: Callable[[SizeEstimate, float], VisitOrder[Any]]
    """The order of visits for a site of this size at this delay, in the unit of the rates."""
    revisiting: RevisitOrder = RevisitOrder.LIFO

    def order_revisits(self, order: VisitOrder[Page], visits: Sequence[Page]) -> list[Page]:
        """The revisits after these visits, which the order made."""
        if isinstance(order, IntervalsOrder):
            return order.reserved_revisits()
        match self.revisiting:
            case RevisitOrder.NONE:
                return []
            case RevisitOrder.FIFO:
                return fifo_revisits(visits)
            case RevisitOrder.LIFO:
                return lifo_revisits(visits)


THRESHOLD_PROBABILITY = 0.8
"""How sure SHARC-Threshold wants to be of a page; it serves most sites best."""


def _threshold_order(size: SizeEstimate, delay: float) -> VisitOrder[Any]:
    return PlannedOrder(size, delay, choice=partial(choose_doubtful, sureness=THRESHOLD_PROBABILITY))


_BASELINES: tuple[tuple[str, str, Callable[[], VisitOrder[Any]]], ...] = (
    ("breadth-first", "pages as they are found", BreadthFirstOrder),
    ("depth-first", "what the last page revealed first", DepthFirstOrder),
    ("hottest-first", "pages that change most first", HottestFirstOrder),
    ("hottest-last", "pages that change least first", HottestLastOrder),
)


def _baseline_order(make: Callable[[], VisitOrder[Any]], size: SizeEstimate, delay: float) -> VisitOrder[Any]:  # noqa: ARG001
    return make()


def _baseline_strategies() -> list[CaptureStrategy]:
    endings = (("", RevisitOrder.NONE), ("-fifo", RevisitOrder.FIFO), ("-lifo", RevisitOrder.LIFO))
    return [
        CaptureStrategy(
            name + ending, f"{meaning}; revisited {revisiting.value}", partial(_baseline_order, make), revisiting
        )
        for name, meaning, make in _BASELINES
        for ending, revisiting in endings
    ]


STRATEGIES: dict[str, CaptureStrategy] = {
    strategy.name: strategy
    for strategy in (
        CaptureStrategy(
            "sharc-online", "low blur with one visit", lambda size, _: OrganPipeOrder(size), RevisitOrder.NONE
        ),
        CaptureStrategy(
            "sharc-revisits", "low blur, changes detected", lambda size, _: OrganPipeOrder(size), RevisitOrder.FIFO
        ),
        CaptureStrategy("sharc-threshold", "pages sure to stay the same are favoured", _threshold_order),
        CaptureStrategy("sharc-intervals", "revisits before a change is likely", IntervalsOrder),
        CaptureStrategy("sharc-selective", "gives up pages that would spoil more than they are", PlannedOrder),
        CaptureStrategy("scouting", "sharc-selective that also looks for pages not known yet", ScoutingOrder),
        *_baseline_strategies(),
    )
}
"""The strategies that need nothing but rates and a size."""


def find_strategy(name: str) -> CaptureStrategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise UsageError(f"no strategy is called {name!r}; choose one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
