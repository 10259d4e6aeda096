"""What a message's Content-Type says: the bare media type, and the charset beside it."""

from __future__ import annotations

import re

from webkeep.model import Headers

_END_OF_TYPE = re.compile(r"[;\s]")
_CHARSET = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s;,"']*))""", re.IGNORECASE)


def bare_type(content_type: str) -> str:
    """The media type without parameters, in the spelling it came in; what CDX indexes put as `mime`."""
    return _END_OF_TYPE.split(content_type, maxsplit=1)[0]


def media_type(headers: Headers) -> str:
    """The bare media type in lower case; "" where none is given."""
    return bare_type(headers.get("content-type")).lower()


def charset(headers: Headers) -> str:
    """The charset parameter in lower case; "" where none is given."""
    match = _CHARSET.search(headers.get("content-type"))
    return next((name for name in match.groups() if name), "").strip().lower() if match else ""
