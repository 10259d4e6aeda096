"""Versions of which recovery must not make a page: answers that show something else, told by
`document/placeholder_page.py` for what a server answered as a page.
"""

from __future__ import annotations

from itertools import islice

from webkeep.document import MAX_SCANNED_BYTES, PlaceholderSuspicion, detect_placeholder_page
from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_media_type, parse_response
from webkeep.formats.status import is_successful
from webkeep.model import Exchange

_HTML = frozenset({"text/html", "application/xhtml+xml", ""})
_MAX_PIECES = 64
"""Pieces of a body that are joined; the scan ends long before."""


def detect_placeholder(exchange: Exchange, is_root: bool = False) -> PlaceholderSuspicion | None:
    """What an answer shows in place of the page, if that is plain; the root page is never taken for a missing one."""
    head = parse_response(exchange.response)
    if not is_successful(head.status) or declared_media_type(head.headers) not in _HTML:
        return None
    start = b"".join(islice(decode_body(head.headers, exchange.body.chunks(), MAX_SCANNED_BYTES), _MAX_PIECES))
    return detect_placeholder_page(exchange.url, start, is_root)
