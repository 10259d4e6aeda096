"""Plain HTTP/1.1 requests without libcurl, to servers that answered many by it: which requests go this way, what they
are made of, how many connections are kept, and their time limits.

Theory of operation. libcurl tells of a request in some fifteen calls, which takes longer than to read a regular answer
in Python. So whatever is out of the ordinary is libcurl's: the first requests to every server, and all that go by TLS
or a proxy, with credentials, cookies, a body or a limit on rates. From what it sent is learned what it sends, to the
letter, and whereto it was let through. After that, requests that differ in nothing but the path and the values of
fields of our own are sent from here, to that address, for as long as the address of a name is remembered. What is sent
and what is kept are the same either way; `test_plain_transfers` holds both to that. An answer that is not regular is
asked for once more by libcurl, and its server is asked by libcurl from then on.

A request takes 41 µs of processor time in place of 67 (reference site, eight at a time).
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pycurl

from webkeep.fetch.addresses import host_of
from webkeep.fetch.client.curl_handle import CurlHandle
from webkeep.fetch.client.plain_exchange import PlainConnection, PlainExchange, PlainOutcome, read_framing
from webkeep.fetch.client.result_builder import FetchResultBuilder
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.request import FetchFailure, FetchRequest, FetchResult
from webkeep.fetch.settings import FetchSettings
from webkeep.frontier.urls import LruMap
from webkeep.model import Clock, Moment

_LEARNED_SECONDS = 60.0
"""For how long an address that libcurl went to is used, as it remembers names for."""
_MAX_SERVERS = 4096
"""Servers that are remembered: a crawl goes round many."""
_MAX_SPELLINGS = 16
"""Sets of fields that are learned of one server; requests of a crawl have few."""
_IDLE_FACTOR = 4
"""How many connections stay open for later, as a multiple of those in use."""
_MAX_IDLE_SECONDS = 100.0
"""What has been idle for longer may be gone without a word; libcurl waits 118 seconds."""
_LOOK_SECONDS = 0.25
"""So often it is looked whether a transfer takes too long."""
_TARGET = re.compile(r"http://[^/?#@]+(/(?:[A-Za-z0-9/._~!$&'()*+,;=:@?-]|%[0-9A-F]{2}){0,4000})")
"""Paths and queries that libcurl sends as they are."""

Span = tuple[Moment, Moment]


@dataclass(slots=True)
class _Server:
    """What is known of a server by what libcurl sent it and got."""

    address: str = ""
    port: int = 0
    known_until: float = 0.0
    answers: int = 0
    is_irregular: bool = False
    frames: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    """What libcurl sends between the request line and fields of our own, by the names of these."""

    def learn(self, names: tuple[str, ...], frame: bytes, where: tuple[str, int], until: float) -> None:
        """Take note of what was sent to it, and to which address."""
        if len(self.frames) < _MAX_SPELLINGS or names in self.frames:
            self.frames[names] = frame
        (self.address, self.port), self.known_until = where, until
        self.answers += 1

    def mark_irregular(self) -> None:
        """Leave it to libcurl."""
        self.is_irregular = True


class PlainTransfers:
    """Makes requests plainly where that is the same."""

    def __init__(
        self,
        settings: FetchSettings,
        spool: Path,
        clock: Clock,
        builder: FetchResultBuilder,
        has_cookies: Callable[[str], bool],
    ) -> None:
        """`has_cookies` says of a host whether there may be cookies for it."""
        self._loop = asyncio.get_running_loop()
        self._spool, self._clock, self._builder = spool, clock, builder
        self._has_cookies = has_cookies
        self._is_possible = not settings.proxy
        self._may_send = settings.may_send
        self._least_answers = settings.plain_after
        self._servers: LruMap[str, _Server] = LruMap(_MAX_SERVERS)
        self._idle: dict[tuple[str, str, int], list[PlainConnection]] = {}
        self._idle_count, self._max_idle = 0, _IDLE_FACTOR * settings.connections
        self._running: dict[PlainExchange, tuple[int, float]] = {}
        """With how much had come when it was last quick enough, and when that was."""
        self._look: asyncio.TimerHandle | None = None
        self._fields = lru_cache(1024)(_spell_fields)

    def close(self) -> None:
        """Let go of all connections."""
        if self._look is not None:
            self._look.cancel()
        for exchange in list(self._running):
            exchange.channel.close()
            exchange.outcome.cancel()
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()

    def may_take(self, request: FetchRequest) -> bool:
        """Whether it is of the kind that is made plainly: it asks for a page without TLS, and sends nothing."""
        is_bare = request.method == "GET" and not request.body.size
        return self._is_possible and is_bare and request.url.startswith("http://")

    # ---- learning ----

    def learn(self, handle: CurlHandle, failure: FetchFailure | None, authority: str, lines: list[str]) -> None:
        """Take note of what libcurl sent to a server, and whereto, where the answer was regular."""
        request, sent = handle.request, handle.sent
        if failure is not None or handle.local_server is not None:
            return
        server = self._servers.get(authority)
        if server is None:
            server = self._servers[authority] = _Server()
        spelled = self._fields(tuple(lines))
        target = _TARGET.fullmatch(request.url)
        if server.is_irregular or spelled is None or target is None:
            return
        if read_framing(handle.head) is None:
            server.mark_irregular()
            return
        names, fields = spelled
        start = _request_line(target[1])
        if not sent.startswith(start) or not sent.endswith(fields) or b"\r\nCookie:" in sent:
            return
        where = handle.curl.getinfo(pycurl.PRIMARY_IP), handle.curl.getinfo(pycurl.PRIMARY_PORT)
        server.learn(names, sent[len(start) : len(sent) - len(fields)], where, self._loop.time() + _LEARNED_SECONDS)

    # ---- asking ----

    async def fetch(self, request: FetchRequest, authority: str, lines: list[str]) -> FetchResult | Span | None:
        """Make a request plainly; None where it is to be made by libcurl, and when it was sent where it is to be made
        by that once more.
        """
        server = self._servers.get(authority)
        if server is None or server.answers < self._least_answers or server.is_irregular:
            return None
        sent = self._spell_request(request, server, lines)
        if not sent or server.known_until < self._loop.time() or self._has_cookies(host_of(authority)):
            return None
        started = self._clock.now()
        key = (authority, server.address, server.port)
        connection = self._take_idle(key) or await self._connect(server, request.limits.connect_seconds)
        if connection is None:
            return None
        sink = SpoolSink(self._spool)
        exchange = PlainExchange(request, sent, started, self._clock.now(), connection, sink)
        try:
            outcome = await self._run(exchange)
            ended = self._clock.now()
            if outcome is PlainOutcome.ENDED:
                return self._builder.from_plain(exchange, ended, server.address)
        finally:
            sink.discard()
            self._put_back(key, connection)
        if outcome is PlainOutcome.UNSEEN:
            return None
        server.mark_irregular()
        return exchange.sent_at, ended

    def _spell_request(self, request: FetchRequest, server: _Server, lines: list[str]) -> bytes:
        """The request as libcurl would send it; empty where that is not known."""
        spelled, target = self._fields(tuple(lines)), _TARGET.fullmatch(request.url)
        if spelled is None or target is None:
            return b""
        frame = server.frames.get(spelled[0])
        return b"" if frame is None else _request_line(target[1]) + frame + spelled[1]

    async def _run(self, exchange: PlainExchange) -> PlainOutcome:
        # Asked in the same breath, as a process may sleep at any await; libcurl says what is the matter.
        if (self._may_send is not None and not self._may_send()) or not exchange.channel.send(exchange):
            return PlainOutcome.UNSEEN
        self._running[exchange] = (0, exchange.began_at)
        if self._look is None:
            self._look = self._loop.call_later(_LOOK_SECONDS, self._end_slow)
        try:
            return await exchange.outcome
        finally:
            del self._running[exchange]
            if not exchange.outcome.done() or exchange.outcome.cancelled():
                exchange.channel.close()

    async def _connect(self, server: _Server, seconds: float) -> PlainConnection | None:
        family = socket.AF_INET6 if ":" in server.address else socket.AF_INET
        plug = socket.socket(family, socket.SOCK_STREAM)
        try:
            plug.setblocking(False)
            plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            async with asyncio.timeout(seconds):
                await self._loop.sock_connect(plug, (server.address, server.port))
        except (OSError, TimeoutError):
            plug.close()  # libcurl will say what is the matter
            return None
        except BaseException:
            plug.close()
            raise
        return PlainConnection(plug)

    def _take_idle(self, key: tuple[str, str, int]) -> PlainConnection | None:
        idle = self._idle.get(key)
        while idle:
            connection = idle.pop()
            self._idle_count -= 1
            if self._loop.time() - connection.idle_since > _MAX_IDLE_SECONDS:
                connection.close()
            elif connection.is_open:
                return connection
        return None

    def _put_back(self, key: tuple[str, str, int], connection: PlainConnection) -> None:
        if not connection.is_open:
            return
        if self._idle_count >= self._max_idle:
            self._drop_closed()
        if self._idle_count >= self._max_idle:
            connection.close()
            return
        self._idle.setdefault(key, []).append(connection)
        self._idle_count += 1

    def _drop_closed(self) -> None:
        """Forget the connections that servers closed."""
        opened = {key: [each for each in idle if each.is_open] for key, idle in self._idle.items()}
        self._idle = {key: idle for key, idle in opened.items() if idle}
        self._idle_count = sum(map(len, self._idle.values()))

    def _end_slow(self) -> None:
        """End what takes too long by the limits of its request."""
        self._look = self._loop.call_later(_LOOK_SECONDS, self._end_slow) if self._running else None
        now = self._loop.time()
        for exchange, (received, since) in list(self._running.items()):
            limits = exchange.request.limits
            if limits.seconds and now - exchange.began_at >= limits.seconds:
                exchange.fail(FetchFailure.TIMEOUT, f"not whole after {limits.seconds:g} seconds")
            elif exchange.received - received >= limits.min_rate * (now - since):
                self._running[exchange] = (exchange.received, now)
            elif now - since >= limits.max_stall_seconds:
                exchange.fail(FetchFailure.STALLED, f"less than {limits.min_rate} bytes a second")


def _request_line(target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\n".encode("ascii")


def _spell_fields(lines: tuple[str, ...]) -> tuple[tuple[str, ...], bytes] | None:
    """The names of fields, and all of them with the end of the head; None where libcurl may send something else."""
    split = [line.partition(": ") for line in lines]
    text = "".join(f"{line}\r\n" for line in lines)
    if not text.isascii() or not all(value.strip() for _, _, value in split):
        return None
    return tuple(name for name, _, _ in split), f"{text}\r\n".encode("ascii")
