"""One request and its answer over an open connection, by plain HTTP/1: head and body kept as they came, and which
answers are left to libcurl because their heads, lengths or chunks are not regular, or they set cookies.

Theory of operation. A `PlainConnection` has its socket watched for as long as it is open. While it carries a
`PlainExchange`, what comes is fed to that, which knows when the answer is whole; at any other time, whatever comes (the
end of the connection, or an answer that nobody asked for) closes it.
"""

from __future__ import annotations

import asyncio
import enum
import re
import socket
from typing import NamedTuple

from webkeep.fetch.client.chunk_scanner import ChunkScanner
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.request import FetchFailure, FetchRequest
from webkeep.formats.status import BODILESS_STATUSES
from webkeep.model import Moment

_READ_BYTES = 64 * 1024
"""Bytes read at a time: most answers are shorter."""
_REGULAR_HEAD = re.compile(
    rb"HTTP/1\.1 ([2-5][0-9]{2})(?: [^\r\n\0]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*\r\n)*+\r\n"
)
_FRAMING_FIELD = re.compile(
    rb"\n(content-length|transfer-encoding|connection|set-cookie):[ \t]*([^\r]*)", re.IGNORECASE
)
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_MAX_HEAD_BYTES = 32 * 1024
"""A longer head is libcurl's to read."""
_MAX_LENGTH_DIGITS = 15
"""A length of more digits is none."""


class BodyEnd(enum.Enum):
    """What tells where a body ends."""

    LENGTH = enum.auto()
    CHUNKS = enum.auto()
    CLOSE = enum.auto()


class BodyFraming(NamedTuple):
    """Where the body behind a head ends."""

    end: BodyEnd
    length: int
    keeps_open: bool
    """Whether another answer may follow it."""


def read_framing(head: bytes) -> BodyFraming | None:
    """What a head says of its body; None where it is not regular, or sets cookies."""
    regular = _REGULAR_HEAD.fullmatch(head)
    if regular is None:
        return None
    end, length, keeps_open = BodyEnd.CLOSE, -1, True
    for name, text in _FRAMING_FIELD.findall(head):
        match name.lower(), text.strip().lower():
            case b"content-length", digits if length < 0 and digits.isdigit() and len(digits) <= _MAX_LENGTH_DIGITS:
                length = int(digits)
            case b"transfer-encoding", b"chunked" if end is BodyEnd.CLOSE:
                end = BodyEnd.CHUNKS
            case b"connection", options:
                keeps_open = b"close" not in options
            case _:
                return None
    if int(regular[1]) in BODILESS_STATUSES:
        return BodyFraming(BodyEnd.LENGTH, 0, keeps_open)
    if end is BodyEnd.CHUNKS or length < 0:
        return BodyFraming(end, 0, keeps_open)
    return BodyFraming(BodyEnd.LENGTH, length, keeps_open)


class PlainOutcome(enum.Enum):
    """How a plain exchange ended."""

    ENDED = enum.auto()
    """With what there is to tell, be it whole or not."""
    UNSEEN = enum.auto()
    """The server had closed the connection before: nobody saw the request."""
    IRREGULAR = enum.auto()
    """With an answer that is libcurl's to read."""


class PlainExchange:
    """A request that was sent, and what came of the answer."""

    def __init__(
        self,
        request: FetchRequest,
        sent: bytes,
        started: Moment,
        sent_at: Moment,
        connection: PlainConnection,
        sink: SpoolSink,
    ) -> None:
        self.request, self.sent = request, sent
        self.started, self.sent_at = started, sent_at
        self.sink = sink
        """Where the body goes."""
        self.channel = connection
        loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[PlainOutcome] = loop.create_future()
        self.began_at = loop.time()
        """By the loop's clock, as the next one is."""
        self.first_byte_at = 0.0
        self.head = b""
        """Empty until it is whole."""
        self.failure: FetchFailure | None = None
        self.detail = ""
        self.received = 0
        """Bytes of head and body so far."""
        self.held = b""
        """What came of a head that is not whole yet."""
        self._end = BodyEnd.CLOSE
        self._left = 0
        self._chunks: ChunkScanner | None = None
        self._keeps_open = False

    def feed(self, data: bytes) -> None:
        """Take more of the answer."""
        if not self.received:
            self.first_byte_at = self.outcome.get_loop().time()
        self.received += len(data)
        if not self.head:
            data = self.held + data if self.held else data
            end = data.find(b"\r\n\r\n") + 4
            if end < 4:
                self.held = data
                # Where another line ending ends the head, nothing more may come.
                is_odd = _EMPTY_LINE.search(data) is not None or not b"HTTP/1.1 ".startswith(data[:9])
                if is_odd or len(data) > _MAX_HEAD_BYTES:
                    self._finish(PlainOutcome.IRREGULAR)
                return
            head, data = data[:end], data[end:]
            framing = read_framing(head)
            if framing is None:
                self._finish(PlainOutcome.IRREGULAR)
                return
            self.head, self.held = head, b""
            self._end, self._left, self._keeps_open = framing
            self._chunks = ChunkScanner() if self._end is BodyEnd.CHUNKS else None
            if self.request.head_filter is not None and (reason := self.request.head_filter(head)):
                self.fail(FetchFailure.UNWANTED, reason)
                return
        self._take_body(data)

    def _take_body(self, data: bytes) -> None:
        excess = b""
        if self._end is BodyEnd.LENGTH and len(data) > self._left:
            data, excess = data[: self._left], data[self._left :]
        limit = self.request.limits.size
        if limit and self.sink.size + len(data) > limit:
            self.sink.write(data[: limit - self.sink.size])
            self.fail(FetchFailure.TOO_LARGE, f"more than {limit} bytes")
            return
        if data:
            self.sink.write(data)
        if self._end is BodyEnd.LENGTH:
            self._left -= len(data)
            if not self._left:
                self._end_whole(excess)
        elif self._end is BodyEnd.CHUNKS and self._chunks is not None:
            is_done = self._chunks.feed(data)
            if self._chunks.is_broken or self._chunks.surplus:
                self._finish(PlainOutcome.IRREGULAR)
            elif is_done:
                self._end_whole(b"")

    def _end_whole(self, excess: bytes) -> None:
        if excess:
            self.sink.write(excess)
            self.detail = f"{len(excess)} bytes came beyond the end of the body"
        self._finish(PlainOutcome.ENDED, self._keeps_open and not excess)

    def end(self) -> None:
        """The server closed the connection."""
        if not self.received and self.channel.uses > 1:
            self._finish(PlainOutcome.UNSEEN)
        elif not self.head:
            words = "the connection was closed within the head" if self.held else "the server gave no answer"
            self.fail(FetchFailure.DISCONNECTED, words)
        elif self._end is BodyEnd.CLOSE:
            self._finish(PlainOutcome.ENDED)
        else:
            self.fail(FetchFailure.DISCONNECTED, "the connection was closed within the body")

    def fail(self, failure: FetchFailure, detail: str) -> None:
        """End it here."""
        self.failure, self.detail = failure, detail
        self._finish(PlainOutcome.ENDED)

    def break_off(self, error: Exception) -> None:
        """End it with an error of ours, which is raised where the answer is awaited."""
        self.channel.close()
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def _finish(self, outcome: PlainOutcome, keeps_open: bool = False) -> None:
        self.channel.end_exchange(keeps_open)
        if not self.outcome.done():
            self.outcome.set_result(outcome)


class PlainConnection:
    """An open connection, and the exchange that it carries."""

    def __init__(self, plug: socket.socket) -> None:
        self._plug = plug
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(plug.fileno(), self._on_readable)
        self.exchange: PlainExchange | None = None
        self.uses = 0
        self.is_open = True
        self.idle_since = 0.0
        """By the loop's clock."""

    def send(self, exchange: PlainExchange) -> bool:
        """Send a request; whether all of it went out."""
        self.uses += 1
        self.exchange = exchange
        try:
            if self._plug.send(exchange.sent) == len(exchange.sent):
                return True
        except OSError:  # it was closed meanwhile, or takes no more
            pass
        self.close()
        return False

    def end_exchange(self, keeps_open: bool) -> None:
        """An answer is whole, or was given up; where another may follow it, the connection rests from now on."""
        self.exchange, self.idle_since = None, self._loop.time()
        if not keeps_open:
            self.close()

    def close(self) -> None:
        """Let go of it."""
        if self.is_open:
            self.is_open, self.exchange = False, None
            self._loop.remove_reader(self._plug.fileno())
            self._plug.close()

    def _on_readable(self) -> None:
        exchange = self.exchange
        try:
            data = self._plug.recv(_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # it was reset
            data = b""
        if exchange is None:
            self.close()
        elif data:
            try:
                exchange.feed(data)
            except Exception as error:  # noqa: BLE001 - it belongs to whoever awaits the answer
                exchange.break_off(error)
        else:
            exchange.end()
