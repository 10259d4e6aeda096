"""The strategies of a capture by name: in what order pages are visited, and revisited if they are."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from webkeep.coherence.intervals_online import IntervalsOnline
from webkeep.coherence.order import (
    BreadthFirst,
    DepthFirst,
    HottestFirst,
    HottestLast,
    OrganPipe,
    VisitOrder,
    first_in_first_out,
    last_in_first_out,
)
from webkeep.coherence.planned import PlannedOnline
from webkeep.coherence.scouting import Scouting
from webkeep.coherence.size import Size
from webkeep.coherence.threshold import doubtful
from webkeep.errors import UsageError

Page = TypeVar("Page")


class Revisiting(enum.Enum):
    """In what order pages are revisited."""

    NONE = "not at all"
    FIFO = "as they were visited"
    LIFO = "against the order of the visits"


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to capture a site, for crawls and simulations alike."""

    name: str
    meaning: str
    start: Callable[[Size, float], VisitOrder[Any]]
    """The order of visits for a site of this size at this delay, in the unit of the rates."""
    revisiting: Revisiting = Revisiting.LIFO

    def revisits(self, order: VisitOrder[Page], visits: Sequence[Page]) -> list[Page]:
        """The revisits after these visits, which the order made."""
        if isinstance(order, IntervalsOnline):
            return order.revisits()
        match self.revisiting:
            case Revisiting.NONE:
                return []
            case Revisiting.FIFO:
                return first_in_first_out(visits)
            case Revisiting.LIFO:
                return last_in_first_out(visits)


SURENESS = 0.8
"""How sure SHARC-Threshold wants to be of a page; it serves most sites best."""


def _threshold(size: Size, delay: float) -> VisitOrder[Any]:
    return PlannedOnline(size, delay, choice=partial(doubtful, sureness=SURENESS))


_BASELINES: tuple[tuple[str, str, Callable[[], VisitOrder[Any]]], ...] = (
    ("breadth-first", "pages as they are found", BreadthFirst),
    ("depth-first", "what the last page revealed first", DepthFirst),
    ("hottest-first", "pages that change most first", HottestFirst),
    ("hottest-last", "pages that change least first", HottestLast),
)


def _plain(make: Callable[[], VisitOrder[Any]], size: Size, delay: float) -> VisitOrder[Any]:  # noqa: ARG001
    return make()


def _baselines() -> list[Strategy]:
    endings = (("", Revisiting.NONE), ("-fifo", Revisiting.FIFO), ("-lifo", Revisiting.LIFO))
    return [
        Strategy(name + ending, f"{meaning}; revisited {revisiting.value}", partial(_plain, make), revisiting)
        for name, meaning, make in _BASELINES
        for ending, revisiting in endings
    ]


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("sharc-online", "low blur with one visit", lambda size, _: OrganPipe(size), Revisiting.NONE),
        Strategy("sharc-revisits", "low blur, changes detected", lambda size, _: OrganPipe(size), Revisiting.FIFO),
        Strategy("sharc-threshold", "pages sure to stay the same are favoured", _threshold),
        Strategy("sharc-intervals", "revisits before a change is likely", IntervalsOnline),
        Strategy("sharc-selective", "gives up pages that would spoil more than they are", PlannedOnline),
        Strategy("scouting", "sharc-selective that also looks for pages not known yet", Scouting),
        *_baselines(),
    )
}
"""The strategies that need nothing but rates and a size."""


def strategy_named(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise UsageError(f"no strategy is called {name!r}; choose one of {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
