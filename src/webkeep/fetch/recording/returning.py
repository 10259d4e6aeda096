"""The client's side of one exchange: the answer is written to its connection as it comes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from webkeep.fetch.recording.client_chunks import ClientChunks
from webkeep.fetch.recording.client_head import ClientHead
from webkeep.fetch.recording.return_head import ReturnHead
from webkeep.fetch.status import status_of

_FRAMING = rb"connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade"
_TRAILER = re.compile(rb"(?!(?:%s)[ \t]*:)[^:\s]+:[^\r\n]*\r\n" % _FRAMING, re.IGNORECASE).fullmatch
"""A field that may follow a body: none that says how messages are told apart or where they go (RFC 9110, 6.5.1)."""


class Connection(Protocol):
    """What an answer needs of its client's connection."""

    is_slow: bool
    awaits_continue: bool
    """Whether the client holds its body back until it is told to go on (100)."""

    def write(self, data: bytes) -> None:
        """Send to the client."""

    async def taken(self) -> None:
        """Wait until what was sent is taken, or nobody is there to take it."""


class Returning:
    """Passes an answer on; a client of HTTP/1.0 gets it without chunks, one of HTTP/1.1 with them where it must.

    The body's beginning mostly comes with the head, and both go out in one piece then: a head is held back until more
    comes, or whoever tells of it has nothing more at hand (`flush`).
    """

    __slots__ = (
        "_asked",
        "_connection",
        "_held",
        "_keeps",
        "_makes_chunks",
        "_trailers",
        "_undone",
        "is_begun",
        "is_layered",
        "stays",
    )

    def __init__(self, asked: ClientHead, connection: Connection, keeps: Callable[[bytes], bool] | None = None) -> None:
        self._asked = asked
        self._connection = connection
        self._keeps = keeps
        self._held = b""
        self._undone: ClientChunks | None = None
        self._makes_chunks = False
        self._trailers = b""
        self.is_begun = False
        """Whether anything of the final answer was passed on."""
        self.is_layered = False
        """Whether the end of the answer is to be found by its chunks."""
        self.stays = False
        """Whether the connection can be used again once the answer has ended."""

    @property
    def is_slow(self) -> bool:
        """Whether what was passed on is not taken yet."""
        return self._connection.is_slow

    async def taken(self) -> None:
        """Wait until it is."""
        self.flush()
        if self._connection.is_slow:
            await self._connection.taken()

    def keeps(self, head: bytes) -> bool:
        """Whether the answer with this head is recorded."""
        return self._keeps is None or self._keeps(head)

    def interim(self, head: bytes) -> None:
        """Pass an interim answer on to those who know of them."""
        if status_of(head) == 100:
            self._connection.awaits_continue = False
        if self._asked.version == "HTTP/1.1":
            self._connection.write(ReturnHead(head, "HEAD").bytes)

    def head(self, head: bytes) -> None:
        """Pass the head on."""
        self.is_begun = True
        self._connection.awaits_continue = False
        returned = ReturnHead(head, self._asked.method)
        is_old = self._asked.version == "HTTP/1.0"
        self.stays = self._asked.stays and returned.is_delimited and returned.is_clear and not is_old
        self.is_layered = returned.is_layered
        self._held = returned.bytes
        self._makes_chunks = returned.needs_chunks and not is_old
        if is_old and (returned.is_chunked or returned.needs_chunks) and returned.has_body:
            self._undone = ClientChunks() if returned.is_chunked else None
            lines = returned.bytes.split(b"\r\n")
            kept = [line for line in lines if not line.lower().startswith((b"transfer-encoding:", b"trailer:"))]
            self._held = b"\r\n".join(kept)

    def data(self, chunk: bytes) -> None:
        """Pass more of the body on."""
        held, self._held = self._held, b""
        if self._makes_chunks:
            chunk = b"%x\r\n%s\r\n" % (len(chunk), chunk)
        elif self._undone is not None:
            chunk = self._undone.take(chunk)
        self._connection.write(held + chunk)

    def trailers(self, lines: Sequence[bytes]) -> None:
        """Have fields follow the body, where it ends in a way that leaves room for them."""
        self._trailers = b"".join(line for line in lines if _TRAILER(line))

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
