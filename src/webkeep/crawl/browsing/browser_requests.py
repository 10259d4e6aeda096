"""Browser requests: what pages in a browser ask for waits for the frontier's word (scope, robots.txt, politeness) and
enters the URL store once on disk; which endless streams (`text/event-stream`) count as whole.

A request waits for its host's turn and obeys its robots.txt like one of the fast tier. What comes is stored; when it is
on disk, its URL and its links are in the URL store, with the page that led there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from webkeep.crawl.browsing.held_responses import HeldResponses, ResponseSlot
from webkeep.crawl.links.exchange_analysis import analyse_exchange, analyse_with_head
from webkeep.crawl.links.extracted_links import ExtractedLinks, ExtractionContext, links_from_found
from webkeep.crawl.requests.outcome_builder import outcome_from_result
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.errors import StorageError
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.fetch import FetchLimits, FetchResult
from webkeep.formats.http import declared_length, declared_media_type, parse_response
from webkeep.formats.status import PARTIAL_CONTENT
from webkeep.frontier.admission import candidate_from_link, judge_scope
from webkeep.frontier.hosts import host_key_of
from webkeep.frontier.urls import Candidate, FetchOutcome, Settled
from webkeep.model import Body, Exchange, Moment, RecordPlace, UrlOutcome
from webkeep.redaction import NO_REDACTION, Redactor
from webkeep.redaction.values import cookie_secrets
from webkeep.store.writing import Acknowledgement, Receipts

_MAX_REST_SECONDS = 1.0
"""Seconds after which it is looked whether a capture still goes on."""
BROWSER_SOURCE = "browser"
"""Where links come from that a page asked for as it ran."""
_ENDLESS_TYPES = frozenset({"text/event-stream", "multipart/x-mixed-replace"})
"""What has no end of its own, and is whole whenever its page leaves it."""
_KNOWN_OUTCOMES = frozenset(
    {UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED, UrlOutcome.QUEUED, UrlOutcome.REFUSED}
)
"""Outcomes of URLs that the fast tier had come upon by itself."""


@dataclass(frozen=True, slots=True)
class RequestPermit:
    """Whether a page may ask for something, by which number it is under way, and whether that was foreseen."""

    number: int = 0
    refusal: str = ""
    private: bool = False
    is_new: bool = False
    limits: FetchLimits = field(default_factory=FetchLimits)


@dataclass(slots=True)
class _UnstoredResponse:
    fetched: FetchResult
    outcome: FetchOutcome
    page: str
    slot: ResponseSlot | None


NoteStored = Callable[[str, RecordPlace, str, Sequence[str]], None]
"""Is told of a URL that was stored: where, of which media type, and what of it would run."""


class BrowserRequests:
    """What all tab proxies of a capture share."""

    def __init__(
        self,
        context: CaptureContext,
        requests: RequestBuilder,
        held: HeldResponses,
        note_stored: NoteStored,
        wake: Callable[[], None],
    ) -> None:
        """`note_stored` is told what came, and `wake` called when the frontier has something new to decide."""
        self._capture, self._frontier, self._url_store = context.capture, context.frontier, context.url_store
        self._requests, self._held, self._clock, self._tally = requests, held, context.clock, context.tally
        self.redactor = context.redactor or Redactor(NO_REDACTION)
        self.urls = context.secret_urls or SecretUrls(self.redactor)
        self._wake, self.note_warning, self._note_stored = wake, context.observer.on_note, note_stored
        self._number = 0
        self._unstored: Receipts[_UnstoredResponse] = Receipts(self._settle_acknowledged)
        self._settled = asyncio.Event()
        self.failure: StorageError | None = None
        """Why nothing can be stored any more."""
        self.sent_count = 0
        """How many requests reached a server."""
        self.curtailed_pages: set[str] = set()
        """Pages that asked for more than the limits allow."""

    def is_at_limit(self) -> bool:
        """Whether pages may ask for nothing more, by the limits of the capture."""
        return self._frontier.is_at_limit

    async def await_permit(self, url: str, page: str) -> RequestPermit:
        """Wait until a page may ask for a URL, or learn that it may not."""
        self._number -= 1
        number = self._number
        if self.failure is not None:
            raise self.failure
        source = self._url_store.find(page)
        bare = self.urls.redact(url.partition("#")[0])
        candidate = self._candidate_for(bare, source)
        is_new = not self._is_known(bare)
        request = self._requests.build(candidate, page)
        while True:
            now = self._clock.now()
            word = self._frontier.unqueued.reserve_for_page(candidate, number, now)
            if isinstance(word, Settled):
                if word.outcome is UrlOutcome.CUT:
                    self.curtailed_pages.add(page)
                return RequestPermit(refusal=word.reason or "left out")
            if word <= now:
                self.sent_count += 1
                return RequestPermit(number, "", request.private, is_new, request.limits)
            self._wake()
            await asyncio.sleep(max(word.seconds_since(now), 0.001))

    def _candidate_for(self, url: str, source: Candidate | None) -> Candidate:
        page = source or Candidate(0, url, "")
        return candidate_from_link(page, url, Link(url, LinkRole.EMBED, BROWSER_SOURCE))

    def _is_known(self, url: str) -> bool:
        """Whether the fast tier had come upon it."""
        trail = self._url_store.trail(url, 1)
        return bool(trail) and trail[0].outcome in _KNOWN_OUTCOMES

    def is_known_url(self, url: str) -> bool:
        """Whether anything had led to a URL, wherever it lies."""
        return self._url_store.find(self.urls.redact(url)) is not None

    async def await_host(self, url: str) -> None:
        """Wait until a host that asked for peace may be asked again: a page would not wait for its parts that long."""
        while (
            rest := self._frontier.unqueued.rest_seconds_of(host_key_of(url), self._clock.now())
        ) > 0 and not self.is_at_limit():
            await asyncio.sleep(min(rest, _MAX_REST_SECONDS))

    def queue_abandoned(self, url: str, page: str) -> None:
        """A page has gone while it waited for its turn to ask for something: the fast tier asks for it."""
        self.add_links(page, [Link(url.partition("#")[0], LinkRole.EMBED, BROWSER_SOURCE)])

    async def await_delay(self, url: str) -> None:
        """Leave a host in peace before one request costs it another."""
        await asyncio.sleep(self._frontier.turns.delay_of(host_key_of(url)) or 0.0)

    def release_permit(self, url: str, number: int) -> None:
        """Something that was permitted counts as under way no longer."""
        now = self._clock.now()
        self._frontier.unqueued.record_outcome(url, FetchOutcome(now, now, 101), now, number)
        self._frontier.unqueued.settle_for_page()

    def is_recorded(self, url: str, head: bytes, page: str) -> bool:
        """Whether rules by media type and size let an answer be stored."""
        headers = parse_response(head).headers
        size = declared_length(headers)
        candidate = self._candidate_for(self.urls.redact(url.partition("#")[0]), self._url_store.find(page))
        return judge_scope(self._frontier.policy, candidate, declared_media_type(headers), size).is_allowed

    def record_result(
        self, fetched: FetchResult, number: int, page: str, slot: ResponseSlot | None, kept: bool
    ) -> None:
        """Store what came, unless rules leave it out, and have it entered when it is on disk."""
        url, outcome = fetched.request.url, outcome_from_result(fetched)
        self._frontier.unqueued.record_outcome(url, outcome, self._clock.now(), number)
        self._requests.learn_address(Candidate(0, url, host_key_of(url)), outcome.address, fetched.request.private)
        exchange = fetched.exchange
        if not kept:
            self._frontier.unqueued.settle_for_page()
            return
        if exchange is None:
            # The fast tier tries again, as the page may only have lost interest.
            self._frontier.unqueued.settle_for_page()
            self.add_links(page, [Link(url, LinkRole.EMBED, BROWSER_SOURCE)])
            return
        if outcome.failure and declared_media_type(parse_response(exchange.response).headers) in _ENDLESS_TYPES:
            outcome = outcome._replace(failure="")
        self._learn_cookies(exchange.response)
        source = self._url_store.find(page)
        context = ExtractionContext(
            self._capture.run_id, source.depth if source else 0, requisite=1, wants_programs=True
        )
        promise = self._submit(replace(exchange, via=exchange.via or page), context)
        if promise is not None:
            self._unstored.add(_UnstoredResponse(fetched, outcome, page, slot), promise)

    def _redact(self, exchange: Exchange) -> Exchange:
        """An exchange as it is recorded."""
        redacted = self.redactor.redact(exchange)
        if (finding := redacted.finding) is not None:
            self.note_warning(f"{finding.source}: {finding.message} [{finding.code}]")
        return redacted.exchange

    def _learn_cookies(self, head: bytes) -> None:
        """Know the cookies of a login that a server sets anew: scripts may write them anywhere."""
        if self.redactor.is_off or b"et-cookie" not in head.lower():
            return
        for value in parse_response(head).headers.all("set-cookie"):
            name, _, content = value.partition(";")[0].partition("=")
            self.redactor.known.learn(cookie_secrets(name.strip(), content.strip()))

    def _submit(self, exchange: Exchange, context: ExtractionContext) -> Acknowledgement | None:
        redacted = self._redact(exchange)
        reading = partial(analyse_exchange, context)
        if redacted.response is not exchange.response:
            reading = partial(analyse_with_head, context, exchange.response)
        try:
            return self._capture.submit(redacted, reading)
        except StorageError as error:
            self.failure = self.failure or error
            return None

    def _settle_acknowledged(self) -> None:
        """Enter what is on disk by now."""
        for each, promise in self._unstored.take_acknowledged():
            try:
                written = promise.written
            except StorageError as error:
                self.failure = self.failure or error
                continue
            if written is not None and each.slot is not None:
                self._held.set_place(each.slot, written[0])
            extracted = self._extract_links(each, promise)
            self._frontier.unqueued.settle_for_page()
            self._store_response(each, extracted)
            if written is not None and each.fetched.request.method == "GET":
                url = self.urls.redact(each.fetched.request.url.partition("#")[0])
                self._note_stored(url, written[0], written[1].media_type, extracted.programs)
                self._tally.note_stored(url, written[1].media_type, each.outcome.status, self._clock.now())
        self._settled.set()

    def _extract_links(self, coming: _UnstoredResponse, promise: Acknowledgement) -> ExtractedLinks:
        try:
            return cast("ExtractedLinks", promise.analysis())
        except Exception as error:  # noqa: BLE001 - whatever a page does to a parser, it is that page's fate alone
            url = self.urls.redact(coming.fetched.request.url)
            self.note_warning(f"{url}: its links could not be read ({type(error).__name__}: {error})")
            return ExtractedLinks([])

    def _store_response(self, coming: _UnstoredResponse, extracted: ExtractedLinks) -> None:
        """Enter a URL as stored, with its links; of what is held in part or by another method the links alone."""
        url, page, outcome = coming.fetched.request.url, coming.page, coming.outcome
        links = links_from_found(extracted.links)
        if coming.fetched.request.method != "GET":
            self.add_links(page, list(links))
        else:
            self.add_links(page, [Link(url, LinkRole.EMBED, BROWSER_SOURCE)])
            if outcome.status != PARTIAL_CONTENT:
                bare = self.urls.redact(url.partition("#")[0])
                self._frontier.restore(bare, page, outcome, links, self._clock.now(), is_received=True)
        self._wake()

    def add_links(self, page: str, links: list[Link]) -> None:
        """Enter links that showed only as a page ran."""
        source = self._url_store.find(page)
        if source is not None:
            self._frontier.discover(source, links, self._clock.now())

    @property
    def is_settled(self) -> bool:
        """Whether all that came is on disk and entered."""
        return not self._unstored

    async def await_settled(self, page: str) -> None:
        """Wait until all that came for a page is on disk and entered."""
        while self.failure is None and any(each.page == page for each in self._unstored.subjects()):
            self._settled.clear()
            await self._settled.wait()
        if self.failure is not None:
            raise self.failure

    def record_websocket(self, exchange: Exchange, moment: Moment, media_type: str, frames: Body, cut: str) -> None:
        """Keep a WebSocket's handshake and frames."""
        try:
            redacted = self._redact(exchange)
            self._capture.submit(redacted)
            if frames.size:
                self._capture.submit_resource(redacted.url, moment, media_type, frames, truncated=cut)
        except StorageError as error:
            self.failure = self.failure or error

    def note_left_out(self, url: str, page: str) -> None:
        """Have the URL store say what became of something that was refused."""
        if url.startswith(("http:", "https:")):
            self.add_links(page, [Link(url.partition("#")[0], LinkRole.EMBED, BROWSER_SOURCE)])
