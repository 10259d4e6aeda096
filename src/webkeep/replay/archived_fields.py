"""What of an archived head is sent on: what describes the body under its own name, all of it under another.

A name that is not known to be harmless goes out only with a prefix, where browsers take no notice of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from webkeep.model import Headers

PREFIX = "X-Archive-Orig-"
"""What is put before the names of archived fields, as by other archives."""

_MOST_FIELDS = 100
_MOST_BYTES = 24 * 1024
_LONGEST_VALUE = 8 * 1024
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}").fullmatch
_DESCRIBING = frozenset({"content-language", "content-disposition", "last-modified", "access-control-expose-headers"})
# Scripts read fields of their own making; these names are not theirs but a browser's or a server's.
_NOT_CUSTOM = re.compile(
    r"x-(?:frame-options|content-security-policy|webkit-csp|xss-protection|sendfile|accel-|archive-|"
    r"dns-prefetch-control|permitted-cross-domain-policies|sourcemap|robots-tag|forwarded|real-ip|webkeep)",
    re.IGNORECASE,
).match
_SECRET = "[redacted]"
"""What stands in a recording in place of a cookie."""
_COOKIE_END = re.compile(r";\s*(?:domain|expires|max-age|partitioned)\b[^;]*", re.IGNORECASE)
_EXPIRY = re.compile(r";\s*(expires|max-age)\s*=\s*([^;]*)", re.IGNORECASE)

Fields = list[tuple[str, str]]


def prefixed(headers: Headers) -> Fields:
    """Every archived field under a name that means nothing to a browser, as far as there is room."""
    named = [(_prefixed(name), value) for name, value in headers.fields]
    return list(_within_bounds((name, value) for name, value in named if name))


@lru_cache(2048)
def _prefixed(name: str) -> str:
    return f"{PREFIX}{name}" if _NAME(name) else ""


def describing(headers: Headers) -> Fields:
    """The fields that say what the body is, but for its type, and those that only the site's own scripts know."""
    return list(_within_bounds((name, value) for name, value in headers.fields if _describes(name)))


def cookies(headers: Headers) -> Fields:
    """The cookies of a replay host: its own and nobody else's, for as long as the browser is open."""
    kept = []
    for value in headers.all("set-cookie"):
        if value == _SECRET:
            continue
        # One that takes a cookie back must be let do so; any other would be long out of date.
        lives = not any(_is_over(name, text) for name, text in _EXPIRY.findall(value))
        kept.append(("Set-Cookie", _COOKIE_END.sub("", value) + ("" if lives else "; Max-Age=0")))
    return list(_within_bounds(kept))


def _is_over(name: str, text: str) -> bool:
    """Whether a cookie was meant to vanish at once, as far as that shows without knowing when it was set."""
    if name.lower() == "max-age":
        return text.strip().startswith(("-", "0"))
    return "1970" in text or "01-jan-70" in text.lower()


@lru_cache(2048)
def _describes(name: str) -> bool:
    lowered = name.lower()
    custom = lowered.startswith("x-") and _NAME(name) is not None and not _NOT_CUSTOM(name)
    return lowered in _DESCRIBING or custom


def _within_bounds(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    left = _MOST_BYTES
    for number, (name, value) in enumerate(fields):
        left -= len(name) + len(value)
        if number >= _MOST_FIELDS or left < 0:
            return
        if len(value) <= _LONGEST_VALUE:
            yield name, value
