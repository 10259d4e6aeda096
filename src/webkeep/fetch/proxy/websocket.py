"""WebSockets through the proxy: their handshake is passed on, and then every frame, and both are recorded; an answer
that opens none is passed on as any other.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Protocol, cast

from webkeep.errors import RemoteError
from webkeep.fetch.client.lenient_response import LenientResponse
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.proxy.dialer import Dialer, ServerStreams
from webkeep.fetch.proxy.exchange_recorder import SendUpstream, WebSocketConversation
from webkeep.fetch.proxy.forwarded_request import websocket_request
from webkeep.fetch.proxy.proxy_context import ProxyContext
from webkeep.fetch.proxy.relay import Relay, WebSocketFrameTap
from webkeep.fetch.proxy.request_head import ClientHead, HeaderFields, HostPort, parse_host_port
from webkeep.fetch.proxy.upstream_transfer import CLIENT_GONE
from webkeep.fetch.request import FetchFailure, FetchRequest, FetchResult
from webkeep.formats.http import parse_response
from webkeep.formats.status import SWITCHING_PROTOCOLS
from webkeep.model import Clock, Exchange

# The beginning of a WebSocket: its handshake with the server, on behalf of a client.


@dataclass(frozen=True, slots=True)
class WebSocketHandshake:
    """What was said, and the connection that it was said on."""

    server: ServerStreams
    exchange: Exchange
    is_agreed: bool
    """Whether the connection is a WebSocket now; if not, the answer's body follows."""


async def open_websocket(
    dialer: Dialer, clock: Clock, head: ClientHead, url: str, private: bool, instead: HeaderFields = ()
) -> WebSocketHandshake:
    """Ask a server for a WebSocket; raises `RemoteError` where it gives no answer."""
    scheme, _, rest = url.partition("://")
    name = rest.partition("/")[0]
    where = cast("HostPort", parse_host_port(name, 443 if scheme == "https" else 80))
    asked, started = websocket_request(head, name, instead), clock.now()
    server, address = await dialer.dial(where, scheme == "https", private)
    try:
        server[1].write(asked)
        answer = await server[0].readuntil(b"\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        server[1].transport.abort()
        raise RemoteError("the server broke off the handshake") from error
    except BaseException:
        server[1].transport.abort()
        raise
    exchange = Exchange(url, started, answer, request=asked, address=address, protocols=("http/1.1",))
    return WebSocketHandshake(server, exchange, parse_response(answer).status == SWITCHING_PROTOCOLS)


_READ_BYTES = 64 * 1024
"""Bytes read at a time, as much as a socket usually has."""


class RelayClient(Protocol):
    """A client whose bytes are carried to a server, and the server's to it."""

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more."""
        ...

    def write(self, data: bytes) -> None:
        """Send to the client."""

    async def drain(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""

    def close(self) -> None:
        """End the connection when all is sent."""

    def refuse(self, status: int, reason: str) -> None:
        """Say why not, and end the connection."""

    def attach_relay(self, relay: Relay) -> None:
        """From now on, all that comes goes that way."""


async def relay_websocket(
    client: RelayClient, around: ProxyContext, head: ClientHead, url: str, choice: SendUpstream
) -> None:
    """Carry a WebSocket, frame by frame; an answer that does not open one is passed on as any other."""
    try:
        shake = await open_websocket(around.dialer, around.clock, head, url, choice.private, choice.headers)
    except RemoteError as error:
        around.recorder.note_left_out(url, str(error))
        client.refuse(502, str(error))
        return
    client.write(shake.exchange.response)
    if not shake.is_agreed:
        await _forward_refusal(client, around, shake, choice)
        return
    talk = WebSocketConversation(shake.exchange)
    relay = Relay(shake.server, client.write, WebSocketFrameTap(talk, around.clock).note)
    client.attach_relay(relay)
    try:
        await relay.run()
    finally:
        if choice.is_recorded:
            around.recorder.record_websocket(talk)
        if not client.is_gone:
            client.close()


async def _forward_refusal(
    client: RelayClient, around: ProxyContext, shake: WebSocketHandshake, choice: SendUpstream
) -> None:
    """Pass on the rest of an answer that opens no WebSocket, and keep it; the connection ends with it."""
    exchange, (reader, writer) = shake.exchange, shake.server
    reply, sink = LenientResponse(), SpoolSink(around.upstream.spool)
    reply.feed(exchange.response)
    try:
        while not reply.is_done and (data := await reader.read(_READ_BYTES)):
            client.write(data)
            sink.write(reply.feed(data))
            await client.drain()
        failure, detail = reply.failure
    except OSError:
        failure, detail = FetchFailure.DISCONNECTED, "the connection broke"
    except asyncio.CancelledError:
        failure, detail = FetchFailure.DISCONNECTED, CLIENT_GONE
    finally:
        writer.transport.abort()
    exchange = replace(exchange, body=sink.take_body(), truncated=failure.truncation if failure is not None else "")
    request = FetchRequest(exchange.url, private=choice.private)
    fetched = FetchResult(request, exchange.moment, around.clock.now(), exchange, failure, detail, parts=(exchange,))
    around.recorder.record_exchange(fetched, choice.is_recorded)
    client.close()
