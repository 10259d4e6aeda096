"""The strategies as the tables compare them: each makes a schedule of a site, known or found. Here are the columns of
the tables, and which strategies depend on the order of links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from webkeep.coherence.schedules import (
    VisitSchedule,
    fifo_schedule,
    joined_revisit_slots,
    lifo_schedule,
    separate_revisit_slots,
    single_visit_slots,
)
from webkeep.coherence.strategies import (
    STRATEGIES,
    CaptureStrategy,
    FixedSizeEstimate,
    PlannedOrder,
    RevisitOrder,
    simulate_visits,
)
from webkeep.lab.coherence.frontier_crawl import FrontierCrawl
from webkeep.lab.coherence.schedulers.offline import offline_schedule
from webkeep.lab.coherence.schedulers.olston_pandey_order import OlstonPandeyOrder
from webkeep.lab.coherence.schedulers.revisit_schedule import revisits_schedule
from webkeep.lab.coherence.schedulers.selective import selective_schedule
from webkeep.lab.results.result_table import ResultColumn

_BASELINE_HEADINGS = {"hottest-first": "HF", "hottest-last": "HL", "breadth-first": "BFS", "depth-first": "DFS"}
_LINK_ORDER_STRATEGIES = ("breadth-first", "depth-first")

SINGLE_VISIT_COLUMNS = (
    ResultColumn("sharc-offline", "SHARC-Offline"),
    ResultColumn("sharc-online", "SHARC-Online"),
    *(ResultColumn(name, short) for name, short in _BASELINE_HEADINGS.items()),
    ResultColumn("olston-pandey", "Olston–Pandey"),
)
"""The columns of the tables of blur."""

REVISIT_COLUMNS = (
    ResultColumn("selective-offline", "Selective offline"),
    ResultColumn("sharc-selective", "Selective online"),
    ResultColumn("scouting", "Scouting"),
    ResultColumn("sharc-revisits", "Revisits"),
    *(
        ResultColumn(f"{name}-{ending}", f"{short} {ending.upper()}")
        for name, short in _BASELINE_HEADINGS.items()
        for ending in ("fifo", "lifo")
    ),
)
"""The columns of the tables of incoherence; all but the first and the third are the published online strategies."""

OFFLINE_SCHEDULERS: dict[str, Callable[[list[float]], VisitSchedule]] = {
    "sharc-offline": offline_schedule,
    "selective-offline": selective_schedule,
    "sharc-revisits": revisits_schedule,
}


def depends_on_links(name: str) -> bool:
    """Whether the figure of a strategy depends on the order of links on a page; with FIFO revisits none does."""
    return name.startswith(_LINK_ORDER_STRATEGIES) and not name.endswith("-fifo")


class LabSite(Protocol):
    """Pages that are numbers, page zero first; times are counted in delays between requests."""

    @property
    def pages(self) -> int:
        """How many there are."""
        ...

    @property
    def rates(self) -> list[float]:
        """What is believed of all pages."""
        ...

    def rate(self, page: int) -> float:
        """What is believed of one page."""
        ...

    def links(self, page: int) -> Iterable[int]:
        """The pages that a page leads to, in order."""
        ...

    def history(self, page: int) -> Iterable[float]:
        """When a page changes."""
        ...


class SiteCrawler:
    """Crawls a site, and remembers the visits."""

    def __init__(self, site: LabSite, through_frontier: bool = False, is_exact: bool = False) -> None:
        """If exact, SHARC-Selective plans anew after every find, and not only once enough was found."""
        self._site, self._through_frontier, self._is_exact = site, through_frontier, is_exact
        self._visits: dict[str, list[int]] = {}

    def schedule(self, name: str) -> VisitSchedule:
        """The schedule that the strategy of this name makes of the site."""
        if name in OFFLINE_SCHEDULERS:
            return OFFLINE_SCHEDULERS[name](self._site.rates)
        base = name.removesuffix("-fifo").removesuffix("-lifo")
        if base not in self._visits:
            self._visits[base] = self._crawl_site(self.strategy(base))
        return schedule_visits(self._visits[base], revisit_order_of(name))

    def strategy(self, name: str) -> CaptureStrategy:
        """The strategy of this name as the tables mean it."""
        if name == "olston-pandey":
            return CaptureStrategy(
                name, "what has changed most", lambda _size, _delay: OlstonPandeyOrder(self._site.history)
            )
        if name == "sharc-selective" and self._is_exact:
            return CaptureStrategy(name, STRATEGIES[name].meaning, partial(PlannedOrder, patience=0.0))
        return STRATEGIES[name]

    def _crawl_site(self, strategy: CaptureStrategy) -> list[int]:
        size = FixedSizeEstimate(self._site.pages)
        # An order that has to know every change is none that a crawl could go by.
        if self._through_frontier and strategy.name in STRATEGIES:
            requests = FrontierCrawl(strategy, size, self._site.rate, self._site.links).run()
            return [page for page, _ in requests.visits]
        return simulate_visits(strategy.start_order(size, 1.0), [0], self._site.rate, self._site.links)


def revisit_order_of(name: str) -> RevisitOrder:
    """In what order the strategy of this name revisits."""
    return RevisitOrder.NONE if name == "olston-pandey" else STRATEGIES[name].revisiting


def schedule_visits(visits: list[int], revisiting: RevisitOrder) -> VisitSchedule:
    """The schedule of visits with their revisits; in the same order all pages are revisited, the last one too."""
    count = len(visits)
    match revisiting:
        case RevisitOrder.NONE:
            return VisitSchedule(single_visit_slots(count), tuple(visits))
        case RevisitOrder.FIFO:
            return fifo_schedule(separate_revisit_slots(count), visits)
        case RevisitOrder.LIFO:
            return lifo_schedule(joined_revisit_slots(count), visits)
