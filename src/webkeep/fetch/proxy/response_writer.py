"""The client's side of one proxied exchange: the answer is written to its connection as it comes, with chunks made or
undone as its HTTP version needs, and trailers that may follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from webkeep.fetch.proxy.chunk_decoder import ChunkDecoder
from webkeep.fetch.proxy.forwarded_head import ForwardedHead
from webkeep.fetch.proxy.request_head import ClientHead
from webkeep.formats.status import CONTINUE, status_of

_FRAMING = rb"connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade"
_is_forwarded_trailer = re.compile(rb"(?!(?:%s)[ \t]*:)[^:\s]+:[^\r\n]*\r\n" % _FRAMING, re.IGNORECASE).fullmatch
"""A field that may follow a body: none that says how messages are told apart or where they go (RFC 9110, 6.5.1)."""


class ResponseChannel(Protocol):
    """What an answer needs of its client's connection."""

    is_slow: bool
    awaits_continue: bool
    """Whether the client holds its body back until it is told to go on (100)."""

    def write(self, data: bytes) -> None:
        """Send to the client."""

    async def drain(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""


class ResponseWriter:
    """Passes an answer on; a client of HTTP/1.0 gets it without chunks, one of HTTP/1.1 with them where it must.

    The body's beginning mostly comes with the head, and both go out in one piece then: a head is held back until more
    comes, or whoever tells of it has nothing more at hand (`flush`).
    """

    __slots__ = (
        "_connection",
        "_decoder",
        "_held",
        "_is_recorded",
        "_makes_chunks",
        "_request",
        "_trailers",
        "is_begun",
        "is_layered",
        "keeps_alive",
    )

    def __init__(
        self, asked: ClientHead, connection: ResponseChannel, keeps: Callable[[bytes], bool] | None = None
    ) -> None:
        self._request = asked
        self._connection = connection
        self._is_recorded = keeps
        self._held = b""
        self._decoder: ChunkDecoder | None = None
        self._makes_chunks = False
        self._trailers = b""
        self.is_begun = False
        """Whether anything of the final answer was passed on."""
        self.is_layered = False
        """Whether the end of the answer is to be found by its chunks."""
        self.keeps_alive = False
        """Whether the connection can be used again once the answer has ended."""

    @property
    def is_slow(self) -> bool:
        """Whether what was passed on is not taken yet."""
        return self._connection.is_slow

    async def drain(self) -> None:
        """Wait until it is."""
        self.flush()
        if self._connection.is_slow:
            await self._connection.drain()

    def is_recorded(self, head: bytes) -> bool:
        """Whether the answer with this head is recorded."""
        return self._is_recorded is None or self._is_recorded(head)

    def on_interim(self, head: bytes) -> None:
        """Pass an interim answer on to those who know of them."""
        if status_of(head) == CONTINUE:
            self._connection.awaits_continue = False
        if self._request.version == "HTTP/1.1":
            self._connection.write(ForwardedHead(head, "HEAD").bytes)

    def on_head(self, head: bytes) -> None:
        """Pass the head on."""
        self.is_begun = True
        self._connection.awaits_continue = False
        returned = ForwardedHead(head, self._request.method)
        is_old = self._request.version == "HTTP/1.0"
        self.keeps_alive = (
            self._request.keeps_alive and returned.is_delimited and returned.is_unambiguous and not is_old
        )
        self.is_layered = returned.is_layered
        self._held = returned.bytes
        self._makes_chunks = returned.needs_chunks and not is_old
        if is_old and (returned.is_chunked or returned.needs_chunks) and returned.has_body:
            self._decoder = ChunkDecoder() if returned.is_chunked else None
            lines = returned.bytes.split(b"\r\n")
            kept = [line for line in lines if not line.lower().startswith((b"transfer-encoding:", b"trailer:"))]
            self._held = b"\r\n".join(kept)

    def on_data(self, chunk: bytes) -> None:
        """Pass more of the body on."""
        held, self._held = self._held, b""
        if self._makes_chunks:
            chunk = b"%x\r\n%s\r\n" % (len(chunk), chunk)
        elif self._decoder is not None:
            chunk = self._decoder.feed(chunk)
        self._connection.write(held + chunk)

    def on_trailers(self, lines: Sequence[bytes]) -> None:
        """Have fields follow the body, where it ends in a way that leaves room for them."""
        self._trailers = b"".join(line for line in lines if _is_forwarded_trailer(line))

    def flush(self) -> None:
        """Pass on what is held back."""
        held, self._held = self._held, b""
        if held:
            self._connection.write(held)

    def end(self) -> None:
        """The answer has come to a good end."""
        if self._makes_chunks:
            self._held += b"0\r\n%s\r\n" % self._trailers
        self.flush()
