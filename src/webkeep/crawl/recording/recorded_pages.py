"""Which of the exchanges that pass are pages someone went to (by Sec-Fetch-Dest, Accept and HTML), and what they are
called: how far into a page its title is looked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.document import read_page_title
from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_charset, declared_media_type, parse_response
from webkeep.formats.status import OK
from webkeep.model import Exchange, Moment

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MAX_READ_BYTES = 256 * 1024
"""A title stands in the beginning of its page."""
_has_fetch_dest = re.compile(rb"\nsec-fetch-dest[ \t]*:", re.IGNORECASE).search
_is_document = re.compile(rb"\nsec-fetch-dest[ \t]*:[ \t]*document[ \t]*\r?\n", re.IGNORECASE).search
_is_prefetch = re.compile(rb"\n(?:sec-)?purpose[ \t]*:[^\n]*\bprefetch\b", re.IGNORECASE).search
_accepts_html = re.compile(rb"\naccept[ \t]*:[ \t]*text/html", re.IGNORECASE).search


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page that someone went to."""

    url: str
    moment: Moment
    title: str


def is_page_view(exchange: Exchange) -> bool:
    """Whether a browser asked for it to be shown by itself; one that does not say so asks for HTML first.

    Over plain HTTP browsers do not say so, and then frames look like pages too.
    """
    asked = exchange.request
    if not asked.startswith(b"GET ") or not (_is_document if _has_fetch_dest(asked) else _accepts_html)(asked):
        return False
    if _is_prefetch(asked):
        return False
    head = parse_response(exchange.response)
    return head.status == OK and declared_media_type(head.headers) in _HTML_TYPES


def page_title_of(exchange: Exchange) -> str:
    """What a page calls itself; read where its record is prepared."""
    headers = parse_response(exchange.response).headers
    content = b"".join(decode_body(headers, exchange.body.chunks(), _MAX_READ_BYTES))
    return read_page_title(content, declared_charset(headers))
