"""The plain second try: one HTTP/1 request over a connection of its own, for answers that libcurl does not take."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from webkeep.fetch.listener import Listener
from webkeep.fetch.pace import Bucket, draw, owed
from webkeep.fetch.plain_reply import PlainReply
from webkeep.fetch.request import Failure, Request
from webkeep.fetch.sink import SpoolSink
from webkeep.formats.http1 import parse_response

_READ = 64 * 1024

Taken = Callable[[], Awaitable[None]]
"""Returns when a listener has taken what it was given."""


@dataclass(frozen=True, slots=True)
class Way:
    """How to reach a server: the address that libcurl was let through to, and what is spoken there."""

    address: str
    port: int
    tls: ssl.SSLContext | None = None
    server_name: str = ""
    tunnel: bytes = b""
    """What a proxy at that address is asked for first."""


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """What came of a plain try."""

    head: bytes
    failure: Failure | None
    detail: str


class PlainTry:
    """One request, sent as it is, and all that the server says to it."""

    def __init__(
        self,
        request: Request,
        sink: SpoolSink,
        buckets: tuple[Bucket, ...] = (),
        listener: Listener | None = None,
        taken: Taken | None = None,
    ) -> None:
        self._limits = request.limits
        self._turns_away = request.turns_away
        self._sink = sink
        self._buckets = buckets
        self._listener = listener
        self._taken = taken
        self._reply = PlainReply(has_body=request.method != "HEAD")
        self._unwanted = ""

    async def ask(self, way: Way, request: bytes) -> PlainAnswer:
        """Send the request and take the answer, as far as the limits let it come."""
        try:
            async with asyncio.timeout(self._limits.seconds):
                failure, detail = await self._exchange(way, request)
        except TimeoutError:
            failure, detail = Failure.TIMEOUT, "the plain request took too long"
        except ssl.SSLCertVerificationError as error:
            failure, detail = Failure.CERTIFICATE, error.verify_message
        except ssl.SSLError as error:
            failure, detail = Failure.TLS, error.reason or "TLS failed"
        except OSError as error:
            failure, detail = Failure.DISCONNECTED, error.strerror or "the connection broke"
        self._keep(self._reply.closed())
        return PlainAnswer(self._reply.head, failure, detail)

    def broken_off(self, why: str) -> PlainAnswer:
        """What had come when whoever asked broke it off."""
        self._keep(self._reply.closed())
        return PlainAnswer(self._reply.head, Failure.DISCONNECTED, why)

    async def _exchange(self, way: Way, request: bytes) -> tuple[Failure | None, str]:
        async with asyncio.timeout(self._limits.connect_seconds):
            reader, writer = await _connected(way)
        try:
            writer.write(request)
            await writer.drain()
            return await self._read(reader)
        finally:
            writer.transport.abort()

    async def _read(self, reader: asyncio.StreamReader) -> tuple[Failure | None, str]:
        loop, limits, reply = asyncio.get_running_loop(), self._limits, self._reply
        since, came = loop.time(), 0
        while not reply.is_done:
            try:
                async with asyncio.timeout_at(since + limits.stalled_seconds):
                    data = await reader.read(_READ)
            except TimeoutError:
                if came < limits.slowest_rate * limits.stalled_seconds:
                    return Failure.STALLED, f"less than {limits.slowest_rate} bytes a second"
                since, came = loop.time(), 0
                continue
            if not data:
                self._keep(reply.closed())
                return reply.failure
            came += len(data)
            has_room = self._take(data)
            if self._unwanted:
                return Failure.UNWANTED, self._unwanted
            if not has_room:
                return Failure.TOO_LARGE, f"more than {limits.size} bytes"
            await self._slow_down(len(data), loop)
        return reply.failure if reply.is_flood else (None, "")

    async def _slow_down(self, count: int, loop: asyncio.AbstractEventLoop) -> None:
        draw(self._buckets, count, loop.time())
        if wait := owed(self._buckets, loop.time()):
            await asyncio.sleep(wait)
        if self._taken is not None:
            await self._taken()

    def _take(self, data: bytes) -> bool:
        """Take what came; whether there is room for more."""
        was_in_body = self._reply.is_in_body
        chunk = self._reply.take(data)
        if self._reply.is_in_body and not was_in_body:
            if self._turns_away is not None and (reason := self._turns_away(self._reply.head)):
                self._unwanted = reason
                return True
            if self._listener is not None and not self._reply.is_flood:
                self._listener.head(self._reply.head)
        return self._keep(chunk)

    def _keep(self, chunk: bytes) -> bool:
        limit = self._limits.size
        fits = not limit or self._sink.size + len(chunk) <= limit
        kept = chunk if fits else chunk[: limit - self._sink.size]
        if kept:
            self._sink.write(kept)
            if self._listener is not None:
                self._listener.data(kept)
        return fits


async def _connected(way: Way) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if not way.tunnel:
        return await asyncio.open_connection(
            way.address, way.port, ssl=way.tls, server_hostname=way.server_name if way.tls else None
        )
    reader, writer = await asyncio.open_connection(way.address, way.port)
    try:
        writer.write(way.tunnel)
        await _pass_proxy(reader)
        if way.tls is not None:
            await writer.start_tls(way.tls, server_hostname=way.server_name)
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


async def _pass_proxy(reader: asyncio.StreamReader) -> None:
    try:
        answer = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ConnectionResetError(0, "the proxy's answer cannot be read") from error
    if parse_response(answer).status != 200:
        raise ConnectionRefusedError(0, "the proxy gives no way through")
