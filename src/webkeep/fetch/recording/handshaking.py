"""The beginning of a WebSocket: its handshake with the server, on behalf of a client."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import cast

from webkeep.errors import RemoteError
from webkeep.fetch.recording.client_head import Authority, ClientHead, Fields, parse_authority
from webkeep.fetch.recording.dialing import Dialer, Streams
from webkeep.fetch.recording.outward import handshake
from webkeep.formats.http1 import parse_response
from webkeep.model import Clock, Exchange


@dataclass(frozen=True, slots=True)
class Handshake:
    """What was said, and the connection that it was said on."""

    server: Streams
    exchange: Exchange
    is_agreed: bool
    """Whether the connection is a WebSocket now; if not, the answer's body follows."""


async def shaken(
    dialer: Dialer, clock: Clock, head: ClientHead, url: str, private: bool, instead: Fields = ()
) -> Handshake:
    """Ask a server for a WebSocket; raises `RemoteError` where it gives no answer."""
    scheme, _, rest = url.partition("://")
    name = rest.partition("/")[0]
    where = cast("Authority", parse_authority(name, 443 if scheme == "https" else 80))
    asked, started = handshake(head, name, instead), clock.now()
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
    return Handshake(server, exchange, parse_response(answer).status == 101)
