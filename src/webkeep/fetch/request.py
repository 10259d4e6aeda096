"""What is asked of the web, under which limits, and how it ended."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from webkeep.model import Body, BytesBody, Exchange, Moment, Visit


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one response may take before it is cut off."""

    connect_seconds: float = 30
    seconds: float = 1800
    """From the first byte sent to the last received."""
    stalled_seconds: float = 60
    """How long a transfer may stay below the slowest rate."""
    slowest_rate: int = 64
    """Bytes per second."""
    size: int = 0
    """Bytes of a body; 0 for no limit."""
    rate: int = 0
    """Bytes per second at most; 0 for no limit."""


Turn = Callable[[bytes], str]
"""Told of the head of a response, says why the rest of it is not wanted; nothing where it is."""

BeforeMore = Callable[[], Awaitable[None]]
"""Returns when one more request may be sent."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to be made."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    """An empty value leaves a header out that would be sent otherwise."""
    body: Body = field(default_factory=BytesBody)
    via: str = ""
    """The URL of the document that led here."""
    visit: Visit = Visit.VISIT
    private: bool = False
    """Whether it may go to private, link-local or loopback addresses, and to files of this machine."""
    limits: Limits = field(default_factory=Limits)
    turns_away: Turn | None = None
    before_more: BeforeMore | None = None
    """Awaited before anything more is sent: for the rest of an answer, plainly a second time, or with credentials.

    A request with a body answers a server that asks for credentials at once.
    """


class Failure(enum.StrEnum):
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
    OTHER = "other"

    @property
    def truncation(self) -> str:
        """What WARC-Truncated says of a body that ended like this."""
        return _TRUNCATIONS.get(self, "unspecified")


_TRUNCATIONS = {
    Failure.TOO_LARGE: "length",
    Failure.TIMEOUT: "time",
    Failure.STALLED: "time",
    Failure.DISCONNECTED: "disconnect",
}


@dataclass(frozen=True, slots=True)
class Resource:
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
class Fetched:
    """How a request ended."""

    request: Request
    started: Moment
    ended: Moment
    exchange: Exchange | None = None
    """What came, where anything did; its body may be cut off. After a continuation that began anew, the new one."""
    failure: Failure | None = None
    detail: str = ""
    """The failure in words, or what was odd about a response that is whole."""
    seconds: float = 0.0
    first_byte_seconds: float = 0.0
    reused: bool = False
    """Whether it went over a connection that was open already."""
    tls: str = ""
    """TLS version and cipher, where there was any."""
    parts: tuple[Exchange, ...] = ()
    """Everything to be stored, in the order it came: an interrupted response is followed by what continued it."""
    spans: tuple[tuple[Moment, Moment], ...] = ()
    """For each request that was really sent, when it was and when its answer had ended."""
    plain: bool = False
    """Whether libcurl would not take the answer, so that the exchange comes from a second, plain request."""
    challenge: str = ""
    """Which credentials the server asked for, and was given, before it answered."""
    resource: Resource | None = None
    """What came in place of an exchange by `ftp:` or `file:`."""

    @property
    def is_whole(self) -> bool:
        """Whether a whole response came, be it in parts."""
        return self.failure is None and (self.exchange is not None or self.resource is not None)

    @property
    def requests(self) -> int:
        """How many requests the server saw."""
        return len(self.spans)
