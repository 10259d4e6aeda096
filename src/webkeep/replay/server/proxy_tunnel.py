"""The client's side of proxy mode: plain requests, and tunnels (CONNECT) in which TLS is spoken by our own authority;
how TLS is known, when a tunnel is refused, and how long a client may hesitate.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from webkeep.replay.server.http_connection import ConnectionHub, ServerConnection, client_address
from webkeep.replay.server.message import DeferredResponse, Request, Response, text_response
from webkeep.replay.server.response_head import build_head
from webkeep.replay.server.security_headers import SecurityRule

_MAX_HEAD_BYTES = 16 * 1024
"""Of a CONNECT request and its fields."""
_HEAD_END = b"\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_AUTHORIZATION = re.compile(rb"\r\nproxy-authorization:[ \t]*([^\r\n]*)", re.IGNORECASE)
_HANDSHAKE_SECONDS = 30.0
"""For a client to begin TLS within its tunnel; one that does not holds a connection for nothing."""
_TLS = b"\x16"

ProxyRequestHandler = Callable[[str, Request], "Response | DeferredResponse"]
"""Answers a request; the first argument is the origin of the tunnel that it came through, "" for none."""


@dataclass(frozen=True, slots=True)
class ProxyListener:
    """The way in for browsers whose proxy this is."""

    listener: socket.socket
    handler: ProxyRequestHandler
    context: Callable[[str], ssl.SSLContext]
    """What a tunnel to a host is encrypted with."""
    locks: SecurityRule
    refusal: Callable[[str, str], Response | None]
    """The answer to a client that may open no tunnel, by its address and its Proxy-Authorization."""


class ProxyConnection(asyncio.Protocol):
    """One client until it is known what it wants: then a plain connection, or one inside a tunnel."""

    def __init__(self, hub: ConnectionHub, listener: ProxyListener) -> None:
        self._hub = hub
        self._proxy = listener
        self._held = b""
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._timeout: asyncio.TimerHandle | None = None
        """Lets go of a client that does not say what it wants."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._timeout = asyncio.get_running_loop().call_later(_HANDSHAKE_SECONDS, transport.abort)

    def connection_lost(self, _exc: Exception | None) -> None:
        """The client is gone."""
        self._cancel_timeout()

    def _cancel_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()

    def data_received(self, data: bytes) -> None:
        """Take the first bytes."""
        self._held += data
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if not b"CONNECT ".startswith(self._held[:8]):
            self._start_plain(transport, "")
        elif _HEAD_END in self._held:
            self._open_tunnel(transport)
        elif len(self._held) > _MAX_HEAD_BYTES:
            self._refuse(transport, text_response(431, "the head of the request is too long"))

    def _open_tunnel(self, transport: asyncio.Transport) -> None:
        authority = self._held.split(b" ", 2)[1].decode("latin-1")
        host, _, port = authority.rpartition(":")
        if not host or not port.isdigit() or len(host) > 255:
            self._refuse(transport, text_response(400, "a tunnel leads to a host and a port"))
            return
        refusal = self._proxy.refusal(client_address(transport), self._authorization())
        if refusal is not None:
            self._refuse(transport, refusal)
            return
        self._held = b""
        transport.pause_reading()
        transport.write(_ESTABLISHED)
        self._task = asyncio.get_running_loop().create_task(self._detect_tls(transport, host, port))

    def _authorization(self) -> str:
        match = _AUTHORIZATION.search(self._held)
        return match[1].decode("latin-1").strip() if match else ""

    def _refuse(self, transport: asyncio.Transport, response: Response) -> None:
        body = response.body if isinstance(response.body, bytes) else b""
        transport.write(
            build_head(
                response, self._proxy.locks("", response.security_class, False), ("Connection: close",), len(body)
            )
            + body
        )
        transport.close()

    async def _detect_tls(self, transport: asyncio.Transport, host: str, port: str) -> None:
        """See by the first byte whether TLS is spoken, which is none of those that a plain request begins with."""
        if await _peek_byte(transport) == _TLS:
            await self._start_tls(
                transport, host.strip("[]"), f"https://{host}" + ("" if port == "443" else f":{port}")
            )
        else:
            self._start_plain(transport, f"http://{host}" + ("" if port == "80" else f":{port}"))
            transport.resume_reading()

    def _start_plain(self, transport: asyncio.Transport, origin: str) -> None:
        connection = ServerConnection(self._hub, partial(self._proxy.handler, origin), self._proxy.locks)
        self._cancel_timeout()
        transport.set_protocol(connection)
        connection.connection_made(transport)
        held, self._held = self._held, b""
        if held:
            connection.data_received(held)

    async def _start_tls(self, transport: asyncio.Transport, host: str, origin: str) -> None:
        loop = asyncio.get_running_loop()
        connection = ServerConnection(self._hub, partial(self._proxy.handler, origin), self._proxy.locks)
        try:
            encrypted = await loop.start_tls(
                transport,
                connection,
                self._proxy.context(host),
                server_side=True,
                ssl_handshake_timeout=_HANDSHAKE_SECONDS,
            )
        except (OSError, ssl.SSLError):
            transport.abort()  # the client does not trust us, or is gone
            return
        self._cancel_timeout()
        if encrypted is not None:
            connection.connection_made(encrypted)


async def _peek_byte(transport: asyncio.Transport) -> bytes:
    """The byte that will be read next, left where it is; nothing where the client is gone or silent."""
    loop = asyncio.get_running_loop()
    with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as peeking:
        peeking.setblocking(False)
        there = asyncio.Event()
        loop.add_reader(peeking.fileno(), there.set)
        try:
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                await there.wait()
            return peeking.recv(1, socket.MSG_PEEK)
        except OSError:  # a timeout is one as well
            return b""
        finally:
            loop.remove_reader(peeking.fileno())
