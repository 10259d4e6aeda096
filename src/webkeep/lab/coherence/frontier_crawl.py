"""A crawl in virtual time through the product's own frontier: it decides, and answers come at once.

The clock moves only when the frontier says how long to wait, so that the moments of all requests follow from its
politeness alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from webkeep.coherence import Size, Strategy
from webkeep.errors import UsageError
from webkeep.extract import Link, Role
from webkeep.frontier import Answer, Candidate, Dispatch, Drained, Frontier, MemoryBook, Policy, RobotsMode, WaitUntil
from webkeep.frontier.answer import Settled
from webkeep.frontier.course import Course
from webkeep.frontier.planned_book import PlannedBook
from webkeep.model import Moment
from webkeep.url import Extent, scope_around

HOST = "http://lab.example"
DELAY = 1.0
"""Seconds between requests, for which one delay of the site stands."""
_START = Moment.parse("2024-01-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class Requests:
    """Pages with the seconds since the start at which they were asked for."""

    visits: tuple[tuple[int, float], ...]
    revisits: tuple[tuple[int, float], ...] = ()


class FrontierCrawl:
    """One crawl of a site whose pages are numbers, page zero the seed."""

    def __init__(
        self, strategy: Strategy, size: Size, rate: Callable[[int], float], links: Callable[[int], Iterable[int]]
    ) -> None:
        self._strategy, self._links = strategy, links
        planned = replace(strategy, start=lambda _, delay: strategy.start(size, delay))
        self._course = Course(planned, lambda url: rate(page_of(url)) / DELAY, lambda _: DELAY)
        self._book = PlannedBook(MemoryBook(), self._course)
        scope = scope_around([url_of(0)], Extent.HOST)
        policy = Policy(scope, delay=DELAY, robots=RobotsMode.IGNORE, record_robots=False, trap_budget=None)
        self._frontier = Frontier(policy, self._book)
        self._now = _START

    def run(self) -> Requests:
        """Visit all pages, then revisit those that the strategy wants to see again."""
        self._frontier.seed([url_of(0)], self._now)
        visits = list(self._round())
        asked = {candidate.id: candidate for candidate, _ in visits}
        again = self._course.revisits(visits[0][0].host, [candidate.id for candidate, _ in visits])
        self._book.revisit(asked[number] for number in again)
        self._frontier.begin_round(True, self._now)
        revisits = list(self._round()) if again else []
        return Requests(tuple(map(_timed, visits)), tuple(map(_timed, revisits)))

    def _round(self) -> Iterable[tuple[Candidate, Moment]]:
        """Ask for what the frontier says until it has nothing left."""
        while True:
            for action in self._frontier.next_actions(self._now, 1):
                match action:
                    case Dispatch(candidate):
                        yield candidate, self._now
                        self._answer(candidate)
                    case WaitUntil(moment):
                        self._now = moment
                    case Drained():
                        return

    def _answer(self, candidate: Candidate) -> None:
        verdict = self._frontier.answered(candidate, Answer(self._now, self._now, status=200), self._now)
        if not isinstance(verdict, Settled):
            raise UsageError(
                f"{candidate.url} was answered and is to be asked for again; the laboratory has no retries"
            )
        if not candidate.revisit:
            page = page_of(candidate.url)
            links = (Link(url_of(link), Role.NAVIGATE, "html a[href]") for link in self._links(page))
            self._frontier.discover(candidate, links, self._now)
        self._frontier.stored(candidate, verdict)


def url_of(page: int) -> str:
    """The address of a page."""
    return f"{HOST}/{page}"


def page_of(url: str) -> int:
    """The page of an address."""
    return int(url.rpartition("/")[2])


def _timed(request: tuple[Candidate, Moment]) -> tuple[int, float]:
    return page_of(request[0].url), request[1].seconds_since(_START)
