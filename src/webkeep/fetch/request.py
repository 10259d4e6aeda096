"""What is asked of the web, and under which limits."""

from __future__ import annotations

import enum
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


@dataclass(frozen=True, slots=True)
class Request:
    """One request to be made."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: Body = field(default_factory=BytesBody)
    via: str = ""
    """The URL of the document that led here."""
    visit: Visit = Visit.VISIT
    private: bool = False
    """Whether it may go to private, link-local or loopback addresses."""
    limits: Limits = field(default_factory=Limits)


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
    SCHEME = "scheme"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Fetched:
    """How a request ended."""

    request: Request
    started: Moment
    ended: Moment
    exchange: Exchange | None = None
    """What came, where anything did; its body may be cut off."""
    failure: Failure | None = None
    detail: str = ""
    """The failure in words."""
    seconds: float = 0.0
    first_byte_seconds: float = 0.0
    reused: bool = False
    """Whether it went over a connection that was open already."""
    tls: str = ""
    """TLS version and cipher, where there was any."""

    @property
    def is_whole(self) -> bool:
        """Whether a whole response came."""
        return self.failure is None and self.exchange is not None
