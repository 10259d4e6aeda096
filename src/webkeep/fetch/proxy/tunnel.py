"""A tunnel that a client asked for by CONNECT: its first byte tells whether TLS, HTTP or something else is spoken
inside, and that something else is passed on unseen where it may be.
"""

from __future__ import annotations

import asyncio
import enum

from webkeep.errors import RemoteError
from webkeep.fetch.proxy.dialer import ServerStreams
from webkeep.fetch.proxy.proxy_context import ProxyContext, TunnelRule
from webkeep.fetch.proxy.relay import Relay, ignore_bytes
from webkeep.fetch.proxy.request_head import HostPort
from webkeep.fetch.proxy.websocket import RelayClient

_TLS_RECORD = 0x16
"""The first byte of a TLS handshake."""
_READ_BYTES = 64 * 1024
"""Bytes read at a time, as much as a socket usually has."""
_CLIENT_FIRST_SECONDS = 1.0
"""For so many seconds a client has the first word; with protocols in which the server has it, a tunnel opens that
much later."""


class TunnelProtocol(enum.Enum):
    """What is spoken in a tunnel, seen by its first byte."""

    TLS = enum.auto()
    HTTP = enum.auto()
    OTHER = enum.auto()


class Tunnel:
    """The way to one host and port."""

    def __init__(self, client: RelayClient, around: ProxyContext, where: HostPort) -> None:
        self._client, self._context, self.where = client, around, where
        self._name = f"tunnel:{where.host}:{where.port}"

    @property
    def may_pass(self) -> bool:
        """Whether it is carried where neither TLS nor HTTP is spoken in it."""
        return self._context.tunnels is TunnelRule.PASS

    @staticmethod
    def detect_protocol(data: bytes) -> TunnelProtocol:
        """What the client's first bytes are the beginning of."""
        if data[0] == _TLS_RECORD:
            return TunnelProtocol.TLS
        return TunnelProtocol.HTTP if data[:1].isupper() else TunnelProtocol.OTHER

    def note_refused(self) -> None:
        """Note that nothing passes."""
        self._context.recorder.note_left_out(self._name, "neither TLS nor HTTP in a tunnel")

    async def relay(self) -> None:
        """Carry what the client has begun to say, and all that follows."""
        server = await self._dial()
        if server is not None:
            await self._relay(server)

    async def relay_if_server_speaks(self) -> None:
        """Where the client says nothing for a while, hear whether the server does; if so, carry it.

        Being cancelled, because the client has spoken after all, lets go of the server.
        """
        await asyncio.sleep(_CLIENT_FIRST_SECONDS)
        server = await self._dial()
        if server is None:
            return
        reader, writer = server
        try:
            said = await reader.read(_READ_BYTES)
        except OSError:
            said = b""
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        if said:
            await self._relay(server, said)
        else:
            writer.transport.abort()
            self._client.close()

    async def _dial(self) -> ServerStreams | None:
        where = self.where
        private = self._context.is_private_open(where.host, where.port)
        try:
            server, _ = await self._context.dialer.dial(where, encrypted=False, private=private)
        except RemoteError as error:
            self._context.recorder.note_left_out(self._name, str(error))
            self._client.close()
            return None
        return server

    async def _relay(self, server: ServerStreams, said: bytes = b"") -> None:
        self._context.recorder.note_left_out(self._name, "passed on unseen: neither TLS nor HTTP")
        relay = Relay(server, self._client.write, ignore_bytes)
        self._client.attach_relay(relay)
        await relay.run(said)
        self._client.close()
