"""Exchanges: one HTTP request and what came back, as the bytes that crossed the wire, with the server's address, the
protocols spoken, why a body is incomplete, and what led there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.model.body import Body, BytesBody
from webkeep.model.moment import Moment
from webkeep.model.observation import VisitKind


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response, heads and bodies untouched."""

    url: str
    moment: Moment
    response: bytes
    """The response's status line and header fields, up to and with the empty line."""
    body: Body = field(default_factory=BytesBody)
    """The response's body as it came: transfer and content coding untouched."""
    request: bytes = b""
    """The request's line and header fields, or nothing where they are unknown."""
    request_body: Body = field(default_factory=BytesBody)
    address: str = ""
    """The server's IP address."""
    protocols: tuple[str, ...] = ()
    """Protocols spoken, as WARC-Protocol names them (`h2`, `tls/1.3`)."""
    truncated: str = ""
    """Why the body is incomplete, as WARC-Truncated names it (`length`, `time`, `disconnect`)."""
    via: str = ""
    """The URL of the document that led here."""
    visit: VisitKind = VisitKind.VISIT
