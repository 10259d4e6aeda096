"""What fields of a message mean: HTTP dates, the media type and charset of Content-Type, Content-Length, how long
Retry-After asks to wait, and whether an ETag is strong or weak.
"""

from __future__ import annotations

import re
from datetime import UTC

from webkeep.model import Headers, Moment

# Dates as HTTP writes them, in any of its three forms and in whatever else servers send.

_MAX_DATE_CHARS = 200
"""No date of HTTP is as long as that."""


def parse_http_date(text: str) -> Moment | None:
    """The moment that a date of HTTP names, without a zone in UTC; None where the text is no date or no such day."""
    if len(text) > _MAX_DATE_CHARS:
        return None
    from email.utils import parsedate_to_datetime  # few captures meet a date that they must read

    try:
        when = parsedate_to_datetime(text)
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        # A zone can push a date out of the years that a moment can be written in.
        return Moment.from_datetime(aware.astimezone(UTC))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


_END_OF_TYPE = re.compile(r"[;\s]")
_CHARSET = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s;,"']*))""", re.IGNORECASE)


def bare_media_type(content_type: str) -> str:
    """The media type without parameters, in the spelling it came in; what CDX indexes put as `mime`."""
    return _END_OF_TYPE.split(content_type, maxsplit=1)[0]


def declared_media_type(headers: Headers) -> str:
    """The bare media type in lower case; "" where none is given."""
    return bare_media_type(headers.get("content-type")).lower()


def declared_charset(headers: Headers) -> str:
    """The charset parameter in lower case; "" where none is given."""
    match = _CHARSET.search(headers.get("content-type"))
    return next((name for name in match.groups() if name), "").strip().lower() if match else ""


_MAX_LENGTH_DIGITS = 18
"""A length of more digits is none that a body could have."""


def parse_length(text: str) -> int | None:
    """A number of bytes as Content-Length writes it; None where it is none."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_LENGTH_DIGITS else None


def declared_length(headers: Headers) -> int | None:
    """How long the body is to be by its Content-Length; None where that does not say."""
    return parse_length(headers.get("content-length"))


_MAX_RETRY_AFTER_SECONDS = 10 * 365 * 86400.0
"""Who asks for more than ten years means never."""


def parse_retry_after(headers: Headers, received: Moment) -> float | None:
    """The seconds that Retry-After asks for: a number of them, or a date, which is taken against the server's clock."""
    said = headers.get("retry-after").strip()
    if not said:
        return None
    if said.isascii() and said.isdigit():
        return min(float(said[:12]), _MAX_RETRY_AFTER_SECONDS)
    date = parse_http_date(said)
    if date is None:
        return None
    seconds = date.seconds_since(parse_http_date(headers.get("date")) or received)
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER_SECONDS)


def is_strong_etag(etag: str) -> bool:
    """Whether an entity tag promises that every byte is the same (RFC 9110, section 8.8.1)."""
    tag = etag.strip()
    return len(tag) > 2 and tag[0] == tag[-1] == '"'


def is_weak_etag(etag: str) -> bool:
    """Whether an entity tag promises no more than the same meaning."""
    tag = etag.strip()
    return len(tag) > 4 and tag.startswith(('W/"', 'w/"')) and tag.endswith('"')
