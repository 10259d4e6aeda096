"""A web of plain values for the frontier: sites that answer at once, and a clock that only moves when told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from webkeep.crawl.plan import CapturePlan, policy_from_plan
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.frontier import Frontier
from webkeep.frontier.hosts import NoRobots, RobotsResult
from webkeep.frontier.policy import CandidateRanking, CrawlPolicy
from webkeep.frontier.urls import (
    Candidate,
    Dispatch,
    Drained,
    FetchOutcome,
    Settled,
    UrlRole,
    UrlStore,
    WaitUntil,
)
from webkeep.frontier.urls.fetch_outcome import RetryLater
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import Fate, Moment, UrlOutcome
from webkeep.url.scope import ScopeExtent, UrlRule, scope_around

START = Moment.parse("2024-03-01T12:00:00Z")
SEED = "http://site.example/"
USUAL_POLICY = policy_from_plan(CapturePlan((SEED,)))


def policy_for(
    seeds: Iterable[str] = (SEED,),
    extent: ScopeExtent = ScopeExtent.HOST,
    rules: Iterable[UrlRule] = (),
    **values: object,
) -> CrawlPolicy:
    return replace(USUAL_POLICY, scope=scope_around(seeds, extent, rules), **values)


def page(url: str, guess: bool = False) -> Link:
    return Link(url, LinkRole.NAVIGATE, "html a[href]", guess)


def part(url: str, guess: bool = False) -> Link:
    return Link(url, LinkRole.EMBED, "html img[src]", guess)


@dataclass
class Page:
    """What a URL gives."""

    links: list[Link] = field(default_factory=list)
    status: int = 200
    digest: str = ""
    """Its own for each URL where none is given."""
    redirect: str = ""
    failure: str = ""
    temporary: bool = False
    connected: bool = True
    resolved: bool = True
    set_cookie: bool = False
    retry_after: float | None = None
    seconds: float = 0.05
    size: int = 1000
    is_unsent: bool = False
    """Whether it was held back before the server saw anything of it."""


@dataclass
class Request:
    """A request as the servers saw it."""

    candidate: Candidate
    started: Moment
    ended: Moment


@dataclass
class Web:
    """Runs a frontier against pages, as an engine would, with any number of requests under way."""

    frontier: Frontier
    url_store: UrlStore
    answer: Callable[[Candidate, int], Page]
    """What a candidate gives the n-th time it is asked for, from 1 on."""
    robots: Callable[[str], RobotsResult] = lambda host: NoRobots()
    loopback: bool = True
    now: Moment = START
    requests: list[Request] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)
    robots_page: Page = field(default_factory=Page)
    """How requests for robots.txt end, whatever `robots` makes of it."""

    def run(self, room: int = 16, most: int = 1_000_000) -> Web:
        under_way: list[tuple[Moment, int, Candidate, Page]] = []
        while len(self.requests) < most:
            actions = self.frontier.next_actions(self.now, room - len(under_way))
            wait: Moment | None = None
            for action in actions:
                match action:
                    case Dispatch(candidate):
                        under_way.append(self._asked(candidate))
                    case WaitUntil(moment):
                        wait = moment
                    case Drained():
                        assert not under_way
                        return self
            if not under_way:
                assert wait is not None, "nothing to do and nothing to wait for"
                self.now = max(self.now, wait)
                continue
            under_way.sort(key=lambda each: (each[0].micros, each[1]))
            if wait is not None and wait < under_way[0][0]:
                self.now = max(self.now, wait)
                continue
            ended, number, candidate, given = under_way.pop(0)
            self.now = max(self.now, ended)
            self._answered(self.requests[number], candidate, given)
        return self

    def _asked(self, candidate: Candidate) -> tuple[Moment, int, Candidate, Page]:
        self.times[candidate.url] = self.times.get(candidate.url, 0) + 1
        given = (
            self.robots_page if candidate.role is UrlRole.ROBOTS else self.answer(candidate, self.times[candidate.url])
        )
        ended = self.now.plus(given.seconds)
        self.requests.append(Request(candidate, self.now, ended))
        return ended, len(self.requests) - 1, candidate, given

    def _answered(self, request: Request, candidate: Candidate, given: Page) -> None:
        verdict = self.frontier.record_outcome(candidate, answer_of(request, given, self.loopback), self.now)
        if isinstance(verdict, Settled) and (given.status or not given.failure):
            self.frontier.discover(candidate, given.links, self.now)
            self.frontier.settle(candidate, verdict, given.digest or candidate.url)
        assert isinstance(verdict, Settled | RetryLater)
        if candidate.role is UrlRole.ROBOTS:
            self.frontier.update_robots(candidate.host, self.robots(candidate.host), self.now)

    @property
    def asked(self) -> list[str]:
        """The URLs asked for, in order, robots.txt files apart."""
        return [each.candidate.url for each in self.requests if each.candidate.role is not UrlRole.ROBOTS]

    def fates(self) -> dict[str, Fate]:
        return {fate.url: fate for fate in self.url_store.fates()}

    def outcome(self, url: str) -> UrlOutcome:
        return self.fates()[url].outcome

    def reason(self, url: str) -> str:
        return self.fates()[url].reason


def answer_of(request: Request, given: Page, loopback: bool) -> FetchOutcome:
    return FetchOutcome(
        request.started,
        request.ended,
        0 if given.failure else given.status,
        given.failure,
        given.temporary,
        given.connected,
        given.resolved,
        ("127.0.0.1" if loopback else "192.0.2.1") if given.connected else "",
        loopback and given.connected,
        given.seconds,
        given.retry_after,
        given.size,
        redirect=given.redirect,
        set_cookie=given.set_cookie,
        is_unsent=given.is_unsent,
    )


def web_of(
    pages: dict[str, Page] | Callable[[Candidate, int], Page],
    policy: CrawlPolicy | None = None,
    seeds: Iterable[str] = (SEED,),
    robots: Callable[[str], RobotsResult] = lambda host: NoRobots(),
    loopback: bool = True,
    strategy: CandidateRanking | None = None,
    book: UrlStore | None = None,
) -> Web:
    """A web ready to run; URLs that are not among the pages are not found."""
    named = list(seeds)
    kept = MemoryUrlStore() if book is None else book
    frontier = Frontier(policy or policy_for(named), kept, strategy)
    frontier.seed(named, START)
    given = pages if callable(pages) else lambda candidate, _: pages.get(candidate.url, Page(status=404, digest="gone"))
    return Web(frontier, kept, given, robots, loopback)
