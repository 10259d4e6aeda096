"""The lenient second try: one plain HTTP/1 request over a connection of its own, for answers that libcurl does not
take.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from webkeep.fetch.client.bandwidth_limit import TokenBucket, draw_bytes, seconds_owed
from webkeep.fetch.client.lenient_response import LenientResponse
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.request import FetchFailure, FetchRequest, ResponseListener
from webkeep.fetch.upstream_proxy import read_tunnel_response

_READ_BYTES = 64 * 1024
"""Bytes read at a time, as much as a socket usually has."""

DrainListener = Callable[[], Awaitable[None]]
"""Returns when a listener has taken what it was given."""


@dataclass(frozen=True, slots=True)
class ServerRoute:
    """How to reach a server: the address that libcurl was let through to, and what is spoken there."""

    address: str
    port: int
    tls: ssl.SSLContext | None = None
    server_name: str = ""
    tunnel: bytes = b""
    """What a proxy at that address is asked for first."""
    socket: str = ""
    """The Unix socket that is connected to in place of an address."""


@dataclass(frozen=True, slots=True)
class LenientResult:
    """What came of a plain try."""

    head: bytes
    failure: FetchFailure | None
    detail: str


class LenientRequest:
    """One request, sent as it is, and all that the server says to it."""

    def __init__(
        self,
        request: FetchRequest,
        sink: SpoolSink,
        buckets: tuple[TokenBucket, ...] = (),
        listener: ResponseListener | None = None,
        taken: DrainListener | None = None,
    ) -> None:
        self._limits = request.limits
        self._turns_away = request.head_filter
        self._sink = sink
        self._buckets = buckets
        self._listener = listener
        self._drain = taken
        self._reply = LenientResponse(has_body=request.method != "HEAD")
        self._unwanted = ""

    async def send(self, way: ServerRoute, request: bytes) -> LenientResult:
        """Send the request and take the answer, as far as the limits let it come."""
        try:
            async with asyncio.timeout(self._limits.seconds or None):
                failure, detail = await self._exchange(way, request)
        except TimeoutError:
            failure, detail = FetchFailure.TIMEOUT, "the plain request took too long"
        except ssl.SSLCertVerificationError as error:
            failure, detail = FetchFailure.CERTIFICATE, error.verify_message
        except ssl.SSLError as error:
            failure, detail = FetchFailure.TLS, error.reason or "TLS failed"
        except OSError as error:
            failure, detail = FetchFailure.DISCONNECTED, error.strerror or "the connection broke"
        self._keep(self._reply.close())
        return LenientResult(self._reply.head, failure, detail)

    def break_off(self, why: str) -> LenientResult:
        """What had come when whoever asked broke it off."""
        self._keep(self._reply.close())
        return LenientResult(self._reply.head, FetchFailure.DISCONNECTED, why)

    async def _exchange(self, way: ServerRoute, request: bytes) -> tuple[FetchFailure | None, str]:
        async with asyncio.timeout(self._limits.connect_seconds):
            reader, writer = await _connect(way)
        try:
            writer.write(request)
            await writer.drain()
            return await self._read(reader)
        finally:
            writer.transport.abort()

    async def _read(self, reader: asyncio.StreamReader) -> tuple[FetchFailure | None, str]:
        loop, limits, reply = asyncio.get_running_loop(), self._limits, self._reply
        since, came = loop.time(), 0
        while not reply.is_done:
            try:
                async with asyncio.timeout_at(since + limits.max_stall_seconds):
                    data = await reader.read(_READ_BYTES)
            except TimeoutError:
                if came < limits.min_rate * limits.max_stall_seconds:
                    return FetchFailure.STALLED, f"less than {limits.min_rate} bytes a second"
                since, came = loop.time(), 0
                continue
            if not data:
                self._keep(reply.close())
                return reply.failure
            came += len(data)
            has_room = self._feed(data)
            if self._unwanted:
                return FetchFailure.UNWANTED, self._unwanted
            if not has_room:
                return FetchFailure.TOO_LARGE, f"more than {limits.size} bytes"
            await self._keep_rate(len(data), loop)
        return reply.failure if reply.is_flood else (None, "")

    async def _keep_rate(self, count: int, loop: asyncio.AbstractEventLoop) -> None:
        draw_bytes(self._buckets, count, loop.time())
        if wait := seconds_owed(self._buckets, loop.time()):
            await asyncio.sleep(wait)
        if self._drain is not None:
            await self._drain()

    def _feed(self, data: bytes) -> bool:
        """Take what came; whether there is room for more."""
        was_in_body = self._reply.is_in_body
        chunk = self._reply.feed(data)
        if self._reply.is_in_body and not was_in_body:
            if self._turns_away is not None and (reason := self._turns_away(self._reply.head)):
                self._unwanted = reason
                return True
            if self._listener is not None and not self._reply.is_flood:
                self._listener.on_head(self._reply.head)
        return self._keep(chunk)

    def _keep(self, chunk: bytes) -> bool:
        limit = self._limits.size
        fits = not limit or self._sink.size + len(chunk) <= limit
        kept = chunk if fits else chunk[: limit - self._sink.size]
        if kept:
            self._sink.write(kept)
            if self._listener is not None:
                self._listener.on_data(kept)
        return fits


async def _connect(way: ServerRoute) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if way.socket:
        return await asyncio.open_unix_connection(way.socket)
    if not way.tunnel:
        return await asyncio.open_connection(
            way.address, way.port, ssl=way.tls, server_hostname=way.server_name if way.tls else None
        )
    reader, writer = await asyncio.open_connection(way.address, way.port)
    try:
        writer.write(way.tunnel)
        await read_tunnel_response(reader)
        if way.tls is not None:
            await writer.start_tls(way.tls, server_hostname=way.server_name)
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer
