"""What is asked of the web, under which limits of time, size and rate, and how it ended: the kinds of failure, and what
WARC-Truncated says of each.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.model import Body, BytesBody, Exchange, Moment, VisitKind

# Someone who watches a response as it comes: a proxy that passes it on.


class ResponseListener(Protocol):
    """Told of the final response alone, never of interim answers or of one that asks for credentials."""

    def on_head(self, head: bytes) -> None:
        """The whole head came."""

    def on_data(self, chunk: bytes) -> None:
        """More of the body came."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much one response may take before it is cut off."""

    connect_seconds: float = 30
    seconds: float = 0
    """From the first byte sent to the last received; 0 for no limit."""
    max_stall_seconds: float = 60
    """How long a transfer may stay below the slowest rate."""
    min_rate: int = 64
    """Bytes per second."""
    size: int = 0
    """Bytes of a body; 0 for no limit."""
    rate: int = 0
    """Bytes per second at most; 0 for no limit."""


HeadFilter = Callable[[bytes], str]
"""Told of the head of a response, says why the rest of it is not wanted; nothing where it is."""

BeforeNextRequest = Callable[[], Awaitable[None]]
"""Returns when one more request may be sent."""


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One request to be made."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    """An empty value leaves a header out that would be sent otherwise."""
    body: Body = field(default_factory=BytesBody)
    via: str = ""
    """The URL of the document that led here."""
    visit: VisitKind = VisitKind.VISIT
    private: bool = False
    """Whether it may go to private, link-local or loopback addresses, and to files of this machine."""
    limits: FetchLimits = field(default_factory=FetchLimits)
    head_filter: HeadFilter | None = None
    before_next_request: BeforeNextRequest | None = None
    """Awaited before anything more is sent: for the rest of an answer, plainly a second time, or with credentials.

    A request with a body answers a server that asks for credentials at once.
    """


class FetchFailure(enum.StrEnum):
    """The ways a request can end without a whole response."""

    NAME = "name-not-resolved"
    FORBIDDEN_ADDRESS = "forbidden-address"
    CONNECT = "cannot-connect"
    CERTIFICATE = "certificate"
    TLS = "tls"
    TIMEOUT = "timeout"
    STALLED = "stalled"
    TOO_LARGE = "too-large"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol"
    PROXY = "proxy"
    AUTHENTICATION = "authentication"
    MISSING = "missing"
    """A file, by `ftp:` or `file:`, that is not there; a web server says that with a status."""
    DENIED = "denied"
    """A file that may not be read."""
    SCHEME = "scheme"
    UNWANTED = "unwanted"
    """The head showed that the rest was not wanted, as whoever asked had said."""
    WITHHELD = "withheld"
    """Whoever asked might not ask any more, when the request was about to go out."""
    OTHER = "other"

    @property
    def truncation(self) -> str:
        """What WARC-Truncated says of a body that ended like this."""
        return _WARC_TRUNCATED.get(self, "unspecified")

    @property
    def is_connected(self) -> bool:
        """Whether the server was reached at all."""
        return self not in _UNCONNECTED_FAILURES

    @property
    def is_interruption(self) -> bool:
        """Whether a server that was reached did not come to an end, which may pass."""
        return self in _INTERRUPTIONS


_UNCONNECTED_FAILURES = frozenset(
    {FetchFailure.NAME, FetchFailure.CONNECT, FetchFailure.FORBIDDEN_ADDRESS, FetchFailure.PROXY, FetchFailure.SCHEME}
)
_INTERRUPTIONS = frozenset(
    {FetchFailure.TIMEOUT, FetchFailure.STALLED, FetchFailure.DISCONNECTED, FetchFailure.WITHHELD}
)
_WARC_TRUNCATED = {
    FetchFailure.TOO_LARGE: "length",
    FetchFailure.TIMEOUT: "time",
    FetchFailure.STALLED: "time",
    FetchFailure.DISCONNECTED: "disconnect",
}


@dataclass(frozen=True, slots=True)
class FileResource:
    """What came by `ftp:` or `file:`: no HTTP message, so it is the bytes and what is known of them."""

    url: str
    moment: Moment
    media_type: str
    """Guessed by the name; a directory's list is plain text: the server's own, or for `file:` one name a line."""
    body: Body
    last_modified: str = ""
    """As HTTP writes dates."""
    address: str = ""
    """The server's IP address."""
    truncated: str = ""
    children: tuple[str, ...] = ()
    """The URLs of what a directory holds."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """How a request ended."""

    request: FetchRequest
    started: Moment
    ended: Moment
    exchange: Exchange | None = None
    """What came, where anything did; its body may be cut off. After a continuation that began anew, the new one."""
    failure: FetchFailure | None = None
    detail: str = ""
    """The failure in words, or what was odd about a response that is whole."""
    seconds: float = 0.0
    first_byte_seconds: float = 0.0
    is_reused_connection: bool = False
    """Whether it went over a connection that was open already."""
    tls: str = ""
    """TLS version and cipher, where there was any."""
    parts: tuple[Exchange, ...] = ()
    """Everything to be stored, in the order it came: an interrupted response is followed by what continued it."""
    spans: tuple[tuple[Moment, Moment], ...] = ()
    """For each request that was really sent, when it was and when its answer had ended."""
    is_lenient: bool = False
    """Whether libcurl would not take the answer, so that the exchange comes from a second, plain request."""
    challenge: str = ""
    """Which credentials the server asked for, and was given, before it answered."""
    resource: FileResource | None = None
    """What came in place of an exchange by `ftp:` or `file:`, or is a file of a site on this machine."""
    is_local: bool = False
    """Whether this machine was asked in place of the network."""

    @property
    def is_whole(self) -> bool:
        """Whether a whole response came, be it in parts."""
        return self.failure is None and (self.exchange is not None or self.resource is not None)

    @property
    def request_count(self) -> int:
        """How many requests the server saw."""
        return len(self.spans)
