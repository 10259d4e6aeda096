"""A tunnel that a client asked for, until it is known what is spoken inside, and then where nobody looks into it."""

from __future__ import annotations

import asyncio
import enum

from webkeep.errors import RemoteError
from webkeep.fetch.recording.client_head import Authority
from webkeep.fetch.recording.conversing import Partner
from webkeep.fetch.recording.dialing import Streams
from webkeep.fetch.recording.relay import Relay, unseen
from webkeep.fetch.recording.surroundings import Surroundings, TunnelRule

_TLS_RECORD = 0x16
_READ = 64 * 1024
_SILENCE = 1.0
"""For so many seconds a client has the first word."""


class Spoken(enum.Enum):
    """What is spoken in a tunnel, seen by its first byte."""

    TLS = enum.auto()
    HTTP = enum.auto()
    OTHER = enum.auto()


class Tunnel:
    """The way to one host and port."""

    def __init__(self, client: Partner, around: Surroundings, where: Authority) -> None:
        self._client, self._around, self.where = client, around, where
        self._name = f"tunnel:{where.host}:{where.port}"

    @property
    def may_pass(self) -> bool:
        """Whether it is carried where neither TLS nor HTTP is spoken in it."""
        return self._around.tunnels is TunnelRule.PASS

    @staticmethod
    def spoken(data: bytes) -> Spoken:
        """What the client's first bytes are the beginning of."""
        if data[0] == _TLS_RECORD:
            return Spoken.TLS
        return Spoken.HTTP if data[:1].isupper() else Spoken.OTHER

    def refuse(self) -> None:
        """Note that nothing passes."""
        self._around.recorder.left_out(self._name, "neither TLS nor HTTP in a tunnel")

    async def carry(self) -> None:
        """Carry what the client has begun to say, and all that follows."""
        server = await self._dialled()
        if server is not None:
            await self._relay(server)

    async def listen(self) -> None:
        """Where the client says nothing for a while, hear whether the server does; if so, carry it.

        Being cancelled, because the client has spoken after all, lets go of the server.
        """
        await asyncio.sleep(_SILENCE)
        server = await self._dialled()
        if server is None:
            return
        reader, writer = server
        try:
            said = await reader.read(_READ)
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

    async def _dialled(self) -> Streams | None:
        where = self.where
        private = self._around.is_private_open(where.host, where.port)
        try:
            server, _ = await self._around.dialer.dial(where, encrypted=False, private=private)
        except RemoteError as error:
            self._around.recorder.left_out(self._name, str(error))
            self._client.close()
            return None
        return server

    async def _relay(self, server: Streams, said: bytes = b"") -> None:
        self._around.recorder.left_out(self._name, "passed on unseen: neither TLS nor HTTP")
        relay = Relay(server, self._client.write, unseen)
        self._client.join(relay)
        await relay.run(said)
        self._client.close()
