"""A tab proxy: the recorded way of one tab to the web. It decides which requests are withheld (POST and the like
without `--allow-post`), which are answered from what is held, and how CORS preflights and WebSockets are met.

It is the recorder of a proxy of its own, so that it knows whose requests it carries: those of workers, sockets and
beacons too. Whatever was stored already is given again; what may be asked for waits for its turn with the frontier;
what might do something at a server is withheld, unless a person allowed it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from webkeep.browser import WithheldRequest
from webkeep.crawl.browsing.browser_requests import BrowserRequests, RequestPermit
from webkeep.crawl.browsing.held_responses import HeldResponses, RequestKey, ResponseSlot, forbid_caching
from webkeep.crawl.browsing.request_identity import RequestIdentity
from webkeep.crawl.recording.socket_frames import FRAMES_TYPE, render_frames
from webkeep.fetch import FetchResult
from webkeep.fetch.proxy import (
    InterceptedRequest,
    LocalResponse,
    ProxyDecision,
    ProxySettings,
    RecordingProxy,
    RefuseRequest,
    SendUpstream,
    WebSocketConversation,
    open_listeners,
)
from webkeep.model import Body, BytesBody, Clock, Exchange
from webkeep.url.scope import RuleSubject, UrlRule

# How long a tab proxy waits, of late: for its turn to ask, and for answers.

_SMOOTHING_WEIGHT = 0.2
"""The weight of the newest time in its mean: about the last ten count, so that a slow spell shows soon and passes
soon."""
_PACED_SECONDS = 0.1
"""Seconds of waiting for its turn from which on requests come one after the other anyway."""


class TabLatency:
    """Means that follow what was measured."""

    def __init__(self) -> None:
        self._for_turns = self._for_answers = 0.0

    @staticmethod
    def now() -> float:
        """The time on the loop's own clock."""
        return asyncio.get_running_loop().time()

    def record_turn(self, since: float) -> None:
        """A request got its turn that had waited for it since then."""
        self._for_turns += _SMOOTHING_WEIGHT * (self.now() - since - self._for_turns)

    def record_response(self, since: float) -> None:
        """An answer came to what was asked then."""
        took = self.now() - since
        self._for_answers += (_SMOOTHING_WEIGHT if self._for_answers else 1.0) * (took - self._for_answers)

    @property
    def response_seconds(self) -> float:
        """Seconds; 0.0 where requests are paced, so that several at once would only wait for their turns."""
        return self._for_answers if self._for_turns < _PACED_SECONDS else 0.0


_SAFE_METHODS = ("GET", "HEAD")
_MAX_BODY_BYTES = 64 * 1024
"""So much of a request's body tells it from others, and is kept of one that is withheld."""
_WITHHELD_REASON = "held back: it might do something at the server; --allow-post lets it pass"
_MAX_GIVEN_KEYS = 100_000
"""Requests of which it is remembered that they were answered from what is held."""
_NO_IDENTITY = RequestIdentity()


class _SentRequest(NamedTuple):
    """A request that was sent."""

    permit: int
    slot: ResponseSlot | None
    since: float


class TabProxy:
    """The recorder of one tab's proxy, and what its walk is told."""

    serves_unrecorded = False

    def __init__(
        self,
        held: HeldResponses,
        browser_requests: BrowserRequests,
        allowed: tuple[UrlRule, ...],
        identity: RequestIdentity = _NO_IDENTITY,
    ) -> None:
        self._held = held
        self._identity = identity
        self._requests = browser_requests
        self._allowed = allowed
        self._page = ""
        self._counts: Counter[RequestKey] = Counter()
        self._in_flight: defaultdict[RequestKey, deque[_SentRequest]] = defaultdict(deque)
        self._withheld_requests: list[WithheldRequest] = []
        self._undecided = 0
        """Requests that wait for their turn, or for an answer that another tab has asked for."""
        self._waits = TabLatency()
        self._given: set[RequestKey] = set()
        self._port = 0
        """Where its proxy listens, once it does."""
        self.asked_urls: set[str] = set()
        """The URLs that were asked for since this was last emptied."""
        self.fresh_urls: set[str] = set()
        """The URLs that were asked for since this was last emptied, and that nothing had led to before."""

    def listen_at(self, port: int) -> None:
        """The proxy that this records for listens there."""
        self._port = port

    # ---- for the walk ----

    @property
    def proxy_address(self) -> str:
        """Where the proxy listens."""
        return f"127.0.0.1:{self._port}"

    @property
    def latency_seconds(self) -> float:
        """How long the web takes to answer."""
        return self._waits.response_seconds

    @property
    def is_idle(self) -> bool:
        """Whether no request waits, and none was sent that was not answered to its end."""
        return not self._undecided and not self._in_flight

    def begin_path(self, url: str) -> None:
        """Count occurrences from the beginning."""
        self._page = self._requests.urls.redact(url)
        self._counts.clear()

    def take_withheld(self) -> tuple[WithheldRequest, ...]:
        """The requests held back since this was last asked."""
        withheld_requests, self._withheld_requests = tuple(self._withheld_requests), []
        return withheld_requests

    # ---- for the proxy ----

    def decide(self, asked: InterceptedRequest) -> ProxyDecision | Awaitable[ProxyDecision]:
        """What to do about a request."""
        if asked.upload is None:
            return self._decide_websocket(asked)
        if asked.head.method == "OPTIONS" and asked.head.get("access-control-request-method"):
            return _preflight_response(asked)
        return self._decide_request(asked)

    async def _decide_request(self, asked: InterceptedRequest) -> ProxyDecision:
        self._undecided += 1
        try:
            return await self._await_decision(asked)
        finally:
            self._undecided -= 1

    async def _await_decision(self, asked: InterceptedRequest) -> ProxyDecision:
        method, body = asked.head.method, b""
        self.asked_urls.add(self._requests.urls.redact(asked.url))
        if method not in _SAFE_METHODS:
            body = await asked.upload.read_beginning(_MAX_BODY_BYTES) if asked.upload is not None else b""
            if not any(rule.holds(RuleSubject(asked.url)) for rule in self._allowed):
                self._withheld_requests.append(WithheldRequest(method, asked.url, asked.head.get("content-type"), body))
                return RefuseRequest(403, _WITHHELD_REASON)
        key = RequestKey(method, asked.url, _body_digest(body) if body else asked.head.get("range"))
        self._counts[key] += 1
        occurrence = self._counts[key]
        conditional = bool(asked.head.get("if-none-match") or asked.head.get("if-modified-since"))
        held = await self._held.find(key, occurrence, conditional)
        if held is not None:
            return self._give_held(key, held)
        slot = self._held.reserve(key, occurrence)
        begun, page = self._waits.now(), self._page
        permit = None
        try:
            permit = await self._requests.await_permit(asked.url, page)
        finally:
            if permit is None or permit.refusal:
                self._held.release(key, slot)
            if permit is None and method in _SAFE_METHODS:
                self._requests.queue_abandoned(asked.url, page)
        if permit.refusal:
            return RefuseRequest(403, permit.refusal)
        if permit.is_new:
            self.fresh_urls.add(self._requests.urls.redact(asked.url))
        self._waits.record_turn(begun)
        self._in_flight[key].append(_SentRequest(permit.number, slot, self._waits.now()))
        return self._send_decision(asked, permit)

    def _give_held(self, key: RequestKey, response: LocalResponse) -> LocalResponse:
        """A held answer; the browser may keep it once a whole path was walked on which it was asked for but once."""
        lasts = key in self._given and self._held.is_asked_once(key)
        if len(self._given) >= _MAX_GIVEN_KEYS:
            self._given.clear()
        self._given.add(key)
        return response if lasts else forbid_caching(response)

    async def _decide_websocket(self, asked: InterceptedRequest) -> ProxyDecision:
        """A WebSocket is opened each time: nobody knows what will be said."""
        permit = await self._requests.await_permit(asked.url, self._page)
        if permit.refusal:
            return RefuseRequest(403, permit.refusal)
        self._requests.release_permit(asked.url, permit.number)
        self.fresh_urls.add(self._requests.urls.redact(asked.url))
        return self._send_decision(asked, permit)

    def _send_decision(self, asked: InterceptedRequest, permit: RequestPermit) -> SendUpstream:
        before_more = partial(self._requests.await_delay, asked.url)
        return self._identity.send_decision(asked.url, asked.head, permit.private, permit.limits, before_more)

    def is_recorded(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded: rules by media type and size hold for browsers too."""
        return self._requests.is_recorded(url, head, self._page)

    def record_exchange(self, fetched: FetchResult, kept: bool) -> None:
        """An exchange has come to its end."""
        key = _request_key_of(fetched)
        waiting = self._in_flight.get(key)
        if not waiting:
            return
        number, slot, since = waiting.popleft()
        self._waits.record_response(since)
        if not waiting:
            del self._in_flight[key]
        exchange = fetched.exchange if fetched.failure is None and kept else None
        if slot is not None:
            self._held.fill(slot, exchange)
        self._requests.record_result(fetched, number, self._page, slot if kept else None, kept)

    def record_websocket(self, conversation: WebSocketConversation) -> None:
        """Keep a WebSocket: its handshake as any exchange, its frames as a file beside it."""
        shake = conversation.handshake
        exchange = replace(shake, url="ws" + shake.url.removeprefix("http"), via=shake.via or self._page)
        text, _ = render_frames(conversation, self._requests.redactor)
        cut = "length" if conversation.is_cut else ""
        moment = conversation.frames[-1][0] if conversation.frames else shake.moment
        self._requests.record_websocket(exchange, moment, FRAMES_TYPE, BytesBody(text), cut)

    def note_left_out(self, url: str, reason: str) -> None:
        """Something was refused."""
        if reason != _WITHHELD_REASON:
            self._requests.note_left_out(url, self._page)

    def note_warning(self, text: str) -> None:
        """Something that a person should know."""
        self._requests.note_warning(text)


def _preflight_response(asked: InterceptedRequest) -> LocalResponse:
    """The answer to a browser that asks whether a page may ask: the request itself is to come, and to be judged."""
    get = asked.head.get
    fields: Mapping[str, str] = {
        "Access-Control-Allow-Origin": get("origin") or "*",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Allow-Methods": get("access-control-request-method"),
        "Access-Control-Allow-Headers": get("access-control-request-headers"),
        "Content-Length": "0",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return LocalResponse(f"HTTP/1.1 204 No Content\r\n{lines}\r\n".encode("latin-1", "replace"))


def _request_key_of(fetched: FetchResult) -> RequestKey:
    request, exchange = fetched.request, fetched.exchange
    if request.method not in _SAFE_METHODS:
        body = exchange.request_body if exchange is not None else BytesBody()
        return RequestKey(request.method, request.url, _body_digest(_read_beginning(body)) if body.size else "")
    return RequestKey(request.method, request.url, _range_of(exchange))


def _range_of(exchange: Exchange | None) -> str:
    if exchange is None or b"\nrange:" not in exchange.request.lower():
        return ""
    lines = exchange.request.decode("latin-1").split("\r\n")
    return next((line.partition(":")[2].strip() for line in lines if line.lower().startswith("range:")), "")


def _read_beginning(body: Body) -> bytes:
    pieces, size = [], 0
    for piece in body.chunks():
        pieces.append(piece)
        size += len(piece)
        if size >= _MAX_BODY_BYTES:
            break
    return b"".join(pieces)[:_MAX_BODY_BYTES]


def _body_digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


# Tab proxies with their listeners, opened and closed together.

_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def open_tab_proxies(
    tab_proxies: Sequence[TabProxy], settings: ProxySettings, clock: Clock
) -> AsyncIterator[tuple[str, ...]]:
    """Have a proxy listen for each tab proxy; gives the hashes of the keys by which Chromium knows them."""
    async with AsyncExitStack() as stack:
        hashes: list[str] = []
        for tab_proxy in tab_proxies:
            (socket,) = open_listeners(_LOOPBACK, 0)
            stack.callback(socket.close)
            proxy = await stack.enter_async_context(RecordingProxy(settings, [socket], tab_proxy, clock))
            tab_proxy.listen_at(proxy.port)
            hashes += proxy.authority.key_hashes
        yield tuple(dict.fromkeys(hashes))
