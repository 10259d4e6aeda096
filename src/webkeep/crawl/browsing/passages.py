"""Passages: what pages in a browser ask for, let through by the frontier's rules and entered into the book.

A request waits for its host's turn and obeys its robots.txt like one of the fast tier. What comes is stored; when it is
on disk, its URL and its links are in the book, with the page that led there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from webkeep.crawl.answering import answer_of
from webkeep.crawl.browsing.held import HeldAnswers, Slot
from webkeep.crawl.requests import Requests
from webkeep.crawl.secret_urls import SecretUrls
from webkeep.crawl.studied import Situation, Studied, as_links
from webkeep.crawl.study import study, study_as_it_came
from webkeep.errors import StorageError
from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.fetch.request import Fetched, Limits
from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import parse_response
from webkeep.frontier.admission import decide
from webkeep.frontier.answer import Answer, Settled
from webkeep.frontier.candidate import Candidate
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.host import host_of
from webkeep.frontier.linking import linked
from webkeep.model import Body, Clock, Exchange, Moment, Outcome, Place
from webkeep.redaction import Redactor, cookie_secrets
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.job import JobBook
from webkeep.store.writable import OpenCapture

_PARTIAL = 206
_LONGEST_NUMBER = 18
_LONGEST_REST = 1.0
"""Seconds after which it is looked whether a capture still goes on."""
SOURCE = "browser"
"""Where links come from that a page asked for as it ran."""
_ENDLESS = frozenset({"text/event-stream", "multipart/x-mixed-replace"})
"""What has no end of its own, and is whole whenever its page leaves it."""
_KNOWN = frozenset({Outcome.STORED, Outcome.DUPLICATE, Outcome.FAILED, Outcome.QUEUED, Outcome.REFUSED})


@dataclass(frozen=True, slots=True)
class Permit:
    """Whether a page may ask for something, by which number it is under way, and whether that was foreseen."""

    number: int = 0
    refusal: str = ""
    private: bool = False
    is_new: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class _Coming:
    fetched: Fetched
    answer: Answer
    page: str
    slot: Slot | None
    promise: Acknowledgement


class Passages:
    """What all lanes of a capture share."""

    def __init__(
        self,
        capture: OpenCapture,
        frontier: Frontier,
        book: JobBook,
        requests: Requests,
        held: HeldAnswers,
        clock: Clock,
        redactor: Redactor,
        urls: SecretUrls,
        wake: Callable[[], None],
        note: Callable[[str], None],
        survey: Callable[[str, Place, str, Sequence[str]], None],
    ) -> None:
        self._capture, self._frontier, self._book = capture, frontier, book
        self._requests, self._held, self._clock = requests, held, clock
        self.redactor, self.urls = redactor, urls
        self._wake, self.noted, self._survey = wake, note, survey
        self._loop = asyncio.get_running_loop()
        self._number = 0
        self._coming: list[_Coming] = []
        self._settled = asyncio.Event()
        self.failure: StorageError | None = None
        """Why nothing can be stored any more."""
        self.sent = 0
        """How many requests reached a server."""
        self.curtailed: set[str] = set()
        """Pages that asked for more than the limits allow."""

    def is_ended(self) -> bool:
        """Whether pages may ask for nothing more, by the limits of the capture."""
        return self._frontier.is_at_limit

    async def permit(self, url: str, page: str) -> Permit:
        """Wait until a page may ask for a URL, or learn that it may not."""
        self._number -= 1
        number = self._number
        if self.failure is not None:
            raise self.failure
        source = self._book.find(page)
        bare = self.urls.redact(url.partition("#")[0])
        candidate = self._candidate(bare, source)
        is_new = not self._is_known(bare)
        request = self._requests.made(candidate, page)
        while True:
            now = self._clock.now()
            word = self._frontier.ask_for_page(candidate, number, now)
            if isinstance(word, Settled):
                if word.outcome is Outcome.CUT:
                    self.curtailed.add(page)
                return Permit(refusal=word.reason or "left out")
            if word <= now:
                self.sent += 1
                return Permit(number, "", request.private, is_new, request.limits)
            self._wake()
            await asyncio.sleep(max(word.seconds_since(now), 0.001))

    def _candidate(self, url: str, source: Candidate | None) -> Candidate:
        page = source or Candidate(0, url, "")
        return linked(page, url, Link(url, LinkRole.EMBED, SOURCE))

    def _is_known(self, url: str) -> bool:
        """Whether the fast tier had come upon it."""
        trail = self._book.trail(url, 1)
        return bool(trail) and trail[0].outcome in _KNOWN

    def is_known_page(self, url: str) -> bool:
        """Whether anything had led to a URL, wherever it lies."""
        return self._book.find(self.urls.redact(url)) is not None

    async def await_host(self, url: str) -> None:
        """Wait until a host that asked for peace may be asked again: a page would not wait for its parts that long."""
        while (rest := self._frontier.rest_of(host_of(url), self._clock.now())) > 0 and not self.is_ended():
            await asyncio.sleep(min(rest, _LONGEST_REST))

    def abandoned(self, url: str, page: str) -> None:
        """A page has gone while it waited for its turn to ask for something: the fast tier asks for it."""
        self.discovered(page, [Link(url.partition("#")[0], LinkRole.EMBED, SOURCE)])

    async def pause(self, url: str) -> None:
        """Leave a host in peace before one request costs it another."""
        await asyncio.sleep(self._frontier.delay_of(host_of(url)) or 0.0)

    def let_go(self, url: str, number: int) -> None:
        """Something that was permitted counts as under way no longer."""
        now = self._clock.now()
        self._frontier.answered_beside(url, Answer(now, now, 101), now, number)
        self._frontier.settle_page_request()

    def keeps(self, url: str, head: bytes, page: str) -> bool:
        """Whether rules by media type and size let an answer be stored."""
        headers = parse_response(head).headers
        length = headers.get("content-length").strip()
        size = int(length) if length.isascii() and length.isdigit() and len(length) < _LONGEST_NUMBER else None
        candidate = self._candidate(self.urls.redact(url.partition("#")[0]), self._book.find(page))
        return decide(self._frontier.policy, candidate, media_type(headers), size).allowed

    def ended(self, fetched: Fetched, number: int, page: str, slot: Slot | None, kept: bool) -> None:
        """Store what came, unless rules leave it out, and have it entered when it is on disk."""
        url, answer = fetched.request.url, answer_of(fetched)
        self._frontier.answered_beside(url, answer, self._clock.now(), number)
        self._requests.learned(Candidate(0, url, host_of(url)), answer.address, fetched.request.private)
        exchange = fetched.exchange
        if not kept:
            self._frontier.settle_page_request()
            return
        if exchange is None:
            # The fast tier tries again, as the page may only have lost interest.
            self._frontier.settle_page_request()
            self.discovered(page, [Link(url, LinkRole.EMBED, SOURCE)])
            return
        if answer.failure and media_type(parse_response(exchange.response).headers) in _ENDLESS:
            answer = replace(answer, failure="")
        self._learn_cookies(exchange.response)
        source = self._book.find(page)
        situation = Situation(self._capture.run_id, source.depth if source else 0, requisite=1, running=True)
        promise = self._submitted(replace(exchange, via=exchange.via or page), situation)
        if promise is not None:
            self._coming.append(_Coming(fetched, answer, page, slot, promise))
            promise.add_done_callback(self._ring)

    def _redacted(self, exchange: Exchange) -> Exchange:
        """An exchange as it is recorded."""
        redacted = self.redactor.redact(exchange)
        if (finding := redacted.finding) is not None:
            self.noted(f"{finding.source}: {finding.message} [{finding.code}]")
        return redacted.exchange

    def _learn_cookies(self, head: bytes) -> None:
        """Know the cookies of a login that a server sets anew: scripts may write them anywhere."""
        if self.redactor.is_off or b"et-cookie" not in head.lower():
            return
        for value in parse_response(head).headers.all("set-cookie"):
            name, _, content = value.partition(";")[0].partition("=")
            self.redactor.known.learn(cookie_secrets(name.strip(), content.strip()))

    def _submitted(self, exchange: Exchange, situation: Situation) -> Acknowledgement | None:
        redacted = self._redacted(exchange)
        reading = partial(study, situation)
        if redacted.response is not exchange.response:
            reading = partial(study_as_it_came, situation, exchange.response)
        try:
            return self._capture.submit(redacted, reading)
        except StorageError as error:
            self.failure = self.failure or error
            return None

    def _ring(self, _: Acknowledgement) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        """Enter what is on disk by now."""
        done = [each for each in self._coming if each.promise.done]
        self._coming = [each for each in self._coming if not each.promise.done]
        for each in done:
            try:
                written = each.promise.written
            except StorageError as error:
                self.failure = self.failure or error
                continue
            if written is not None and each.slot is not None:
                self._held.stored(each.slot, written[0])
            studied = self._studied(each)
            self._frontier.settle_page_request()
            self._enter(each, studied)
            if written is not None and each.fetched.request.method == "GET":
                url = self.urls.redact(each.fetched.request.url.partition("#")[0])
                self._survey(url, written[0], written[1].media_type, studied.programs)
        self._settled.set()

    def _studied(self, coming: _Coming) -> Studied:
        try:
            return cast("Studied", coming.promise.studied())
        except Exception as error:  # noqa: BLE001 - whatever a page does to a parser, it is that page's fate alone
            url = self.urls.redact(coming.fetched.request.url)
            self.noted(f"{url}: its links could not be read ({type(error).__name__}: {error})")
            return Studied([])

    def _enter(self, coming: _Coming, studied: Studied) -> None:
        """Enter a URL as stored, with its links; of what is held in part or by another method the links alone."""
        url, page, answer = coming.fetched.request.url, coming.page, coming.answer
        links = as_links(studied.links)
        if coming.fetched.request.method != "GET":
            self.discovered(page, list(links))
        else:
            self.discovered(page, [Link(url, LinkRole.EMBED, SOURCE)])
            if answer.status != _PARTIAL:
                bare = self.urls.redact(url.partition("#")[0])
                self._frontier.remember(bare, page, answer, links, self._clock.now(), is_received=True)
        self._wake()

    def discovered(self, page: str, links: list[Link]) -> None:
        """Enter links that showed only as a page ran."""
        source = self._book.find(page)
        if source is not None:
            self._frontier.discover(source, links, self._clock.now())

    @property
    def are_entered(self) -> bool:
        """Whether all that came is on disk and entered."""
        return not self._coming

    async def settled(self, page: str) -> None:
        """Wait until all that came for a page is on disk and entered."""
        while self.failure is None and any(each.page == page for each in self._coming):
            self._settled.clear()
            await self._settled.wait()
        if self.failure is not None:
            raise self.failure

    def keep_socket(self, exchange: Exchange, moment: Moment, media_type: str, frames: Body, cut: str) -> None:
        """Keep a WebSocket's handshake and frames."""
        try:
            redacted = self._redacted(exchange)
            self._capture.submit(redacted)
            if frames.size:
                self._capture.submit_resource(redacted.url, moment, media_type, frames, truncated=cut)
        except StorageError as error:
            self.failure = self.failure or error

    def left_out(self, url: str, page: str) -> None:
        """Have the book say what became of something that was refused."""
        if url.startswith(("http:", "https:")):
            self.discovered(page, [Link(url.partition("#")[0], LinkRole.EMBED, SOURCE)])
