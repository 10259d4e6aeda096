"""Connections of strangers, each within bounds before anybody knows who it is: how long and how large the head of a
request may be, and how many there are at a time.

Theory of operation. The parser of uvicorn keeps whatever comes before a request is whole, without end. Here every byte
is counted that is no part of a body; a request whose head does not come in time is given up, and of the files that a
process may have open connections never take more than half, so that jobs are begun and archives read whoever connects.
"""

from __future__ import annotations

import asyncio
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_MAX_HEAD_BYTES = 64 << 10
"""Of a request without its body: browsers and servers have 8 to 64 kB."""
_HEAD_SECONDS = 20.0
"""From the start of a connection, or from the first byte of a further request, until its head is whole."""
_MAX_CONNECTIONS = 4000
"""At a time, where the process may have twice as many files open: some hundreds are people who watch a job."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection."""

    _head_timer: asyncio.TimerHandle | None = None
    _is_message_open = False
    """Whether a request has begun that is not whole."""
    _extra_bytes = 0
    """Of that request, what was no part of its body."""
    _body_bytes = 0
    _has_begun = False
    """Whether it began within what was read last."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, where there are not too many."""
        super().connection_made(transport)
        if len(self.connections) > _most_connections():
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._head_is_there()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, or refuse what has no end."""
        if not self._is_message_open and self._head_timer is None:
            self._await_head()
        known_body, self._has_begun = self._body_bytes, False
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._is_message_open:
            self._extra_bytes = self._body_bytes = 0
            return
        if not self._has_begun:  # else it is not known where: what is read at a time has a bound of its own
            self._extra_bytes += len(data) - (self._body_bytes - known_body)
        # Bodies in pieces have a length before each, which pieces of a useful size outweigh.
        if self._extra_bytes > _MAX_HEAD_BYTES + self._body_bytes:
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_message_open = self._has_begun = True
        self._extra_bytes = self._body_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """It is known what is asked for."""
        self._head_is_there()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of what is sent along."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._is_message_open = False
        super().on_message_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _head_is_there(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def _most_connections() -> int:
    return min(_MAX_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
