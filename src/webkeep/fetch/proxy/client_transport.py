"""The client's end of a proxy connection: what is sent to it, how much is held where it is slow, and how one parts from
it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from webkeep.fetch.proxy.client_wire import ClientWire, PlainWire
from webkeep.fetch.proxy.proxy_pages import error_page

_WRITE_BUFFER_BYTES = 512 * 1024
"""More than that is not held for a client that is slower than the server."""
_LINGER_SECONDS = 2.0
"""So long a client may take its last answer before the connection is cut."""


class ClientTransport(asyncio.BufferedProtocol):
    """Sends to a client, plainly or encrypted."""

    __slots__ = ("_is_closing", "_loop", "_transport", "_waiting", "_wire", "is_gone", "is_slow", "waiting_since")

    def __init__(self) -> None:
        self._is_closing = False
        self._waiting: asyncio.Future[None] | None = None
        self.is_gone = False
        self.is_slow = False
        self.waiting_since = 0.0
        """Since when the connection has waited for a whole head; 0 while a request is under way."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(_WRITE_BUFFER_BYTES)
        self._wire: ClientWire = PlainWire(self._transport)
        self._loop = asyncio.get_running_loop()
        self.waiting_since = self._loop.time()

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

    async def drain(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""
        while self.is_slow and not self.is_gone:
            self._waiting = self._waiting or self._loop.create_future()
            await self._waiting

    def write(self, data: bytes) -> None:
        """Send to the client."""
        if not self.is_gone and not self._is_closing:
            self._wire.write(data)

    def close(self) -> None:
        """End the connection when all is sent."""
        self._wire.close()

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def call_later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something after a while."""
        self._loop.call_later(seconds, act)

    def refuse(self, status: int, reason: str) -> None:
        """Say why not, and end the connection."""
        self.send_last(error_page(status, reason))

    def send_last(self, answer: bytes) -> None:
        """Say a last thing, and wait a little for it to be taken: closing at once would discard it (RFC 9112, 9.6)."""
        if self._is_closing:
            return
        self.write(answer)
        self._is_closing = True
        self.waiting_since = 0.0
        if not self.is_gone:
            with suppress(OSError):  # the client was quicker
                self._wire.write_eof()
            self._loop.call_later(_LINGER_SECONDS, self._transport.abort)
