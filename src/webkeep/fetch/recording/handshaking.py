"""The beginning of a WebSocket: its handshake with the server, on behalf of a client."""

from __future__ import annotations

import asyncio
from typing import cast

from webkeep.errors import RemoteError
from webkeep.fetch.recording.client_head import Authority, ClientHead, parse_authority
from webkeep.fetch.recording.dialing import Dialer, Streams
from webkeep.fetch.recording.outward import handshake
from webkeep.fetch.recording.passage import Conversation
from webkeep.formats.http1 import parse_response
from webkeep.model import Clock, Exchange


async def shaken(
    dialer: Dialer, clock: Clock, head: ClientHead, url: str, private: bool
) -> tuple[Streams, Conversation, bool]:
    """The connection, what was said on it, and whether it is a WebSocket now; raises `RemoteError` where it fails."""
    scheme, _, rest = url.partition("://")
    name, slash, path = rest.partition("/")
    where = cast("Authority", parse_authority(name, 443 if scheme == "https" else 80))
    asked, started = handshake(head, slash + path, name), clock.now()
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
    is_open = parse_response(answer).status == 101
    # An answer that is none to a handshake is passed on, and of it the head alone is kept.
    exchange = Exchange(
        url,
        started,
        answer,
        request=asked,
        address=address,
        protocols=("http/1.1",),
        truncated="" if is_open else "unspecified",
    )
    return server, Conversation(exchange), is_open
