"""Planning for coherence (SHARC): which change rates put visits in order, when revisits are conditional and when a spot
check asks for the whole body, and to which part of the site (`--subsites`) a page belongs.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from webkeep.change.rates import RateTable
from webkeep.coherence.certificates import CaptureIntent
from webkeep.coherence.strategies import CaptureStrategy, RevisitOrder
from webkeep.crawl.coherent.rate_history import RateHistory
from webkeep.crawl.coherent.visit_rounds import VisitRounds, is_comparable
from webkeep.crawl.links.change_hints import ChangeHint, read_change_hints
from webkeep.crawl.links.extracted_links import ExtractedLinks
from webkeep.crawl.plan.capture_plan import CapturePlan, Subsites
from webkeep.crawl.plan.rates_file import read_rates_file, read_weights_file
from webkeep.crawl.requests.conditional_requests import condition_headers, last_whole_response
from webkeep.crawl.requests.outcome_builder import response_head_of
from webkeep.extract import MAX_READ_BYTES, detect_kind
from webkeep.fetch import FetchResult
from webkeep.formats.status import OK
from webkeep.frontier import Frontier
from webkeep.frontier.coherent import MIN_VISIT_SECONDS, PlannedUrlStore, VisitPlan
from webkeep.frontier.hosts import host_key_of
from webkeep.frontier.policy import CrawlPolicy
from webkeep.frontier.urls import Candidate, UrlStore
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.index import RecordFacts
from webkeep.url import first_directory

# The parts of a site that are made coherent one after the other.

_MAX_LISTED_PAGES = 5_000_000
"""Pages of sitemaps that are remembered: a hundred full sitemaps, and some hundred bytes of memory each."""


class SubsiteParts:
    """Says to which part a URL belongs; parts have the names of what they are."""

    def __init__(self, subsites: Subsites) -> None:
        self._subsites = subsites
        self._listed: dict[int, str] = {}
        """The sitemap of each page, by a hash of its URL."""

    def add_sitemap(self, sitemap: str, hints: Iterable[ChangeHint]) -> None:
        """Take note of the pages of a sitemap; a page that another listed first stays there."""
        if self._subsites is Subsites.SITEMAPS:
            for hint in hints:
                if not hint.from_feed and len(self._listed) < _MAX_LISTED_PAGES:
                    self._listed.setdefault(hash(hint.url), sitemap)

    @property
    def part_of(self) -> Callable[[str], str]:
        """The part that a URL belongs to."""
        match self._subsites:
            case Subsites.NONE:
                return lambda _: ""
            case Subsites.DIRECTORIES:
                return first_directory
            case Subsites.SITEMAPS:
                return lambda url: self._listed.get(hash(url), "")


_RATES_KEY = "believed"
"""The name under which rates and waits are kept in the job's store."""
_MIN_NOTED_SECONDS = 0.001
"""Shorter waits for an answer are not noted: the clock of a loop that is busy tells no less."""
_REVISITS_PER_SPOT_CHECK = 20
"""One in so many revisits asks for the whole body, whatever the server would say."""
_MIN_REVISITED_WEIGHT = 5.0
"""From this greatest weight on, orders with second visits by rates times weights keep more weight coherent than orders
by rates alone, on synthetic sites of every skew; below it, less.
"""
T = TypeVar("T")
_HINT_TYPES = frozenset(
    {"application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/gzip", "text/plain"}
)


class CoherencePlanner:
    """What a capture that is to be coherent knows beside its URL store."""

    def __init__(
        self,
        plan: CapturePlan,
        strategy: CaptureStrategy,
        policy: CrawlPolicy,
        archive: Archive,
        capture: str,
        url_store: UrlStore,
    ) -> None:
        self._plan = plan
        self._strategy = strategy
        self._policy = policy
        self._archive = archive
        self._capture = capture
        self._parts = SubsiteParts(plan.subsites)
        self._given_rates = read_rates_file(Path(plan.rates)) if plan.rates else {}
        self._weights = read_weights_file(Path(plan.weights)) if plan.weights else {}
        self._max_weight = max((1.0, *self._weights.values()))
        self._frontier: Frontier | None = None
        self._rounds: VisitRounds | None = None
        self._history = RateHistory(archive, capture)
        self.rates = RateTable(
            max(self._visit_interval(""), MIN_VISIT_SECONDS), predictor=self._history, salt=secrets.randbits(32)
        )
        self._expected_rates: dict[int, tuple[float, str]] = {}
        """Rates and where they are from, by hashes of URLs: a sitemap may name millions that are never visited."""
        self._response_seconds: dict[int, float] = {}
        """How long the answers to visits took, in seconds, by hashes of URLs."""
        self._distrusted: set[str] = set()
        """Hosts whose servers said of something changed that it was not."""
        self._first_visits: dict[int, Observation] = {}
        """What revisits that are under way are held against."""
        self._read_stored_hints()
        self.url_store = self._order_url_store(url_store)
        """The URL store with its URLs in the order of the strategy."""

    def _read_stored_hints(self) -> None:
        """Hear once more what the sitemaps and feeds said that this capture stored, if it was begun before."""
        for observation in self._archive.observations(self._capture):
            if observation.status == OK and observation.media_type in _HINT_TYPES:
                stored = self._archive.read(observation)
                content = b"".join(stored.content(MAX_READ_BYTES))
                kind = detect_kind(observation.media_type, content, observation.url)
                self._record_hints(observation.url, read_change_hints(observation.url, content, "", kind))

    @property
    def has_revisits(self) -> bool:
        """Whether anything is to be visited again."""
        return self._strategy.revisiting is not RevisitOrder.NONE

    def _order_url_store(self, url_store: UrlStore) -> PlannedUrlStore:
        visit_plan = VisitPlan(self._strategy, self._weighted_rate, self._visit_interval, self._parts.part_of)
        is_limited = any(limit is not None for limit in (self._plan.max_urls, self._plan.max_urls_per_host))
        seeds_first = is_limited or self._plan.max_seconds is not None
        return PlannedUrlStore(url_store, visit_plan, seeds_first)

    def _weighted_rate(self, url: str) -> float:
        """The rate that puts a page in its place: less for one that matters less than others.

        By it the order with the least blur is the one in which rates times weights rise and fall. Of pages that are
        seen twice, those that matter most are judged by their own rates, and all others yield to them; where they
        matter little more than others, that would cost others more than it gains.
        """
        rate = self._expected_rate(url)
        if self.has_revisits and 1.0 < self._max_weight < _MIN_REVISITED_WEIGHT:
            return rate
        return rate * self._weights.get(url, 1.0) / self._max_weight

    def _expected_rate(self, url: str) -> float:
        """How often a page changes in a second, as far as is known when it is planned for."""
        given = self._given_rates.get(url)
        if given is not None:
            believed = given, "given"
        else:
            known = self.rates.rate(url)
            believed = known.per_second, known.source.value
        self._expected_rates[hash(url)] = believed
        return believed[0]

    def intent(self) -> CaptureIntent:
        """What the capture set out to do, and by which rates."""
        moments: tuple[Moment, ...] = ()
        if self._rounds is not None and self.has_revisits:
            moments = tuple(map(Moment.parse, self._rounds.references))
        reference, parts = (moments[0], ()) if len(moments) == 1 else (None, moments)
        delay = self._visit_interval(host_key_of(self._plan.seeds[0]))
        weights = {hash(url): weight for url, weight in self._weights.items()}
        return CaptureIntent(
            self._plan.strategy,
            delay,
            reference,
            dict(self._visited_values(self._expected_rates)),
            dict(self._visited_values(self._response_seconds)),
            parts,
            dict(self._visited_values(weights)),
        )

    def _visited_values(self, values: Mapping[int, T]) -> Iterator[tuple[str, T]]:
        """What is known by hashes of URLs, for those URLs that were visited."""
        for observation in self._archive.observations(self._capture, resolve=False):
            value = values.get(hash(observation.url))
            if value is not None:
                yield observation.url, value

    def _visit_interval(self, host: str) -> float:
        """Seconds from one visit to a host to the next, as far as that can be told."""
        if self._frontier is not None and (known := self._frontier.turns.request_interval_of(host)) is not None:
            return known
        said = self._policy.delay_for(host)
        return self._policy.default_delay if said is None else said

    # ---- before the first request ----

    def read_history(self) -> Iterator[str]:
        """Hear what earlier captures tell of the site's pages; gives the URLs that were there when last seen."""
        return self._history.record_rates(self.rates, self._plan.seeds)

    def begin_rounds(self, frontier: Frontier) -> None:
        """Take up the rounds of a capture, from the first or where an earlier process stopped."""
        url_store = self.url_store
        self._frontier = frontier
        known = json.loads(url_store.load_text(_RATES_KEY) or '{"rates": {}, "waits": {}}')
        self._expected_rates |= {hash(url): (rate, source) for url, (rate, source) in known["rates"].items()}
        self._response_seconds |= {hash(url): seconds for url, seconds in known["waits"].items()}
        self._rounds = VisitRounds(self._archive, self._capture, url_store, frontier, self._plan.portraits)
        self._rounds.resume()

    # ---- on the way ----

    def record_response(self, candidate: Candidate, fetched: FetchResult) -> None:
        """Hear what an answer lets expect of its page."""
        exchange = fetched.exchange
        if exchange is None or candidate.revisit:
            return
        self.rates.add_response_hint(candidate.url, response_head_of(fetched).headers, exchange.moment)
        wait = fetched.ended.seconds_since(exchange.moment)
        if wait >= _MIN_NOTED_SECONDS:
            self._response_seconds[hash(candidate.url)] = wait

    def record_hints(self, candidate: Candidate, extracted: ExtractedLinks) -> None:
        """Hear what a sitemap or a feed says of pages."""
        self._record_hints(candidate.url, extracted.hints)

    def _record_hints(self, url: str, hints: Iterable[ChangeHint]) -> None:
        told = list(hints)
        now = self._archive.clock.now()
        for hint in told:
            hint.record_in(self.rates, now)
        self._parts.add_sitemap(url, told)

    def condition_headers(self, candidate: Candidate) -> tuple[tuple[str, str], ...]:
        """The header fields with which a page is asked for again."""
        looks = [each for each in self._archive.history(candidate.url, resolve=False) if each.url == candidate.url]
        mine = [each for each in looks if each.capture == self._capture and is_comparable(each)]
        if not mine:
            return ()
        self._first_visits[candidate.id] = mine[-1]
        held = last_whole_response(looks)
        is_believed = self._plan.conditional and candidate.host not in self._distrusted
        if held is None or not is_believed or not secrets.randbelow(_REVISITS_PER_SPOT_CHECK):
            return ()
        return condition_headers(self._archive, held)

    def record_revisit(self, candidate: Candidate, facts: RecordFacts | None) -> None:
        """Take note of how a page was found at its revisit."""
        first = self._first_visits.pop(candidate.id, None)
        if first is None or facts is None:
            return
        again = facts.to_observation(first.place, self._capture, None)
        self._record_pair(first, again)
        if again.etag and again.etag == first.etag and again.content_digest != first.content_digest:
            self._distrusted.add(candidate.host)

    def _record_pair(self, one: Observation, other: Observation) -> None:
        if one.content_digest is not None and other.content_digest is not None:
            changed = one.content_digest != other.content_digest
            self.rates.add_pair(one.url, one.moment, other.moment, changed)

    # ---- rounds ----

    def begin_next_round(self) -> bool:
        """Begin what comes after all was done; False where nothing does."""
        # What is learned from now on was not known when the visits were planned.
        known = {
            "rates": dict(self._visited_values(self._expected_rates)),
            "waits": dict(self._visited_values(self._response_seconds)),
        }
        self.url_store.save_text(_RATES_KEY, json.dumps(known))
        return self._rounds is not None and self._rounds.begin_next()

    @property
    def not_seen_again(self) -> int:
        """How many revisits came to nothing."""
        return self.url_store.not_seen_again

    @property
    def revisits_left(self) -> int:
        """How many revisits are still to be made."""
        return 0 if self._rounds is None else self._rounds.revisits_left
