"""The strategies as the tables compare them: each makes a schedule of a site, known or found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from webkeep.coherence import (
    STRATEGIES,
    FixedSize,
    OlstonPandey,
    PlannedOnline,
    Revisiting,
    Schedule,
    Strategy,
    apart,
    equidistant,
    joined,
    offline,
    pyramid,
    revisits,
    selective,
    single,
    walk,
)
from webkeep.lab.coherence.cell import Column
from webkeep.lab.coherence.frontier_crawl import FrontierCrawl

_BASELINES = {"hottest-first": "HF", "hottest-last": "HL", "breadth-first": "BFS", "depth-first": "DFS"}
_BY_LINKS = ("breadth-first", "depth-first")

SINGLE_VISIT = (
    Column("sharc-offline", "SHARC-Offline"),
    Column("sharc-online", "SHARC-Online"),
    *(Column(name, short) for name, short in _BASELINES.items()),
    Column("olston-pandey", "Olston–Pandey"),
)
"""The columns of the tables of blur."""

VISIT_AND_REVISIT = (
    Column("selective-offline", "Selective offline"),
    Column("sharc-selective", "Selective online"),
    Column("scouting", "Scouting"),
    Column("sharc-revisits", "Revisits"),
    *(
        Column(f"{name}-{ending}", f"{short} {ending.upper()}")
        for name, short in _BASELINES.items()
        for ending in ("fifo", "lifo")
    ),
)
"""The columns of the tables of incoherence; all but the first and the third are the published online strategies."""

KNOWING_ALL: dict[str, Callable[[list[float]], Schedule]] = {
    "sharc-offline": offline,
    "selective-offline": selective,
    "sharc-revisits": revisits,
}


def depends_on_links(name: str) -> bool:
    """Whether the figure of a strategy depends on the order of links on a page; with FIFO revisits none does."""
    return name.startswith(_BY_LINKS) and not name.endswith("-fifo")


class Site(Protocol):
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


class Crawler:
    """Crawls a site, and remembers the visits."""

    def __init__(self, site: Site, through_frontier: bool = False, is_exact: bool = False) -> None:
        """If exact, SHARC-Selective plans anew after every find, and not only once enough was found."""
        self._site, self._through_frontier, self._is_exact = site, through_frontier, is_exact
        self._visits: dict[str, list[int]] = {}

    def schedule(self, name: str) -> Schedule:
        """The schedule that the strategy of this name makes of the site."""
        if name in KNOWING_ALL:
            return KNOWING_ALL[name](self._site.rates)
        base = name.removesuffix("-fifo").removesuffix("-lifo")
        if base not in self._visits:
            self._visits[base] = self._crawl(self.strategy(base))
        return scheduled(self._visits[base], revisiting_of(name))

    def strategy(self, name: str) -> Strategy:
        """The strategy of this name as the tables mean it."""
        if name == "olston-pandey":
            return Strategy(name, "what has changed most", lambda _size, _delay: OlstonPandey(self._site.history))
        if name == "sharc-selective" and self._is_exact:
            return Strategy(name, STRATEGIES[name].meaning, partial(PlannedOnline, patience=0.0))
        return STRATEGIES[name]

    def _crawl(self, strategy: Strategy) -> list[int]:
        size = FixedSize(self._site.pages)
        # An order that has to know every change is none that a crawl could go by.
        if self._through_frontier and strategy.name in STRATEGIES:
            requests = FrontierCrawl(strategy, size, self._site.rate, self._site.links).run()
            return [page for page, _ in requests.visits]
        return walk(strategy.start(size, 1.0), [0], self._site.rate, self._site.links)


def revisiting_of(name: str) -> Revisiting:
    """In what order the strategy of this name revisits."""
    return Revisiting.NONE if name == "olston-pandey" else STRATEGIES[name].revisiting


def scheduled(visits: list[int], revisiting: Revisiting) -> Schedule:
    """The schedule of visits with their revisits; in the same order all pages are revisited, the last one too."""
    count = len(visits)
    match revisiting:
        case Revisiting.NONE:
            return Schedule(single(count), tuple(visits))
        case Revisiting.FIFO:
            return equidistant(apart(count), visits)
        case Revisiting.LIFO:
            return pyramid(joined(count), visits)
