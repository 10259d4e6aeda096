"""Ways to a database that can be slow, cut or stuck: one port on loopback for each who uses it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

_PART_BYTES = 65536


class DatabaseWay:
    """One way, from a port of its own to the socket of whichever server is the database now."""

    def __init__(self, target: DatabaseWays) -> None:
        self._ways = target
        self._writers: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.delay_seconds = 0.0
        self.is_cut = False
        self.port = 0

    async def open(self) -> None:
        """Listen."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            inner_reader, inner_writer = await asyncio.open_unix_connection(self._ways.target)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, inner_writer}
        self._writers |= both
        try:
            await asyncio.gather(self._pass(reader, inner_writer), self._pass(inner_reader, writer))
        except OSError:
            pass  # One end is gone: so is the other, below.
        finally:
            self._writers -= both
            for each in both:
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(_PART_BYTES):
            if self.delay_seconds:
                await asyncio.sleep(self.delay_seconds)
            await self._flows.wait()
            writer.write(part)
            await writer.drain()
        raise ConnectionResetError

    async def cut(self, is_cut: bool) -> None:
        """Break what is connected, and let nobody connect, or let them again."""
        self.is_cut = is_cut
        for writer in self._writers if is_cut else ():
            writer.transport.abort()

    async def jam(self, is_jammed: bool) -> None:
        """Pass nothing on, without a word to either end, or pass it on again."""
        if is_jammed:
            self._flows.clear()
        else:
            self._flows.set()


class DatabaseWays:
    """All ways, served by a thread."""

    def __init__(self, target: str) -> None:
        self.target = target
        """The socket of the server."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have the thread do something, and wait for it."""
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def add(self) -> DatabaseWay:
        """One more."""
        way = DatabaseWay(self)
        self.run(way.open())
        return way

    def end(self) -> None:
        """Pass nothing on any more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
