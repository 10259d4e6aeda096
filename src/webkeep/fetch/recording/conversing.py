"""WebSockets: their handshake is passed on, and then every frame."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

from webkeep.errors import RemoteError
from webkeep.fetch.plain_reply import PlainReply
from webkeep.fetch.recording.client_head import ClientHead
from webkeep.fetch.recording.handshaking import Handshake, shaken
from webkeep.fetch.recording.passage import Conversation, Send
from webkeep.fetch.recording.relay import FrameTap, Relay
from webkeep.fetch.recording.surroundings import Surroundings
from webkeep.fetch.recording.transfer import CLIENT_GONE
from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.fetch.sink import SpoolSink

_READ = 64 * 1024


class Partner(Protocol):
    """A client whose bytes are carried to a server, and the server's to it."""

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more."""
        ...

    def write(self, data: bytes) -> None:
        """Send to the client."""

    async def taken(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""

    def close(self) -> None:
        """End the connection when all is sent."""

    def refuse(self, status: int, reason: str) -> None:
        """Say why not, and end the connection."""

    def join(self, relay: Relay) -> None:
        """From now on, all that comes goes that way."""


async def converse(client: Partner, around: Surroundings, head: ClientHead, url: str, choice: Send) -> None:
    """Carry a WebSocket, frame by frame; an answer that does not open one is passed on as any other."""
    try:
        shake = await shaken(around.dialer, around.clock, head, url, choice.private, choice.headers)
    except RemoteError as error:
        around.recorder.left_out(url, str(error))
        client.refuse(502, str(error))
        return
    client.write(shake.exchange.response)
    if not shake.is_agreed:
        await _decline(client, around, shake, choice)
        return
    talk = Conversation(shake.exchange)
    relay = Relay(shake.server, client.write, FrameTap(talk, around.clock).note)
    client.join(relay)
    try:
        await relay.run()
    finally:
        if choice.keep:
            around.recorder.conversed(talk)
        if not client.is_gone:
            client.close()


async def _decline(client: Partner, around: Surroundings, shake: Handshake, choice: Send) -> None:
    """Pass on the rest of an answer that opens no WebSocket, and keep it; the connection ends with it."""
    exchange, (reader, writer) = shake.exchange, shake.server
    reply, sink = PlainReply(), SpoolSink(around.upstream.spool)
    reply.take(exchange.response)
    try:
        while not reply.is_done and (data := await reader.read(_READ)):
            client.write(data)
            sink.write(reply.take(data))
            await client.taken()
        failure, detail = reply.failure
    except OSError:
        failure, detail = Failure.DISCONNECTED, "the connection broke"
    except asyncio.CancelledError:
        failure, detail = Failure.DISCONNECTED, CLIENT_GONE
    finally:
        writer.transport.abort()
    exchange = replace(exchange, body=sink.body(), truncated=failure.truncation if failure is not None else "")
    request = Request(exchange.url, private=choice.private)
    fetched = Fetched(request, exchange.moment, around.clock.now(), exchange, failure, detail, parts=(exchange,))
    around.recorder.passed(fetched, choice.keep)
    client.close()
