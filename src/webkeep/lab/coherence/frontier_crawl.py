"""A crawl in virtual time through the product's own frontier: it decides, and answers come at once. Also the check that
such crawls make the same requests as the schedules of their strategies.

The clock moves only when the frontier says how long to wait, so that the moments of all requests follow from its
politeness alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from webkeep.coherence.strategies import STRATEGIES, CaptureStrategy, FixedSizeEstimate, SizeEstimate, simulate_visits
from webkeep.crawl.plan import CapturePlan, policy_from_plan
from webkeep.errors import UsageError
from webkeep.extract.links import Link, LinkRole
from webkeep.frontier import Frontier
from webkeep.frontier.coherent import PlannedUrlStore, VisitPlan
from webkeep.frontier.policy import RobotsMode
from webkeep.frontier.urls import Candidate, Dispatch, Drained, FetchOutcome, Settled, WaitUntil
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.lab.coherence.tree_site import ShuffledSite, TreeSite
from webkeep.lab.demo.site_plan import LeafRates
from webkeep.model import Moment
from webkeep.url.scope import ScopeExtent

ORIGIN = "http://lab.example"
DELAY_SECONDS = 1.0
"""Seconds between requests, for which one delay of the site stands."""
_START = Moment.parse("2024-01-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class TimedRequests:
    """Pages with the seconds since the start at which they were asked for."""

    visits: tuple[tuple[int, float], ...]
    revisits: tuple[tuple[int, float], ...] = ()


class FrontierCrawl:
    """One crawl of a site whose pages are numbers, page zero the seed."""

    def __init__(
        self,
        strategy: CaptureStrategy,
        size: SizeEstimate,
        rate: Callable[[int], float],
        links: Callable[[int], Iterable[int]],
    ) -> None:
        self._strategy, self._links = strategy, links
        planned = replace(strategy, start_order=lambda _, delay: strategy.start_order(size, delay))
        self._visit_plan = VisitPlan(
            planned, lambda url: rate(page_from_url(url)) / DELAY_SECONDS, lambda _: DELAY_SECONDS
        )
        self._url_store = PlannedUrlStore(MemoryUrlStore(), self._visit_plan)
        plan = CapturePlan(
            (page_url(0),),
            scope=ScopeExtent.HOST,
            delay=DELAY_SECONDS,
            robots=RobotsMode.IGNORE,
            trap_budget=None,
            sitemaps=False,
        )
        policy = replace(policy_from_plan(plan), record_robots=False)
        self._frontier = Frontier(policy, self._url_store)
        self._now = _START

    def run(self) -> TimedRequests:
        """Visit all pages, then revisit those that the strategy wants to see again."""
        self._frontier.seed([page_url(0)], self._now)
        visits = list(self._run_round())
        asked = {candidate.id: candidate for candidate, _ in visits}
        again = self._visit_plan.revisits(visits[0][0].host, [candidate.id for candidate, _ in visits])
        self._url_store.queue_revisits(asked[number] for number in again)
        self._frontier.begin_round(True, self._now)
        revisits = list(self._run_round()) if again else []
        return TimedRequests(tuple(map(_time_request, visits)), tuple(map(_time_request, revisits)))

    def _run_round(self) -> Iterable[tuple[Candidate, Moment]]:
        """Ask for what the frontier says until it has nothing left."""
        while True:
            for action in self._frontier.next_actions(self._now, 1):
                match action:
                    case Dispatch(candidate):
                        yield candidate, self._now
                        self._answer_request(candidate)
                    case WaitUntil(moment):
                        self._now = moment
                    case Drained():
                        return

    def _answer_request(self, candidate: Candidate) -> None:
        verdict = self._frontier.record_outcome(candidate, FetchOutcome(self._now, self._now, status=200), self._now)
        if not isinstance(verdict, Settled):
            raise UsageError(
                f"{candidate.url} was answered and is to be asked for again; the laboratory has no retries"
            )
        if not candidate.revisit:
            page = page_from_url(candidate.url)
            links = (Link(page_url(link), LinkRole.NAVIGATE, "html a[href]") for link in self._links(page))
            self._frontier.discover(candidate, links, self._now)
        self._frontier.settle(candidate, verdict)


def page_url(page: int) -> str:
    """The address of a page."""
    return f"{ORIGIN}/{page}"


def page_from_url(url: str) -> int:
    """The page of an address."""
    return int(url.rpartition("/")[2])


def _time_request(request: tuple[Candidate, Moment]) -> tuple[int, float]:
    return page_from_url(request[0].url), request[1].seconds_since(_START)


# Whether a crawl through the frontier asks for what a strategy says, when its schedule says so.


@dataclass(frozen=True, slots=True)
class CrawlAgreement:
    """How many crawls were made both ways, and which came out differently."""

    crawls: int
    different: tuple[str, ...]

    def __str__(self) -> str:
        told = (
            f"{self.crawls - len(self.different)} of {self.crawls} crawls through the frontier, one of each strategy "
        )
        told += "with cold and with hot leaves, made the same requests at the same moments as their schedules"
        return told + (f"; not so {', '.join(self.different)}" if self.different else "")


def compare_with_frontier(pages: int = 400, outdegree: int = 20) -> CrawlAgreement:
    """Every strategy on two small sites, both ways."""
    crawls, different = 0, []
    for leaves in LeafRates:
        site = ShuffledSite(TreeSite(pages, leaves, outdegree=outdegree), seed=1)
        for name, strategy in STRATEGIES.items():
            crawls += 1
            if not is_same_crawl(strategy, site):
                different.append(f"{name} ({leaves.value} leaves)")
    return CrawlAgreement(crawls, tuple(different))


def is_same_crawl(strategy: CaptureStrategy, site: ShuffledSite) -> bool:
    """Whether both ways have the same visits and revisits, one delay apart."""
    order = strategy.start_order(FixedSizeEstimate(site.pages), DELAY_SECONDS)
    visits = simulate_visits(order, [0], site.rate, site.links)
    requests = FrontierCrawl(strategy, FixedSizeEstimate(site.pages), site.rate, site.links).run()
    pages = [*visits, *strategy.order_revisits(order, visits)]
    return [*requests.visits, *requests.revisits] == [(page, slot * DELAY_SECONDS) for slot, page in enumerate(pages)]
