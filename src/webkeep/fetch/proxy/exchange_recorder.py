"""What passes through a recording proxy: what is asked, what can be decided about it (ask the server, answer locally,
refuse), and what came of it; how much of a WebSocket's frames is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.fetch.client.handle_pool import HostLogin
from webkeep.fetch.proxy.client_upload import ClientUpload
from webkeep.fetch.proxy.request_head import ClientHead
from webkeep.fetch.proxy.websocket_frames import WebSocketFrame
from webkeep.fetch.request import BeforeNextRequest, FetchLimits, FetchResult, ResponseListener
from webkeep.model import Body, BytesBody, Exchange, Moment


@dataclass(frozen=True, slots=True)
class InterceptedRequest:
    """A client's request before anything is done about it."""

    url: str
    head: ClientHead
    upload: ClientUpload | None = None
    """The body on its way; None for a WebSocket."""


@dataclass(frozen=True, slots=True)
class SendUpstream:
    """Ask the server."""

    is_recorded: bool = True
    """Whether what comes is recorded."""
    private: bool = False
    """Whether it may go to private addresses."""
    headers: tuple[tuple[str, str], ...] = ()
    """Sent in place of the client's own of these names; an empty value sends none."""
    limits: FetchLimits | None = None
    """How much the answer may take; None leaves that to the client."""
    login: HostLogin = None
    """What the server is told if it asks who is there."""
    before_next_request: BeforeNextRequest | None = None
    """Awaited before the server is told."""


@dataclass(frozen=True, slots=True)
class LocalResponse:
    """Answer without asking the server, from an archive for instance."""

    head: bytes
    """With a length that fits the body, or chunked as the body is."""
    body: Body = field(default_factory=BytesBody)


@dataclass(frozen=True, slots=True)
class RefuseRequest:
    """Tell the client that this is not to be had."""

    status: int
    reason: str


ProxyDecision = SendUpstream | LocalResponse | RefuseRequest

RequestHook = Callable[[InterceptedRequest], Awaitable[ProxyDecision | None]]
"""Decides about a request, and may take its time to hold it; None leaves it to the rules."""


class Backpressure(Protocol):
    """Someone who takes an answer as it comes, and may be slower than it."""

    @property
    def is_slow(self) -> bool:
        """Whether what was passed on is not taken yet."""
        ...

    async def drain(self) -> None:
        """Wait until it is."""


class ResponseReceiver(ResponseListener, Backpressure, Protocol):
    """The client's side of an exchange."""

    def on_interim(self, head: bytes) -> None:
        """An interim answer came (1xx)."""

    def is_recorded(self, head: bytes) -> bool:
        """Whether the answer with this head is recorded."""
        ...

    def flush(self) -> None:
        """Pass on what is held back."""

    def on_trailers(self, lines: Sequence[bytes]) -> None:
        """Fields came after the body, apart from it."""

    @property
    def is_layered(self) -> bool:
        """Whether the end of the answer is to be found by its chunks."""
        ...


_MAX_FRAMES = 100_000
"""Frames of one conversation that are kept; it goes on without."""
_MAX_FRAME_BYTES = 32 << 20
"""Bytes of their payloads that are kept."""


@dataclass(slots=True)
class WebSocketConversation:
    """A WebSocket connection, from its handshake on."""

    handshake: Exchange
    frames: list[tuple[Moment, bool, WebSocketFrame]] = field(default_factory=list)
    """When each came, whether it was the client's, and what it was."""
    size: int = 0
    is_cut: bool = False
    """Whether more frames came than are kept."""

    def add_frame(self, moment: Moment, is_clients: bool, frame: WebSocketFrame) -> bool:
        """Take in a frame; False where it is one too many, and no more are taken in."""
        self.size += len(frame.payload)
        if len(self.frames) >= _MAX_FRAMES or self.size > _MAX_FRAME_BYTES:
            self.is_cut = True
            return False
        self.frames.append((moment, is_clients, frame))
        return True


class ExchangeRecorder(Protocol):
    """Decides what passes and keeps what came."""

    def decide(self, asked: InterceptedRequest) -> ProxyDecision | Awaitable[ProxyDecision]:
        """What to do about a request; to be awaited while that is not known, or too much is on its way to the disk."""
        ...

    def is_recorded(self, url: str, head: bytes) -> bool:
        """Whether an answer with this head is recorded."""
        ...

    def record_exchange(self, fetched: FetchResult, kept: bool) -> None:
        """An exchange has come to its end, one way or another."""

    def record_websocket(self, conversation: WebSocketConversation) -> None:
        """A WebSocket connection has come to its end."""

    def note_left_out(self, url: str, reason: str) -> None:
        """Something passed, or was refused, without being recorded."""

    def note_warning(self, text: str) -> None:
        """Something that a person should know."""

    @property
    def serves_unrecorded(self) -> bool:
        """Whether clients are served even where nothing can be recorded."""
        ...
