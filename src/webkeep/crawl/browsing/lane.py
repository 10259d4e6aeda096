"""A lane: the way of one tab to the web, on which everything is decided and recorded as for any other request.

It is the recorder of a proxy of its own, so that it knows whose requests it carries: those of workers, sockets and
beacons too. Whatever was stored already is given again; what may be asked for waits for its turn with the frontier;
what might do something at a server is held back as a wish, unless a person allowed it.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from webkeep.browser.values import Wish
from webkeep.crawl.browsing.held import HeldAnswers, Key, Slot, asked_each_time
from webkeep.crawl.browsing.outfit import Outfit
from webkeep.crawl.browsing.passages import Passages, Permit
from webkeep.crawl.browsing.waits import Waits
from webkeep.crawl.record_frames import FRAMES_TYPE, frames_text
from webkeep.fetch.recording import Answer, Asked, Choice, Conversation, Refuse, Send
from webkeep.fetch.request import Fetched
from webkeep.model import Body, BytesBody, Exchange
from webkeep.url import Rule, Subject

_SAFE = ("GET", "HEAD")
_LONGEST_WISH = 64 * 1024
_HELD_BACK = "held back: it might do something at the server; --allow-post lets it pass"
_MOST_GIVEN = 100_000
_PLAIN = Outfit()


class _UnderWay(NamedTuple):
    """A request that was sent."""

    permit: int
    slot: Slot | None
    since: float


class ProxyLane:
    """The recorder of one tab's proxy, and what its walk is told."""

    goes_on = False

    def __init__(
        self, held: HeldAnswers, passages: Passages, allowed: tuple[Rule, ...], outfit: Outfit = _PLAIN
    ) -> None:
        self._held = held
        self._outfit = outfit
        self._passages = passages
        self._allowed = allowed
        self._page = ""
        self._counts: Counter[Key] = Counter()
        self._under_way: defaultdict[Key, deque[_UnderWay]] = defaultdict(deque)
        self._wishes: list[Wish] = []
        self._waits = Waits()
        self._given: set[Key] = set()
        self.port = 0
        """Where its proxy listens."""
        self.asked: set[str] = set()
        """The URLs that were asked for since this was last emptied."""
        self.fresh: set[str] = set()
        """The URLs that were asked for since this was last emptied, and that nothing had led to before."""

    # ---- for the walk ----

    @property
    def proxy(self) -> str:
        """Where the proxy listens."""
        return f"127.0.0.1:{self.port}"

    @property
    def wait(self) -> float:
        """How long the web takes to answer."""
        return self._waits.of_answers

    def begin_path(self, url: str) -> None:
        """Count occurrences from the beginning."""
        self._page = self._passages.urls.redact(url)
        self._counts.clear()

    def take_wishes(self) -> tuple[Wish, ...]:
        """The requests held back since this was last asked."""
        wishes, self._wishes = tuple(self._wishes), []
        return wishes

    # ---- for the proxy ----

    def choose(self, asked: Asked) -> Choice | Awaitable[Choice]:
        """What to do about a request."""
        if asked.upload is None:
            return self._opened(asked)
        if asked.head.method == "OPTIONS" and asked.head.get("access-control-request-method"):
            return _permission(asked)
        return self._chosen(asked)

    async def _chosen(self, asked: Asked) -> Choice:
        method, body = asked.head.method, b""
        self.asked.add(self._passages.urls.redact(asked.url))
        if method not in _SAFE:
            body = await asked.upload.gathered(_LONGEST_WISH) if asked.upload is not None else b""
            if not any(rule.holds(Subject(asked.url)) for rule in self._allowed):
                self._wishes.append(Wish(method, asked.url, asked.head.get("content-type"), body))
                return Refuse(403, _HELD_BACK)
        key = Key(method, asked.url, _digest(body) if body else asked.head.get("range"))
        self._counts[key] += 1
        occurrence = self._counts[key]
        conditional = bool(asked.head.get("if-none-match") or asked.head.get("if-modified-since"))
        held = await self._held.find(key, occurrence, conditional)
        if held is not None:
            return self._again(key, held)
        slot = self._held.expect(key, occurrence)
        begun, page = self._waits.now(), self._page
        permit = None
        try:
            permit = await self._passages.permit(asked.url, page)
        finally:
            if permit is None or permit.refusal:
                self._held.withdraw(key, slot)
            if permit is None and method in _SAFE:
                self._passages.abandoned(asked.url, page)
        if permit.refusal:
            return Refuse(403, permit.refusal)
        if permit.is_new:
            self.fresh.add(self._passages.urls.redact(asked.url))
        self._waits.permitted(begun)
        self._under_way[key].append(_UnderWay(permit.number, slot, self._waits.now()))
        return self._sent(asked, permit)

    def _again(self, key: Key, answer: Answer) -> Answer:
        """A held answer; the browser may keep it once a whole path was walked on which it was asked for but once."""
        lasts = key in self._given and self._held.is_only(key)
        if len(self._given) >= _MOST_GIVEN:
            self._given.clear()
        self._given.add(key)
        return answer if lasts else asked_each_time(answer)

    async def _opened(self, asked: Asked) -> Choice:
        """A WebSocket is opened each time: nobody knows what will be said."""
        permit = await self._passages.permit(asked.url, self._page)
        if permit.refusal:
            return Refuse(403, permit.refusal)
        self._passages.let_go(asked.url, permit.number)
        self.fresh.add(self._passages.urls.redact(asked.url))
        return self._sent(asked, permit)

    def _sent(self, asked: Asked, permit: Permit) -> Send:
        before_more = partial(self._passages.pause, asked.url)
        return self._outfit.sent(asked.url, asked.head, permit.private, permit.limits, before_more)

    def keeps(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded: rules by media type and size hold for browsers too."""
        return self._passages.keeps(url, head, self._page)

    def passed(self, fetched: Fetched, kept: bool) -> None:
        """An exchange has come to its end."""
        key = _key_of(fetched)
        waiting = self._under_way.get(key)
        if not waiting:
            return
        number, slot, since = waiting.popleft()
        self._waits.answered(since)
        if not waiting:
            del self._under_way[key]
        exchange = fetched.exchange if fetched.failure is None and kept else None
        if slot is not None:
            self._held.came(slot, exchange)
        self._passages.ended(fetched, number, self._page, slot if kept else None, kept)

    def conversed(self, conversation: Conversation) -> None:
        """Keep a WebSocket: its handshake as any exchange, its frames as a file beside it."""
        shake = conversation.handshake
        exchange = replace(shake, url="ws" + shake.url.removeprefix("http"), via=shake.via or self._page)
        text, _ = frames_text(conversation, self._passages.redactor)
        cut = "length" if conversation.is_cut else ""
        moment = conversation.frames[-1][0] if conversation.frames else shake.moment
        self._passages.keep_socket(exchange, moment, FRAMES_TYPE, BytesBody(text), cut)

    def left_out(self, url: str, reason: str) -> None:
        """Something was refused."""
        if reason != _HELD_BACK:
            self._passages.left_out(url, self._page)

    def noted(self, text: str) -> None:
        """Something that a person should know."""
        self._passages.noted(text)


def _permission(asked: Asked) -> Answer:
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
    return Answer(f"HTTP/1.1 204 No Content\r\n{lines}\r\n".encode("latin-1", "replace"))


def _key_of(fetched: Fetched) -> Key:
    request, exchange = fetched.request, fetched.exchange
    if request.method not in _SAFE:
        body = exchange.request_body if exchange is not None else BytesBody()
        return Key(request.method, request.url, _digest(_beginning(body)) if body.size else "")
    return Key(request.method, request.url, _range_of(exchange))


def _range_of(exchange: Exchange | None) -> str:
    if exchange is None or b"\nrange:" not in exchange.request.lower():
        return ""
    lines = exchange.request.decode("latin-1").split("\r\n")
    return next((line.partition(":")[2].strip() for line in lines if line.lower().startswith("range:")), "")


def _beginning(body: Body) -> bytes:
    pieces, size = [], 0
    for piece in body.chunks():
        pieces.append(piece)
        size += len(piece)
        if size >= _LONGEST_WISH:
            break
    return b"".join(pieces)[:_LONGEST_WISH]


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
