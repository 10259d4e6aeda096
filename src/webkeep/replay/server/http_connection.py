"""The server's side of HTTP/1.1: bytes in, requests to a handler, answers out, whatever clients do; how long requests
may be, how long idle and slow clients are kept, and which status an error becomes.

Theory of operation. A connection reads one request at a time; what a client sends ahead waits unread. The handler is
called on the event loop, because most answers take a fraction of a millisecond. A body that is made while it is sent
is pulled in a thread, a piece at a time, and only as fast as the client takes it. A broom sweeps out connections that
neither ask nor read. Whatever is sent, also what this module answers by itself, has its head made in one place, which
puts the locks on it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import partial
from typing import TypeVar

import httptools

from webkeep.errors import StorageError, UsageError, WebkeepError
from webkeep.formats.status import BODILESS_STATUSES, SWITCHING_PROTOCOLS
from webkeep.replay.server.message import (
    DeferredResponse,
    Request,
    RequestHandler,
    Response,
    text_response,
)
from webkeep.replay.server.response_head import build_head
from webkeep.replay.server.security_headers import (
    SecurityRule,
    obeys_allowlist,
    sealed_security_rule,
)

_LOG = logging.getLogger(__name__)
_MAX_HEAD_BYTES = 96 * 1024
"""Of a request; addresses of archived pages within addresses are long, and cookies of many sites come together."""
_MAX_FIELDS = 200
"""Of a request; browsers send about twenty."""
_MAX_BODY_BYTES = 8 << 20
"""Of a request, which is held in memory: archived forms are looked up by it."""
_HEAD_ONLY_STATUSES = BODILESS_STATUSES | {SWITCHING_PROTOCOLS}
"""What follows a head with one of these is not of the answer."""
_LINGER_ABORT = struct.pack("ii", 1, 0)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServerTimeouts:
    """How long and how much a server puts up with."""

    request_seconds: float = 30.0
    """Seconds from the first byte of a request to its last."""
    idle_seconds: float = 75.0
    """Seconds between requests."""
    read_seconds: float = 60.0
    """Seconds without a client taking any of an answer."""
    max_connections: int = 4096


@dataclass(slots=True)
class ConnectionHub:
    """What the connections of one server share."""

    handler: RequestHandler
    threads: Executor
    timeouts: ServerTimeouts = field(default_factory=ServerTimeouts)
    locks: SecurityRule = sealed_security_rule
    open: set[ServerConnection] = field(default_factory=set)
    requests: int = 0
    errors: int = 0
    _date: tuple[int, str] = (-1, "")

    def format_date(self, second: int) -> str:
        """The present date, formatted once a second."""
        if self._date[0] != second:
            self._date = (second, formatdate(usegmt=True))
        return self._date[1]

    def close_overdue(self, now: float) -> None:
        """Close connections whose time is up."""
        for connection in [each for each in self.open if now > each.deadline]:
            connection.abort()


class ServerConnection(asyncio.Protocol):
    """One client."""

    def __init__(
        self, hub: ConnectionHub, handler: RequestHandler | None = None, locks: SecurityRule | None = None
    ) -> None:
        self._hub = hub
        self._handler = handler or hub.handler
        self._locks = locks or hub.locks
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._early: list[bytes] | None = []
        """What came before the connection was made, as it may inside a tunnel; None from then on."""
        self._client = ""
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._size = self._count = 0
        self._refused = 0
        self._waiting: list[tuple[Request, bool, bool]] = []
        self._busy = False
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._keeps_alive = True
        self._is_over = False
        """Whether the client has sent all it had to."""
        self.deadline = self._loop.time() + hub.timeouts.request_seconds

    # The transport's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._client = client_address(transport)
        self._hub.open.add(self)
        early, self._early = self._early or [], None
        if len(self._hub.open) > self._hub.timeouts.max_connections:
            self._close_with(text_response(503, "too many connections; try again later"))
        for data in early:
            self.data_received(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        """The client is gone."""
        self._hub.open.discard(self)
        self._transport = None
        self._writable.set()
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes of requests."""
        if self._early is not None:
            self._early.append(data)
            return
        if self._transport is None or self._transport.is_closing():
            return
        if not self._busy:
            self.deadline = min(self.deadline, self._loop.time() + self._hub.timeouts.request_seconds)
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return  # what is asked for is handed to the handler, and what follows is no request
        except httptools.HttpParserError:
            self._close_with(text_response(400, "this is not a request that can be understood"))
            return
        if self._size > _MAX_HEAD_BYTES and not self._waiting and not self._busy and not self._body:
            self._refused = self._refused or 431
        if self._refused:
            self._close_with(text_response(self._refused, REFUSAL_MESSAGES[self._refused]))

    def eof_received(self) -> bool:
        """The client sends no more; it may still read what it asked for."""
        self._is_over = True
        return self._busy

    def pause_writing(self) -> None:
        """The client does not take what it is sent."""
        self._writable.clear()
        self.deadline = self._loop.time() + self._hub.timeouts.read_seconds

    def resume_writing(self) -> None:
        """It does again."""
        self._writable.set()
        self.deadline = self._loop.time() + self._hub.timeouts.read_seconds

    # The parser's side

    def on_message_begin(self) -> None:
        """A request begins."""
        self._url, self._headers, self._body, self._count = b"", {}, bytearray(), 0

    def on_url(self, url: bytes) -> None:
        """Part of its target."""
        self._url += url
        if len(self._url) > _MAX_HEAD_BYTES:
            self._refused = 414

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its fields."""
        self._count += 1
        if self._count > _MAX_FIELDS:
            self._refused = 431
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        before = self._headers.get(key)
        if before is not None and key == "host":
            self._refused = 400
        self._headers[key] = text if before is None else f"{before}, {text}"

    def on_headers_complete(self) -> None:
        """All of its fields."""
        if self._headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Part of its body."""
        self._body += body
        if len(self._body) > _MAX_BODY_BYTES:
            self._refused = 413

    def on_message_complete(self) -> None:
        """All of it."""
        self._size = 0
        if self._refused:
            return
        parser = self._parser
        method, version = parser.get_method().decode("ascii", "replace"), parser.get_http_version()
        request = Request(method, self._url.decode("latin-1"), self._headers, bytes(self._body), self._client)
        self._waiting.append((request, parser.should_keep_alive(), version != "1.0"))
        if not self._busy:
            self._serve_waiting()
        elif self._transport is not None and len(self._waiting) > 1:
            self._transport.pause_reading()

    # Answering

    def _serve_waiting(self) -> None:
        """Answer what waits, as far as that can be done at once."""
        while self._waiting and not self._busy and self._transport is not None:
            request, self._keeps_alive, chunks = self._waiting.pop(0)
            self._hub.requests += 1
            response = self._run_guarded(request, partial(self._handler, request))
            if isinstance(response, DeferredResponse) or not isinstance(response.body, bytes):
                self._busy = True
                self.deadline = float("inf")  # while an answer is being made nobody waits for the client
                self._task = self._loop.create_task(self._send_deferred(request, response, chunks))
                return
            self._send(request, response, response.body)

    def _run_guarded(self, request: Request, make: Callable[[], T]) -> T | Response:
        """What is made, or the answer that it cannot be."""
        try:
            return make()
        except WebkeepError as error:
            return self._error_response(error)
        except Exception:  # noqa: BLE001 - a fault of ours is told and counted, and other clients go on
            return self._crash_response(request)

    def _error_response(self, error: WebkeepError) -> Response:
        line = " ".join(str(error).split())
        if isinstance(error, UsageError):
            return text_response(400, line)
        self._hub.errors += 1
        _LOG.warning("%s", line)
        return text_response(503 if isinstance(error, StorageError) else 502, line)

    def _crash_response(self, request: Request) -> Response:
        self._hub.errors += 1
        _LOG.exception("cannot answer %s %.200s", request.method, request.target)
        return text_response(500, "this cannot be answered; what went wrong stands in the server's log")

    def _send(self, request: Request, response: Response, body: bytes) -> None:
        transport = self._transport
        if transport is None:
            return
        if response.upgrade_to is not None:
            self._switch(transport, request, response, response.upgrade_to())
            return
        if request.is_upgrade:
            self._keeps_alive = False
        if request.method == "HEAD" or response.status in _HEAD_ONLY_STATUSES:
            transport.write(
                self._build_head(request, response, len(body) if response.size is None else response.size, False)
            )
        else:
            transport.writelines((self._build_head(request, response, len(body), False), body))
        self._finish_response()

    def _switch(
        self, transport: asyncio.Transport, request: Request, response: Response, protocol: asyncio.Protocol
    ) -> None:
        """Leave the connection to those who speak something else."""
        self._keeps_alive = True
        transport.write(self._build_head(request, response, None, False))
        self._hub.open.discard(self)
        self._transport = None
        transport.set_protocol(protocol)
        protocol.connection_made(transport)

    async def _send_deferred(self, request: Request, response: Response | DeferredResponse, chunks: bool) -> None:
        if isinstance(response, DeferredResponse):
            response = await self._loop.run_in_executor(self._hub.threads, self._run_guarded, request, response.make)
        body = response.body
        if isinstance(body, bytes):
            self._send(request, response, body)
        else:
            await self._stream(request, response, body, chunks)
        self._busy, self._task = False, None
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._serve_waiting()

    async def _stream(self, request: Request, response: Response, body: Iterator[bytes], chunks: bool) -> None:
        chunked = response.size is None and chunks
        self._keeps_alive = self._keeps_alive and (chunks or response.size is not None)
        head = self._build_head(request, response, response.size, chunked)
        self.deadline = self._loop.time() + self._hub.timeouts.read_seconds
        if request.method == "HEAD" or response.status in _HEAD_ONLY_STATUSES:
            self._write(head)
            self._finish_response()
            return
        self._write(head)
        left = response.size
        pull = partial(self._run_guarded, request, partial(next, body, None))
        while (piece := await self._loop.run_in_executor(self._hub.threads, pull)) is not None:
            if self._transport is None:
                return
            if isinstance(piece, Response):  # too late to say so; half an answer must not pass for a whole one
                self.abort()
                return
            if left is not None:
                piece = piece[:left]
                left -= len(piece)
            if piece:
                self._write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            await self._writable.wait()
            self.deadline = self._loop.time() + self._hub.timeouts.read_seconds
        if left:
            self.abort()
            return
        if chunked:
            self._write(b"0\r\n\r\n")
        self._finish_response()

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def _finish_response(self) -> None:
        self.deadline = self._loop.time() + self._hub.timeouts.idle_seconds
        is_last = not self._keeps_alive or (self._is_over and not self._waiting)
        if is_last and self._transport is not None:
            self._transport.close()

    def _close_with(self, response: Response) -> None:
        self._keeps_alive = False
        self._waiting.clear()
        if self._busy:
            self.abort()
        elif isinstance(response.body, bytes):
            self._send(Request("GET", "", {}), response, response.body)

    def abort(self) -> None:
        """Close without another word, and without keeping what the client did not take."""
        if self._transport is not None:
            connection: socket.socket | None = self._transport.get_extra_info("socket")
            if connection is not None:  # as it is not where a connection within another is closing
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ABORT)
            self._transport.abort()

    def _build_head(self, request: Request, response: Response, size: int | None, chunked: bool) -> bytes:
        own = [f"Date: {self._hub.format_date(int(self._loop.time()))}"]
        if chunked:
            own.append("Transfer-Encoding: chunked")
        if not self._keeps_alive:
            own.append("Connection: close")
        locks = self._locks(
            request.host, response.security_class, obeys_allowlist(request.headers.get("sec-ch-ua", ""))
        )
        return build_head(response, locks, own, None if chunked else size)


def client_address(transport: asyncio.Transport) -> str:
    """The address that a client has."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else ""


REFUSAL_MESSAGES = {
    400: "a request has one Host",
    413: f"the body is longer than {_MAX_BODY_BYTES} bytes",
    414: "the address is too long",
    431: "the head of the request is too long",
}
"""What is said to requests that no handler gets to see."""
