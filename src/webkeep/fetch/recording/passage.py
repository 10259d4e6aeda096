"""What passes through a recording proxy: what is asked, what is to be done about it, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.fetch.handles import Login
from webkeep.fetch.listener import Listener
from webkeep.fetch.recording.client_head import ClientHead
from webkeep.fetch.recording.frames import Frame
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.request import BeforeMore, Fetched, Limits
from webkeep.model import Body, BytesBody, Exchange, Moment


@dataclass(frozen=True, slots=True)
class Asked:
    """A client's request before anything is done about it."""

    url: str
    head: ClientHead
    upload: Upload | None = None
    """The body on its way; None for a WebSocket."""


@dataclass(frozen=True, slots=True)
class Send:
    """Ask the server."""

    keep: bool = True
    """Whether what comes is recorded."""
    private: bool = False
    """Whether it may go to private addresses."""
    headers: tuple[tuple[str, str], ...] = ()
    """Sent in place of the client's own of these names; an empty value sends none."""
    limits: Limits | None = None
    """How much the answer may take; None leaves that to the client."""
    login: Login = None
    """What the server is told if it asks who is there."""
    before_more: BeforeMore | None = None
    """Awaited before the server is told."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer without asking the server, from an archive for instance."""

    head: bytes
    """With a length that fits the body, or chunked as the body is."""
    body: Body = field(default_factory=BytesBody)


@dataclass(frozen=True, slots=True)
class Refuse:
    """Tell the client that this is not to be had."""

    status: int
    reason: str


Choice = Send | Answer | Refuse

Hook = Callable[[Asked], Awaitable[Choice | None]]
"""Decides about a request, and may take its time to hold it; None leaves it to the rules."""


class Direction(Protocol):
    """Someone who takes an answer as it comes, and may be slower than it."""

    @property
    def is_slow(self) -> bool:
        """Whether what was passed on is not taken yet."""
        ...

    async def taken(self) -> None:
        """Wait until it is."""


class Passage(Listener, Direction, Protocol):
    """The client's side of an exchange."""

    def interim(self, head: bytes) -> None:
        """An interim answer came (1xx)."""

    def keeps(self, head: bytes) -> bool:
        """Whether the answer with this head is recorded."""
        ...

    def flush(self) -> None:
        """Pass on what is held back."""

    def trailers(self, lines: Sequence[bytes]) -> None:
        """Fields came after the body, apart from it."""

    @property
    def is_layered(self) -> bool:
        """Whether the end of the answer is to be found by its chunks."""
        ...


@dataclass(slots=True)
class Conversation:
    """A WebSocket connection, from its handshake on."""

    handshake: Exchange
    frames: list[tuple[Moment, bool, Frame]] = field(default_factory=list)
    """When each came, whether it was the client's, and what it was."""
    size: int = 0
    is_cut: bool = False
    """Whether more frames came than are kept."""


class Recorder(Protocol):
    """Decides what passes and keeps what came."""

    def choose(self, asked: Asked) -> Choice | Awaitable[Choice]:
        """What to do about a request; to be awaited while that is not known, or too much is on its way to the disk."""
        ...

    def keeps(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded."""
        ...

    def passed(self, fetched: Fetched, kept: bool) -> None:
        """An exchange has come to its end, one way or another."""

    def conversed(self, conversation: Conversation) -> None:
        """A WebSocket connection has come to its end."""

    def left_out(self, url: str, reason: str) -> None:
        """Something passed, or was refused, without being recorded."""

    def noted(self, text: str) -> None:
        """Something that a person should know."""

    @property
    def goes_on(self) -> bool:
        """Whether clients are served even where nothing can be recorded."""
        ...
