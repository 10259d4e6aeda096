"""What of an archived head is sent on: which fields under their own names and which with a prefix (X-Archive-Orig-),
how cookies are rewritten, and how many and how long fields may be.

A name that is not known to be harmless goes out only with a prefix, where neither browsers nor servers on the way take
notice of it; the shim gives scripts such fields under their own names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from webkeep.model import Headers
from webkeep.redaction import REDACTED

ORIGINAL_PREFIX = "X-Archive-Orig-"
"""What is put before the names of archived fields, as by other archives."""

_MAX_FIELDS = 100
"""Of an archived head that are passed on; browsers refuse heads that are too long."""
_MAX_FIELD_BYTES = 24 * 1024
"""Names and values of all archived fields of a response together."""
_MAX_VALUE_CHARS = 8 * 1024
"""Longer values are left out, as browsers would refuse the head."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}").fullmatch
_ENTITY_NAMES = frozenset({"content-language", "content-disposition", "last-modified"})
_EXPOSING = "access-control-expose-headers"
_COOKIE = re.compile(r"[\x20-\x3a\x3c-\x7e\x80-\xff]*").fullmatch
_KEPT_ATTRIBUTES = {"path": "Path", "secure": "Secure", "httponly": "HttpOnly", "samesite": "SameSite"}

Fields = list[tuple[str, str]]


def prefix_headers(headers: Headers) -> Fields:
    """Every archived field under a name that means nothing to a browser, as far as there is room."""
    named = [(_prefix_name(name), value) for name, value in headers.fields]
    return list(limit_headers((name, value) for name, value in named if name))


@lru_cache(2048)
def _prefix_name(name: str) -> str:
    return f"{ORIGINAL_PREFIX}{name}" if _NAME(name) else ""


def entity_headers(headers: Headers) -> Fields:
    """The fields that say what the body is, but for its type, and which of them scripts of other origins may read."""
    kept = [(name, value) for name, value in headers.fields if name.lower() in _ENTITY_NAMES]
    exposed = [name for value in headers.all(_EXPOSING) for each in value.split(",") if (name := each.strip())]
    if exposed:
        both = [*exposed, *filter(None, map(_prefix_name, exposed))]
        kept.append(("Access-Control-Expose-Headers", ", ".join(dict.fromkeys(both))))
    return list(limit_headers(kept))


def replay_cookies(headers: Headers) -> Fields:
    """The cookies of a replay host: its own and nobody else's, for as long as the browser is open."""
    written = (_rewrite_cookie(value) for value in headers.all("set-cookie") if value != REDACTED)
    return list(limit_headers(("Set-Cookie", value) for value in written if value))


def _rewrite_cookie(value: str) -> str:
    """A cookie written anew out of what is known of it; nothing where it is none that can be written plainly."""
    pair, *rest = (part.strip(" \t") for part in value.split(";"))
    if not _COOKIE(pair):
        return ""
    told = [(name.strip(" \t").lower(), text.strip(" \t")) for name, _, text in (part.partition("=") for part in rest)]
    kept = [_cookie_attribute(name, text) for name, text in told if name in _KEPT_ATTRIBUTES and _COOKIE(text)]
    # One that takes a cookie back must be let do so; any other would be long out of date.
    is_over = any(_is_expired(name, text) for name, text in told if name in ("expires", "max-age"))
    return "; ".join([pair, *kept, *(["Max-Age=0"] if is_over else [])])


def _cookie_attribute(name: str, text: str) -> str:
    known = _KEPT_ATTRIBUTES[name]
    return f"{known}={text}" if name in ("path", "samesite") else known


def _is_expired(name: str, text: str) -> bool:
    """Whether a cookie was meant to vanish at once, as far as that shows without knowing when it was set."""
    if name == "max-age":
        return text.strip().startswith(("-", "0"))
    return "1970" in text or "01-jan-70" in text.lower()


def limit_headers(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """As many of the fields as there is room for, and none that is too long."""
    left = _MAX_FIELD_BYTES
    for number, (name, value) in enumerate(fields):
        left -= len(name) + len(value)
        if number >= _MAX_FIELDS or left < 0:
            return
        if len(value) <= _MAX_VALUE_CHARS:
            yield name, value
