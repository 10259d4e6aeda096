"""The session of a recording: it is a capture, and what passes the proxy becomes its records.

Theory of operation. The proxy passes bytes on by itself and hands every exchange that has ended to the `Session`, on
the loop's thread. The session leaves out what is private, hands the exchange to the archive's writer and goes on; the
writer's acknowledgement settles what became of it. Where the disk is slower than the clients, new requests wait.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from webkeep.crawl.record_frames import FRAMES_TYPE, frames_text
from webkeep.crawl.record_manners import Manners
from webkeep.crawl.record_pages import RecordedPage, is_page, title_of
from webkeep.crawl.record_plan import RecordPlan
from webkeep.errors import StorageError
from webkeep.fetch.addresses import authority_of
from webkeep.fetch.recording import Asked, Choice, Conversation, Refuse, Send
from webkeep.fetch.recording.client_head import parse_authority
from webkeep.fetch.recording.transfer import CLIENT_GONE
from webkeep.fetch.request import Failure, Fetched
from webkeep.fetch.status import status_of
from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import BytesBody, Exchange, Fate, Finding, Outcome
from webkeep.redaction import Redactor
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.writable import OpenCapture
from webkeep.url import Subject

_MOST_BYTES = 24 << 20
_MOST_WAITING = 2000
_FATES_HELD = 2000
_PAGES_KEPT = 1000
_LONGEST_NUMBER = 18
_GATHERED = 192
_GATHERING_SECONDS = 0.05

_SENDS = {(keep, private): Send(keep, private) for keep in (False, True) for private in (False, True)}


@dataclass(frozen=True, slots=True)
class Passing:
    """One exchange that came to its end, for whoever watches."""

    url: str
    method: str
    status: int
    outcome: Outcome
    reason: str
    bytes: int


class RecordWatcher(Protocol):
    """Someone who is told what is recorded."""

    def begun(self, capture: str, address: str) -> None:
        """The proxy listens."""

    def passed(self, passing: Passing) -> None:
        """An exchange came to its end, and to the disk where it was recorded."""

    def page(self, page: RecordedPage) -> None:
        """Someone went to a page."""

    def noted(self, text: str) -> None:
        """Something that a person should know."""


@dataclass(slots=True)
class Recorded:
    """What a recording came to."""

    capture: str = ""
    counts: Counter[Outcome] = field(default_factory=Counter)
    """How many exchanges ended in which way."""
    bytes: int = 0
    seconds: float = 0.0
    redactions: int = 0
    unread: int = 0
    """Bodies of requests that could not be read, and were left out for what they may hold."""
    gaps: int = 0
    """Exchanges that passed and could not be recorded."""
    gap_reason: str = ""
    pages: list[RecordedPage] = field(default_factory=list)
    sockets: int = 0


class Session:
    """Keeps what passes a proxy; it is the proxy's recorder."""

    def __init__(self, plan: RecordPlan, capture: OpenCapture, watcher: RecordWatcher) -> None:
        self._plan = plan
        self._capture = capture
        self._watcher = watcher
        self._loop = asyncio.get_running_loop()
        self._gathered: list[tuple[Passing, Exchange]] = []
        self._handing_over: asyncio.TimerHandle | None = None
        self._waiting: deque[tuple[Acknowledgement, Passing, Exchange | None]] = deque()
        self._size = 0
        self._is_rung = False
        self._changed = asyncio.Event()
        self._fates: dict[str, Fate] = {}
        self._looks_at_answers = bool(plan.rules)
        self._redactor = Redactor(plan.redaction)
        self.manners: Manners | None = None
        """What requests wait for, where anything."""
        self.taken_down: Mapping[str, str] = {}
        """URLs that are passed on and not recorded, because they were taken down: each with when and why."""
        self.failure: StorageError | None = None
        """Why nothing can be recorded any more."""
        self.failed = asyncio.Event()
        self.recorded = Recorded(capture.id)

    @property
    def goes_on(self) -> bool:
        """Whether clients are served even where nothing can be recorded."""
        return self._plan.best_effort

    def choose(self, asked: Asked) -> Choice | Awaitable[Choice]:
        """What to do about a request; to be awaited while too much is on its way to the disk."""
        if self.failure is not None and not self.goes_on:
            raise self.failure
        if self._plan.hook is not None or self.manners is not None or self._is_behind:
            return self._chosen(asked)
        return self._by_rule(asked)

    async def _chosen(self, asked: Asked) -> Choice:
        while self._is_behind:
            self._changed.clear()
            await self._changed.wait()
        if self._plan.hook is not None and (choice := await self._plan.hook(asked)) is not None:
            return choice
        choice = self._by_rule(asked)
        if self.manners is not None and (reason := await self.manners.refusal(asked.url, choice.private)):
            return Refuse(403, reason)
        return choice

    @property
    def _is_behind(self) -> bool:
        """Whether the disk is slower than the clients."""
        return self.failure is None and (self._size > _MOST_BYTES or len(self._waiting) > _MOST_WAITING)

    def _by_rule(self, asked: Asked) -> Send:
        keep = self._plan.wants(Subject(asked.url)) is not False if self._looks_at_answers else True
        return _SENDS[keep and asked.url not in self.taken_down, self._opens(asked.url)]

    def _opens(self, url: str) -> bool:
        if self._plan.private:
            return True
        where = parse_authority(authority_of(url), 443 if url.startswith("https:") else 80)
        return where is not None and self._plan.opens(where.host, where.port)

    def keeps(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded."""
        if not self._looks_at_answers:
            return True
        parsed = parse_response(head)
        text = parsed.headers.get("content-length").strip()
        size = int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None
        return self._plan.wants(Subject(url, media_type(parsed.headers), size)) is not False

    def passed(self, fetched: Fetched, kept: bool) -> None:
        """An exchange has come to its end: keep it, and note what became of it."""
        url, exchange, failure = fetched.request.url, fetched.exchange, fetched.failure
        if self.manners is not None:
            self.manners.ended(url)
        if exchange is None and failure is None:
            self._lose(url, fetched.request.method, fetched.detail)
            return
        status = status_of(exchange.response) if exchange is not None else 0
        size = exchange.body.size if exchange is not None else 0
        if kept and exchange is not None and self._is_too_long(url, exchange):
            kept = False
        passing = Passing(url, fetched.request.method, status, Outcome.STORED, _oddity(fetched), size)
        if url in self.taken_down:
            self._settle(replace(passing, outcome=Outcome.TAKEN_DOWN, reason=self.taken_down[url]))
        elif not kept:
            self._settle(replace(passing, outcome=Outcome.OUT_OF_SCOPE, reason="left out by rule"))
        elif exchange is None and fetched.detail == CLIENT_GONE:
            self._settle(replace(passing, outcome=Outcome.CUT, reason=CLIENT_GONE))
        elif exchange is None:
            self._settle(replace(passing, outcome=Outcome.FAILED, reason=f"{failure}: {fetched.detail}"))
        else:
            self._keep(passing, exchange)

    def _is_too_long(self, url: str, exchange: Exchange) -> bool:
        """Whether rules by size leave it out, now that its size is known."""
        if not self._looks_at_answers:
            return False
        kind = media_type(parse_response(exchange.response).headers)
        return self._plan.wants(Subject(url, kind, exchange.body.size)) is False

    def _keep(self, passing: Passing, exchange: Exchange) -> None:
        redacted = self._redactor.redact(exchange)
        self.recorded.redactions += redacted.count
        if redacted.exchange.url != passing.url:
            passing = replace(passing, url=redacted.exchange.url)
        if (finding := redacted.finding) is not None:
            passing = self._tell(finding, passing)
        self._size += min(passing.bytes, 1 << 20)
        self._gathered.append((passing, redacted.exchange))
        # The writer is woken for many at a time: to wake it for each would cost more than to write it.
        if len(self._gathered) >= _GATHERED or self._size > _MOST_BYTES:
            self._hand_over()
        elif self._handing_over is None:
            self._handing_over = self._loop.call_later(_GATHERING_SECONDS, self._hand_over)

    def _tell(self, finding: Finding, passing: Passing) -> Passing:
        """Say that something was left out that could not be read."""
        self.recorded.unread += 1
        self._watcher.noted(f"{finding.source}: {finding.message} [{finding.code}]")
        return replace(passing, reason="; ".join(filter(None, (passing.reason, finding.message))))

    def _hand_over(self) -> None:
        """Give the writer what was gathered."""
        if self._handing_over is not None:
            self._handing_over.cancel()
            self._handing_over = None
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        studied = [(exchange, title_of if is_page(exchange) else None) for _, exchange in gathered]
        try:
            promises = self._capture.submit_all(studied)
        except StorageError as error:
            self._break(error)
            for passing, _ in gathered:
                self._size -= min(passing.bytes, 1 << 20)
                self._lose(passing.url, passing.method, str(error))
            return
        for promise, (passing, _), (exchange, study) in zip(promises, gathered, studied, strict=True):
            self._waiting.append((promise, passing, exchange if study is not None else None))
        promises[-1].add_done_callback(self._ring)  # what was handed over before it is done by then

    def _ring(self, _: Acknowledgement) -> None:
        if not self._is_rung:
            self._is_rung = True
            with suppress(RuntimeError):  # the loop saw by itself that all was done, and is closed
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        """Settle what is on disk by now."""
        self._is_rung = False
        while self._waiting and self._waiting[0][0].done:
            promise, passing, page = self._waiting.popleft()
            self._size -= min(passing.bytes, 1 << 20)
            self._acknowledged(promise, passing, page)
        self._changed.set()

    def _acknowledged(self, promise: Acknowledgement, passing: Passing, page: Exchange | None) -> None:
        try:
            written = promise.written
        except StorageError as error:
            self._break(error)
            self._lose(passing.url, passing.method, str(error))
            return
        self.recorded.bytes += passing.bytes
        if written is not None and written[1].record_type == "revisit" and passing.outcome is Outcome.STORED:
            passing = replace(passing, outcome=Outcome.DUPLICATE)
        self._settle(passing)
        if page is not None:
            found = RecordedPage(page.url, page.moment, str(promise.studied() or ""))
            if len(self.recorded.pages) < _PAGES_KEPT:
                self.recorded.pages.append(found)
            self._watcher.page(found)

    def _settle(self, passing: Passing) -> None:
        url, secrets = self._redactor.redact_url(passing.url)
        if secrets:
            passing = replace(passing, url=url, reason=self._redactor.redact_text(passing.reason)[0])
        self.recorded.counts[passing.outcome] += 1
        self._fates[passing.url] = Fate(passing.url, passing.outcome, passing.reason)
        self._watcher.passed(passing)
        if len(self._fates) >= _FATES_HELD and self.failure is None:
            self._write_fates()

    def _write_fates(self) -> None:
        fates, self._fates = self._fates, {}
        self._capture.note_fates(fates.values())

    def _break(self, error: StorageError) -> None:
        if self.failure is None:
            self.failure = error
            self.recorded.gap_reason = str(error)
            self._watcher.noted(f"nothing can be recorded any more: {error}")
            self.failed.set()
            self._changed.set()

    def _lose(self, url: str, method: str, reason: str) -> None:
        self.recorded.gaps += 1
        self.recorded.gap_reason = self.recorded.gap_reason or reason
        self._settle(Passing(url, method, 0, Outcome.FAILED, f"not recorded: {reason}", 0))

    def conversed(self, conversation: Conversation) -> None:
        """Keep a WebSocket: its handshake as any exchange, its frames as a file beside it."""
        handshake = conversation.handshake
        exchange = replace(handshake, url=_socket_url(handshake.url))
        self.recorded.sockets += 1
        text, redactions = frames_text(conversation, self._redactor)
        frames = BytesBody(text)
        self.recorded.redactions += redactions
        status = status_of(handshake.response)
        told = f"{len(conversation.frames)} frames{', not all kept' if conversation.is_cut else ''}"
        passing = Passing(exchange.url, "GET", status, Outcome.STORED, told, frames.size)
        self._keep(passing, exchange)
        if conversation.frames and self.failure is None:
            cut = "length" if conversation.is_cut else ""
            moment = conversation.frames[-1][0]
            try:
                url, _ = self._redactor.redact_url(exchange.url)
                self._capture.submit_resource(url, moment, FRAMES_TYPE, frames, truncated=cut)
            except StorageError as error:
                self._break(error)

    def left_out(self, url: str, reason: str) -> None:
        """Something passed, or was refused, without being recorded."""
        if url:
            self._settle(Passing(url, "", 0, Outcome.REFUSED, reason, 0))

    def noted(self, text: str) -> None:
        """Something that a person should know."""
        self._watcher.noted(text)

    def finish(self) -> None:
        """Wait for the disk, note all fates and end the capture."""
        self._hand_over()
        while self._waiting:
            with suppress(StorageError):  # it is found and told below
                self._waiting[0][0].result()
            self._take()
        if self.failure is not None:
            return
        self._write_fates()
        pages = [[page.url, page.moment.iso(), page.title] for page in self.recorded.pages]
        facts = {
            "pages": json.dumps(pages, ensure_ascii=False),
            "redactions": str(self.recorded.redactions),
            "unread": str(self.recorded.unread),
            "gaps": str(self.recorded.gaps),
        }
        self._capture.end(facts)


def _socket_url(url: str) -> str:
    return "ws" + url.removeprefix("http")


def _oddity(fetched: Fetched) -> str:
    if fetched.failure is None:
        return fetched.detail
    reason = f"{fetched.failure}: {fetched.detail}"
    return f"cut off: {reason}" if fetched.failure is Failure.DISCONNECTED else reason
