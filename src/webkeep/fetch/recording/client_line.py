"""The client's end of a connection: what is sent to it, how fast it takes that, and how one parts from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from webkeep.fetch.recording.answers import page
from webkeep.fetch.recording.wire import PlainWire, Wire

_SENT_AHEAD = 512 * 1024
_PARTING_SECONDS = 2.0


class ClientLine(asyncio.BufferedProtocol):
    """Sends to a client, plainly or encrypted."""

    __slots__ = ("_is_parting", "_loop", "_transport", "_waiting", "_wire", "is_gone", "is_slow", "since")

    def __init__(self) -> None:
        self._is_parting = False
        self._waiting: asyncio.Future[None] | None = None
        self.is_gone = False
        self.is_slow = False
        self.since = 0.0
        """Since when the connection has waited for a whole head; 0 while a request is under way."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(_SENT_AHEAD)
        self._wire: Wire = PlainWire(self._transport)
        self._loop = asyncio.get_running_loop()
        self.since = self._loop.time()

    def pause_writing(self) -> None:
        """The client is slower than what comes for it."""
        self.is_slow = True

    def resume_writing(self) -> None:
        """The client has taken what was there for it."""
        self.is_slow = False
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def taken(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""
        while self.is_slow and not self.is_gone:
            self._waiting = self._waiting or self._loop.create_future()
            await self._waiting

    def write(self, data: bytes) -> None:
        """Send to the client."""
        if not self.is_gone and not self._is_parting:
            self._wire.write(data)

    def close(self) -> None:
        """End the connection when all is sent."""
        self._wire.close()

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something after a while."""
        self._loop.call_later(seconds, act)

    def refuse(self, status: int, reason: str) -> None:
        """Say why not, and end the connection."""
        self.part(page(status, reason))

    def part(self, answer: bytes) -> None:
        """Say a last thing, and wait a little for it to be taken: closing at once would discard it (RFC 9112, 9.6)."""
        if self._is_parting:
            return
        self.write(answer)
        self._is_parting = True
        self.since = 0.0
        if not self.is_gone:
            with suppress(OSError):  # the client was quicker
                self._wire.finish()
            self._loop.call_later(_PARTING_SECONDS, self._transport.abort)
