"""Whether a crawl through the frontier asks for what a strategy says, when its schedule says so."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.coherence import STRATEGIES, FixedSize, Strategy, walk
from webkeep.lab.coherence.frontier_crawl import DELAY, FrontierCrawl
from webkeep.lab.coherence.tree import ShuffledSite, TreeSite
from webkeep.lab.demo.plan import Leaves


@dataclass(frozen=True, slots=True)
class Likeness:
    """How many crawls were made both ways, and which came out differently."""

    crawls: int
    different: tuple[str, ...]

    def __str__(self) -> str:
        told = (
            f"{self.crawls - len(self.different)} of {self.crawls} crawls through the frontier, one of each strategy "
        )
        told += "with cold and with hot leaves, made the same requests at the same moments as their schedules"
        return told + (f"; not so {', '.join(self.different)}" if self.different else "")


def frontier_likeness(pages: int = 400, outdegree: int = 20) -> Likeness:
    """Every strategy on two small sites, both ways."""
    crawls, different = 0, []
    for leaves in Leaves:
        site = ShuffledSite(TreeSite(pages, leaves, outdegree=outdegree), seed=1)
        for name, strategy in STRATEGIES.items():
            crawls += 1
            if not is_alike(strategy, site):
                different.append(f"{name} ({leaves.value} leaves)")
    return Likeness(crawls, tuple(different))


def is_alike(strategy: Strategy, site: ShuffledSite) -> bool:
    """Whether both ways have the same visits and revisits, one delay apart."""
    order = strategy.start(FixedSize(site.pages), DELAY)
    visits = walk(order, [0], site.rate, site.links)
    requests = FrontierCrawl(strategy, FixedSize(site.pages), site.rate, site.links).run()
    pages = [*visits, *strategy.revisits(order, visits)]
    return [*requests.visits, *requests.revisits] == [(page, slot * DELAY) for slot, page in enumerate(pages)]
