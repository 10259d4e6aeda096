"""Bytes carried both ways between a client and a server, no faster than either takes them: a WebSocket, whose frames
are noted as they pass, or a tunnel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from webkeep.fetch.proxy.exchange_recorder import WebSocketConversation
from webkeep.fetch.proxy.websocket_frames import WebSocketFrameReader
from webkeep.model import Clock

_READ_BYTES = 64 * 1024
"""Bytes read at a time, as much as a socket usually has."""

RelayTap = Callable[[bytes, bool], None]
"""Shown every piece that passes, and whether it is the client's."""


class Relay:
    """Carries bytes until one side has had enough."""

    def __init__(
        self,
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        to_client: Callable[[bytes], None],
        tap: RelayTap,
    ) -> None:
        self._reader, self._writer = server
        self._to_client = to_client
        self._tap = tap
        self._may_write = asyncio.Event()
        self._may_write.set()

    def send_to_server(self, data: bytes) -> None:
        """Carry to the server."""
        self._tap(data, True)
        self._writer.write(data)

    @property
    def is_full(self) -> bool:
        """Whether the server is slower than the client."""
        return self._writer.transport.get_write_buffer_size() > _READ_BYTES * 4

    async def drain(self) -> None:
        """Wait until the server has taken most of it."""
        await self._writer.drain()

    def set_client_slow(self, is_slow: bool) -> None:
        """Whether the client is slower than the server."""
        if is_slow:
            self._may_write.clear()
        else:
            self._may_write.set()

    async def run(self, first: bytes = b"") -> None:
        """Carry to the client until the server ends the connection."""
        try:
            data = first or await self._reader.read(_READ_BYTES)
            while data:
                self._tap(data, False)
                self._to_client(data)
                await self._may_write.wait()
                data = await self._reader.read(_READ_BYTES)
        except OSError:
            return  # a server that breaks the connection off has ended it
        finally:
            self._writer.transport.abort()


def ignore_bytes(_data: bytes, _is_clients: bool) -> None:
    """Look at nothing that passes."""


class WebSocketFrameTap:
    """Notes the frames of both directions in a conversation, as many as can be kept."""

    def __init__(self, conversation: WebSocketConversation, clock: Clock) -> None:
        self._conversation = conversation
        self._clock = clock
        self._readers = {True: WebSocketFrameReader(), False: WebSocketFrameReader()}

    def note(self, data: bytes, is_clients: bool) -> None:
        """Note the frames in what passes."""
        talk = self._conversation
        if talk.is_cut:
            return
        for frame in self._readers[is_clients].feed(data):
            if not talk.add_frame(self._clock.now(), is_clients, frame):
                return
