"""Planning for coherence: rates from all that is known of a site, the order they make, and what is heard on the way."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from webkeep.change import RateBook
from webkeep.coherence import Revisiting, Strategy
from webkeep.coherence.intent import Intent
from webkeep.crawl.answering import head_of
from webkeep.crawl.conditions import conditions_for, held_answer
from webkeep.crawl.given_rates import read_rates
from webkeep.crawl.hints import Hint, hints_in
from webkeep.crawl.parts import Parts
from webkeep.crawl.past import Past
from webkeep.crawl.plan import Plan
from webkeep.crawl.rounds import Rounds, is_page
from webkeep.crawl.studied import Studied
from webkeep.extract.kind import kind_of
from webkeep.extract.reading import MOST_READ
from webkeep.fetch.request import Fetched
from webkeep.frontier.book import Book
from webkeep.frontier.candidate import Candidate
from webkeep.frontier.course import LEAST_DELAY, Course
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.host import host_of
from webkeep.frontier.planned_book import PlannedBook
from webkeep.frontier.policy import Policy
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.sight import Sight

_FOUND = 200
_BELIEVED = "believed"
_WORTH_NOTING = 0.001
_SPOT_CHECKS = 20
"""One in so many revisits asks for the whole body, whatever the server would say."""
T = TypeVar("T")
_TELLING = frozenset(
    {"application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/gzip", "text/plain"}
)


class Planning:
    """What a capture that is to be coherent knows beside its book."""

    def __init__(self, plan: Plan, strategy: Strategy, policy: Policy, archive: Archive, capture: str) -> None:
        self._plan = plan
        self._strategy = strategy
        self._policy = policy
        self._archive = archive
        self._capture = capture
        self._parts = Parts(plan.subsites)
        self._given = read_rates(Path(plan.rates)) if plan.rates else {}
        self._frontier: Frontier | None = None
        self._rounds: Rounds | None = None
        self._book: PlannedBook | None = None
        self._past = Past(archive, capture)
        self.rates = RateBook(max(self._delay(""), LEAST_DELAY), foretelling=self._past, salt=secrets.randbits(32))
        self._believed: dict[int, tuple[float, str]] = {}
        """Rates and where they are from, by hashes of URLs: a sitemap may name millions that are never visited."""
        self._waits: dict[int, float] = {}
        """How long the answers to visits took, in seconds, by hashes of URLs."""
        self._distrusted: set[str] = set()
        """Hosts whose servers said of something changed that it was not."""
        self._first: dict[int, Observation] = {}
        """What revisits that are under way are held against."""
        self._hear_again()

    def _hear_again(self) -> None:
        """Hear once more what the sitemaps and feeds said that this capture stored, if it was begun before."""
        for observation in self._archive.observations(self._capture):
            if observation.status == _FOUND and observation.media_type in _TELLING:
                holding = self._archive.read(observation)
                content = b"".join(holding.content(MOST_READ))
                kind = kind_of(observation.media_type, content, observation.url)
                self._heard(observation.url, hints_in(observation.url, content, "", kind))

    @property
    def is_revisited(self) -> bool:
        """Whether anything is to be visited again."""
        return self._strategy.revisiting is not Revisiting.NONE

    def book_over(self, book: Book) -> PlannedBook:
        """The book with its URLs in the order of the strategy."""
        course = Course(self._strategy, self._rate, self._delay, self._parts.part_of)
        is_limited = any(limit is not None for limit in (self._plan.max_urls, self._plan.max_urls_per_host))
        return PlannedBook(book, course, seeds_first=is_limited or self._plan.max_seconds is not None)

    def _rate(self, url: str) -> float:
        """How often a page changes in a second, as far as is known when it is planned for."""
        given = self._given.get(url)
        if given is not None:
            believed = given, "given"
        else:
            known = self.rates.rate(url)
            believed = known.per_second, known.source.value
        self._believed[hash(url)] = believed
        return believed[0]

    def intent(self) -> Intent:
        """What the capture set out to do, and by which rates."""
        moments: tuple[Moment, ...] = ()
        if self._rounds is not None and self.is_revisited:
            moments = tuple(map(Moment.parse, self._rounds.references))
        reference, parts = (moments[0], ()) if len(moments) == 1 else (None, moments)
        delay = self._delay(host_of(self._plan.seeds[0]))
        return Intent(self._plan.strategy, delay, reference, dict(self._of_visited(self._believed)),
                      dict(self._of_visited(self._waits)), parts)  # fmt: skip

    def _of_visited(self, values: Mapping[int, T]) -> Iterator[tuple[str, T]]:
        """What is known by hashes of URLs, for those URLs that were visited."""
        for observation in self._archive.observations(self._capture, resolve=False):
            value = values.get(hash(observation.url))
            if value is not None:
                yield observation.url, value

    def _delay(self, host: str) -> float:
        """Seconds from one visit to a host to the next, as far as that can be told."""
        if self._frontier is not None and (known := self._frontier.step_of(host)) is not None:
            return known
        said = self._policy.delay_for(host)
        return self._policy.default_delay if said is None else said

    # ---- before the first request ----

    def recall(self) -> Iterator[str]:
        """Hear what earlier captures tell of the site's pages; gives the URLs that were there when last seen."""
        return self._past.tell(self.rates, self._plan.seeds)

    def begin(self, frontier: Frontier, book: PlannedBook) -> None:
        """Take up the rounds of a capture, from the first or where an earlier process stopped."""
        self._frontier = frontier
        self._book = book
        known = json.loads(book.kept(_BELIEVED) or '{"rates": {}, "waits": {}}')
        self._believed |= {hash(url): (rate, source) for url, (rate, source) in known["rates"].items()}
        self._waits |= {hash(url): seconds for url, seconds in known["waits"].items()}
        self._rounds = Rounds(self._archive, self._capture, book, frontier)
        self._rounds.go_on()

    # ---- on the way ----

    def answered(self, candidate: Candidate, fetched: Fetched) -> None:
        """Hear what an answer lets expect of its page."""
        exchange = fetched.exchange
        if exchange is None or candidate.revisit:
            return
        self.rates.heard_answer(candidate.url, head_of(fetched).headers, exchange.moment)
        wait = fetched.ended.seconds_since(exchange.moment)
        if wait >= _WORTH_NOTING:
            self._waits[hash(candidate.url)] = wait

    def studied(self, candidate: Candidate, studied: Studied) -> None:
        """Hear what a sitemap or a feed says of pages."""
        self._heard(candidate.url, studied.hints)

    def _heard(self, url: str, hints: Iterable[Hint]) -> None:
        told = list(hints)
        now = self._archive.clock.now()
        for hint in told:
            hint.tell(self.rates, now)
        self._parts.listed(url, told)

    def conditions(self, candidate: Candidate) -> tuple[tuple[str, str], ...]:
        """The header fields with which a page is asked for again."""
        looks = [each for each in self._archive.history(candidate.url, resolve=False) if each.url == candidate.url]
        mine = [each for each in looks if each.capture == self._capture and is_page(each)]
        if not mine:
            return ()
        self._first[candidate.id] = mine[-1]
        held = held_answer(looks)
        is_believed = self._plan.conditional and candidate.host not in self._distrusted
        if held is None or not is_believed or not secrets.randbelow(_SPOT_CHECKS):
            return ()
        return conditions_for(self._archive, held)

    def seen_again(self, candidate: Candidate, sight: Sight | None) -> None:
        """Take note of how a page was found at its revisit."""
        first = self._first.pop(candidate.id, None)
        if first is None or sight is None:
            return
        again = sight.observation(first.place, self._capture, None)
        self._heard_pair(first, again)
        if again.etag and again.etag == first.etag and again.content_digest != first.content_digest:
            self._distrusted.add(candidate.host)

    def _heard_pair(self, one: Observation, other: Observation) -> None:
        if one.content_digest is not None and other.content_digest is not None:
            changed = one.content_digest != other.content_digest
            self.rates.heard_pair(one.url, one.moment, other.moment, changed)

    # ---- rounds ----

    def next_round(self) -> bool:
        """Begin what comes after all was done; False where nothing does."""
        if self._book is not None:
            # What is learned from now on was not known when the visits were planned.
            known = {"rates": dict(self._of_visited(self._believed)), "waits": dict(self._of_visited(self._waits))}
            self._book.keep(_BELIEVED, json.dumps(known))
        return self._rounds is not None and self._rounds.next()

    @property
    def revisits_left(self) -> int:
        """How many revisits are still to be made."""
        return 0 if self._rounds is None else self._rounds.revisits_left
