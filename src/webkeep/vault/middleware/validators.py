"""ETags and dates of pages that carry blocks: they change whenever blocks move, so that archives fetch the page again,
and what clients send back is undone, so that an application still answers "not modified" where nothing moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.utils import formatdate

from webkeep.formats.http import parse_http_date
from webkeep.model import Moment

HeaderField = tuple[bytes, bytes]

_ETAG = re.compile(rb'\s*((?:W/)?"[^"]*)"\s*')
_UNTRUE = frozenset({b"content-md5", b"digest", b"content-digest", b"repr-digest", b"accept-ranges", b"content-length"})
"""What is no longer true of a body that became longer."""
VALIDATOR_FIELDS = frozenset({b"etag", b"last-modified"})
"""What is changed by the blocks of a page."""
_RANGES = frozenset({b"range", b"if-range"})
"""Ranges would be of the page without blocks; whoever asks for one gets all of it."""
CONDITIONAL_FIELDS = _RANGES | {b"if-modified-since", b"if-none-match"}
"""Fields of requests that an application is to see otherwise than they were sent; names in ASGI are in lower case."""


def request_fields(fields: list[HeaderField], mark: str, moved: Moment) -> list[HeaderField]:
    """The fields of a request as the application is to see them."""
    kept = []
    for name, value in fields:
        lowered = name.lower()
        if lowered in _RANGES or (lowered == b"if-modified-since" and _is_before(value, moved)):
            continue
        if lowered == b"if-none-match":
            value = strip_marks(value, mark)
            if not value:
                continue
        kept.append((name, value))
    return kept


def strip_marks(value: bytes, mark: str) -> bytes:
    """Entity tags that are of the page as it is now, as the application knows them."""
    if value.strip() == b"*":
        return value
    ending = f"-v{mark}".encode()
    tags = [match[1] for match in _ETAG.finditer(value)]
    return b", ".join(tag.removesuffix(ending) + b'"' for tag in tags if tag.endswith(ending))


def response_fields(fields: Iterable[HeaderField], mark: str, moved: Moment) -> list[HeaderField]:
    """The fields of a response as they are with blocks in its page."""
    changed = []
    for name, value in fields:
        lowered = name.lower()
        if lowered in _UNTRUE:
            continue
        if lowered == b"etag":
            value = _ETAG.sub(lambda match: match[1] + f'-v{mark}"'.encode(), value, count=1)
        elif lowered == b"last-modified" and _is_before(value, moved):
            value = http_date(moved)
        changed.append((name, value))
    return changed


def _is_before(value: bytes, moved: Moment) -> bool:
    said = parse_http_date(value.decode("latin-1"))
    return said is not None and said < moved


def http_date(moment: Moment) -> bytes:
    """A date as HTTP has it."""
    return formatdate(moment.micros // 1_000_000, usegmt=True).encode("ascii")
