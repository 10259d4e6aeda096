"""The session of a recording: it is a capture, and what passes the proxy becomes its records. It decides what is left
out and why, when clients wait for the disk, and how many pages are listed.

Theory of operation. The proxy passes bytes on by itself and hands every exchange that has ended to the
`RecordingSession`, on
the loop's thread. The session leaves out what is private, hands the exchange to the archive's writer and goes on; the
writer's acknowledgement settles what became of it. Where the disk is slower than the clients, new requests wait.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from webkeep.crawl.recording.recorded_pages import RecordedPage, is_page_view, page_title_of
from webkeep.crawl.recording.recording_plan import RecordingPlan
from webkeep.crawl.recording.recording_politeness import RecordingPoliteness
from webkeep.crawl.recording.socket_frames import FRAMES_TYPE, render_frames
from webkeep.errors import StorageError
from webkeep.fetch import FetchFailure, FetchResult, authority_of
from webkeep.fetch.proxy import (
    CLIENT_GONE,
    InterceptedRequest,
    ProxyDecision,
    RefuseRequest,
    SendUpstream,
    WebSocketConversation,
    parse_host_port,
)
from webkeep.formats.http import declared_length, declared_media_type, parse_response
from webkeep.formats.status import status_of
from webkeep.model import BytesBody, Clock, Exchange, Fate, Finding, RecordType, UrlOutcome
from webkeep.redaction import Redactor
from webkeep.redaction.values import KnownValues
from webkeep.store.archive import OpenCapture
from webkeep.store.writing import Acknowledgement, Receipts, counted_size
from webkeep.url.scope import RuleSubject

_BATCH_FATES = 2000
"""Fates written together: a transaction for each would take longer than the fate."""
_MAX_PAGES = 1000
"""Pages that are listed with the capture, for a person to begin at."""
_BATCH_EXCHANGES = 192
"""Exchanges given to the writer together: to wake it for each would cost more than to write it."""
_SUBMIT_SECONDS = 0.05
"""So long an exchange waits for others at most: nobody notices, and the writer is woken twenty times a second at
most."""

_SEND_DECISIONS = {(keep, private): SendUpstream(keep, private) for keep in (False, True) for private in (False, True)}


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One exchange that came to its end, for whoever watches."""

    url: str
    method: str
    status: int
    outcome: UrlOutcome
    reason: str
    bytes: int


class RecordingObserver(Protocol):
    """Someone who is told what is recorded."""

    def on_started(self, capture: str, address: str) -> None:
        """The proxy listens."""

    def on_exchange(self, recorded: RecordedExchange) -> None:
        """An exchange came to its end, and to the disk where it was recorded."""

    def on_page(self, page: RecordedPage) -> None:
        """Someone went to a page."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""


@dataclass(slots=True)
class RecordingResult:
    """What a recording came to."""

    capture: str = ""
    counts: Counter[UrlOutcome] = field(default_factory=Counter)
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


class RecordingSession:
    """Keeps what passes a proxy; it is the proxy's recorder."""

    def __init__(
        self,
        plan: RecordingPlan,
        capture: OpenCapture,
        clock: Clock,
        observer: RecordingObserver,
        taken_down: Mapping[str, str],
        politeness: RecordingPoliteness | None = None,
    ) -> None:
        """URLs that were `taken_down`, each with when and why, are passed on and not recorded.

        Requests wait for what `politeness` says, where there is any.
        """
        self._plan = plan
        self._capture = capture
        self._clock = clock
        self._began = clock.now()
        self._observer = observer
        self._taken_down = taken_down
        self._politeness = politeness
        self._loop = asyncio.get_running_loop()
        self._gathered: list[tuple[RecordedExchange, Exchange]] = []
        self._gathered_bytes = 0
        self._submit_timer: asyncio.TimerHandle | None = None
        self._receipts: Receipts[tuple[RecordedExchange, Exchange | None]] = Receipts(self._settle_acknowledged)
        self._changed = asyncio.Event()
        self._fates: dict[str, Fate] = {}
        self._looks_at_answers = bool(plan.rules)
        self._redactor = Redactor(plan.redaction, KnownValues(plan.secrets))
        self.failure: StorageError | None = None
        """Why nothing can be recorded any more."""
        self.failed_event = asyncio.Event()
        self.result = RecordingResult(capture.id)

    @property
    def serves_unrecorded(self) -> bool:
        """Whether clients are served even where nothing can be recorded."""
        return self._plan.best_effort

    def decide(self, asked: InterceptedRequest) -> ProxyDecision | Awaitable[ProxyDecision]:
        """What to do about a request; to be awaited while too much is on its way to the disk."""
        if self.failure is not None and not self.serves_unrecorded:
            raise self.failure
        if self._plan.hook is not None or self._politeness is not None or self._is_disk_behind:
            return self._decide_later(asked)
        return self._decide_by_rules(asked)

    async def _decide_later(self, asked: InterceptedRequest) -> ProxyDecision:
        while self._is_disk_behind:
            self._changed.clear()
            await self._changed.wait()
        if self._plan.hook is not None and (choice := await self._plan.hook(asked)) is not None:
            return choice
        choice = self._decide_by_rules(asked)
        if self._politeness is not None and (
            reason := await self._politeness.await_turn(asked.url, choice.private, self._record_robots)
        ):
            return RefuseRequest(403, reason)
        return choice

    @property
    def _is_disk_behind(self) -> bool:
        """Whether the disk is slower than the clients."""
        return self.failure is None and self._receipts.is_full(self._gathered_bytes)

    def _decide_by_rules(self, asked: InterceptedRequest) -> SendUpstream:
        keep = self._plan.is_recorded(RuleSubject(asked.url)) is not False if self._looks_at_answers else True
        return _SEND_DECISIONS[keep and asked.url not in self._taken_down, self._may_reach_private(asked.url)]

    def _may_reach_private(self, url: str) -> bool:
        if self._plan.private:
            return True
        where = parse_host_port(authority_of(url), 443 if url.startswith("https:") else 80)
        return where is not None and self._plan.may_reach_private(where.host, where.port)

    def is_recorded(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded."""
        if not self._looks_at_answers:
            return True
        parsed = parse_response(head)
        size = declared_length(parsed.headers)
        return self._plan.is_recorded(RuleSubject(url, declared_media_type(parsed.headers), size)) is not False

    def record_exchange(self, fetched: FetchResult, kept: bool) -> None:
        """An exchange has come to its end: keep it, and note what became of it."""
        url, exchange, failure = fetched.request.url, fetched.exchange, fetched.failure
        if self._politeness is not None:
            self._politeness.record_end(url)
        if exchange is None and failure is None:
            self._count_gap(url, fetched.request.method, fetched.detail)
            return
        status = status_of(exchange.response) if exchange is not None else 0
        size = exchange.body.size if exchange is not None else 0
        if kept and exchange is not None and self._is_excluded_by_size(url, exchange):
            kept = False
        recorded = RecordedExchange(url, fetched.request.method, status, UrlOutcome.STORED, _oddity_of(fetched), size)
        if url in self._taken_down:
            self._note_fate(replace(recorded, outcome=UrlOutcome.TAKEN_DOWN, reason=self._taken_down[url]))
        elif not kept:
            self._note_fate(replace(recorded, outcome=UrlOutcome.OUT_OF_SCOPE, reason="left out by rule"))
        elif exchange is None and fetched.detail == CLIENT_GONE:
            self._note_fate(replace(recorded, outcome=UrlOutcome.CUT, reason=CLIENT_GONE))
        elif exchange is None:
            self._note_fate(replace(recorded, outcome=UrlOutcome.FAILED, reason=f"{failure}: {fetched.detail}"))
        else:
            self._gather(recorded, exchange)

    def _record_robots(self, fetched: FetchResult) -> None:
        """Keep a robots.txt that was asked for on behalf of a client."""
        self.record_exchange(fetched, True)

    def _is_excluded_by_size(self, url: str, exchange: Exchange) -> bool:
        """Whether rules by size leave it out, now that its size is known."""
        if not self._looks_at_answers:
            return False
        kind = declared_media_type(parse_response(exchange.response).headers)
        return self._plan.is_recorded(RuleSubject(url, kind, exchange.body.size)) is False

    def _gather(self, recorded: RecordedExchange, exchange: Exchange) -> None:
        redacted = self._redactor.redact(exchange)
        self.result.redactions += redacted.count
        if redacted.exchange.url != recorded.url:
            recorded = replace(recorded, url=redacted.exchange.url)
        if (finding := redacted.finding) is not None:
            recorded = self._note_unread(finding, recorded)
        self._gathered_bytes += counted_size(recorded.bytes)
        self._gathered.append((recorded, redacted.exchange))
        # The writer is woken for many at a time: to wake it for each would cost more than to write it.
        if len(self._gathered) >= _BATCH_EXCHANGES or self._receipts.is_full(self._gathered_bytes):
            self._submit_gathered()
        elif self._submit_timer is None:
            self._submit_timer = self._loop.call_later(_SUBMIT_SECONDS, self._submit_gathered)

    def _note_unread(self, finding: Finding, recorded: RecordedExchange) -> RecordedExchange:
        """Say that something was left out that could not be read."""
        self.result.unread += 1
        self._observer.on_note(f"{finding.source}: {finding.message} [{finding.code}]")
        return replace(recorded, reason="; ".join(filter(None, (recorded.reason, finding.message))))

    def _submit_gathered(self) -> None:
        """Give the writer what was gathered."""
        if self._submit_timer is not None:
            self._submit_timer.cancel()
            self._submit_timer = None
        gathered, self._gathered, self._gathered_bytes = self._gathered, [], 0
        if not gathered:
            return
        studied = [(exchange, page_title_of if is_page_view(exchange) else None) for _, exchange in gathered]
        try:
            promises = self._capture.submit_all(studied)
        except StorageError as error:
            self._stop_recording(error)
            for recorded, _ in gathered:
                self._count_gap(recorded.url, recorded.method, str(error))
            return
        self._receipts.add_all(
            ((recorded, exchange if study is not None else None), promise, recorded.bytes)
            for promise, (recorded, _), (exchange, study) in zip(promises, gathered, studied, strict=True)
        )

    def _settle_acknowledged(self) -> None:
        """Settle what is on disk by now."""
        for (recorded, page), promise in self._receipts.take_acknowledged():
            self._settle_exchange(promise, recorded, page)
        self._changed.set()

    def _settle_exchange(self, promise: Acknowledgement, recorded: RecordedExchange, page: Exchange | None) -> None:
        try:
            written = promise.written
        except StorageError as error:
            self._stop_recording(error)
            self._count_gap(recorded.url, recorded.method, str(error))
            return
        self.result.bytes += recorded.bytes
        if (
            written is not None
            and written[1].record_type == RecordType.REVISIT
            and recorded.outcome is UrlOutcome.STORED
        ):
            recorded = replace(recorded, outcome=UrlOutcome.DUPLICATE)
        self._note_fate(recorded)
        if page is not None:
            found = RecordedPage(page.url, page.moment, str(promise.analysis() or ""))
            if len(self.result.pages) < _MAX_PAGES:
                self.result.pages.append(found)
            self._observer.on_page(found)

    def _note_fate(self, recorded: RecordedExchange) -> None:
        url, secrets = self._redactor.redact_url(recorded.url)
        if secrets:
            recorded = replace(recorded, url=url, reason=self._redactor.redact_text(recorded.reason)[0])
        self.result.counts[recorded.outcome] += 1
        self._fates[recorded.url] = Fate(recorded.url, recorded.outcome, recorded.reason)
        self._observer.on_exchange(recorded)
        if len(self._fates) >= _BATCH_FATES and self.failure is None:
            self._write_fates()

    def _write_fates(self) -> None:
        fates, self._fates = self._fates, {}
        self._capture.submit_fates(fates.values())

    def _stop_recording(self, error: StorageError) -> None:
        if self.failure is None:
            self.failure = error
            self.result.gap_reason = str(error)
            self._observer.on_note(f"nothing can be recorded any more: {error}")
            self.failed_event.set()
            self._changed.set()

    def _count_gap(self, url: str, method: str, reason: str) -> None:
        self.result.gaps += 1
        self.result.gap_reason = self.result.gap_reason or reason
        self._note_fate(RecordedExchange(url, method, 0, UrlOutcome.FAILED, f"not recorded: {reason}", 0))

    def record_websocket(self, conversation: WebSocketConversation) -> None:
        """Keep a WebSocket: its handshake as any exchange, its frames as a file beside it."""
        handshake = conversation.handshake
        exchange = replace(handshake, url=_socket_url(handshake.url))
        self.result.sockets += 1
        text, redactions = render_frames(conversation, self._redactor)
        frames = BytesBody(text)
        self.result.redactions += redactions
        status = status_of(handshake.response)
        told = f"{len(conversation.frames)} frames{', not all kept' if conversation.is_cut else ''}"
        recorded = RecordedExchange(exchange.url, "GET", status, UrlOutcome.STORED, told, frames.size)
        self._gather(recorded, exchange)
        if conversation.frames and self.failure is None:
            cut = "length" if conversation.is_cut else ""
            moment = conversation.frames[-1][0]
            try:
                url, _ = self._redactor.redact_url(exchange.url)
                self._capture.submit_resource(url, moment, FRAMES_TYPE, frames, truncated=cut)
            except StorageError as error:
                self._stop_recording(error)

    def note_left_out(self, url: str, reason: str) -> None:
        """Something passed, or was refused, without being recorded."""
        if url:
            self._note_fate(RecordedExchange(url, "", 0, UrlOutcome.REFUSED, reason, 0))

    def note_warning(self, text: str) -> None:
        """Something that a person should know."""
        self._observer.on_note(text)

    def finish(self) -> None:
        """Wait for the disk, note all fates and end the capture."""
        self._settle_all()
        self.result.seconds = self._clock.now().seconds_since(self._began)

    def _settle_all(self) -> None:
        self._submit_gathered()
        while self._receipts:
            self._receipts.wait_for_first()
            self._settle_acknowledged()
        if self.failure is not None:
            return
        self._write_fates()
        pages = [[page.url, page.moment.iso(), page.title] for page in self.result.pages]
        facts = {
            "pages": json.dumps(pages, ensure_ascii=False),
            "redactions": str(self.result.redactions),
            "unread": str(self.result.unread),
            "gaps": str(self.result.gaps),
        }
        self._capture.end(facts)


def _socket_url(url: str) -> str:
    return "ws" + url.removeprefix("http")


def _oddity_of(fetched: FetchResult) -> str:
    if fetched.failure is None:
        return fetched.detail
    reason = f"{fetched.failure}: {fetched.detail}"
    return f"cut off: {reason}" if fetched.failure is FetchFailure.DISCONNECTED else reason
