"""Whether all of a resource came, by what the head of the answer says of its body."""

from __future__ import annotations

import re

from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange

_RANGE = re.compile(r"\s*bytes\s+0*0-(\d{1,18})/(\d{1,18})\s*", re.IGNORECASE)
_MOST_DIGITS = 18
_PARTIAL = 206
_WITHOUT_BODY = frozenset({204, 304})


NOTHING_LEFT = "an answer of which only the head is left"


def is_empty_rest(exchange: Exchange) -> bool:
    """Whether so much of it is cut off that nothing of its body is left."""
    return not exchange.body.size and is_cut_off(exchange)


def is_cut_off(exchange: Exchange) -> bool:
    """Whether it says itself that it is, announces more than came, or is only a stretch of the resource."""
    if exchange.truncated:
        return True
    head = parse_response(exchange.response)
    if head.status == _PARTIAL:
        stretch = _RANGE.fullmatch(head.headers.get("content-range"))
        if stretch is None or int(stretch[1]) + 1 < int(stretch[2]):
            return True
    if head.status in _WITHOUT_BODY or "transfer-encoding" in head.headers:
        return False
    told = head.headers.get("content-length").strip()
    return told.isascii() and told.isdigit() and len(told) <= _MOST_DIGITS and int(told) > exchange.body.size
