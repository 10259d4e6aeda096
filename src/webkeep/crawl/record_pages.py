"""Which of the exchanges that pass are pages, and what they are called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.document import page_title
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange, Moment

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_READ = 256 * 1024
_SAYS_WHERE = re.compile(rb"\nsec-fetch-dest[ \t]*:", re.IGNORECASE).search
_SHOWN = re.compile(rb"\nsec-fetch-dest[ \t]*:[ \t]*document[ \t]*\r?\n", re.IGNORECASE).search
_FORESEEN = re.compile(rb"\n(?:sec-)?purpose[ \t]*:[^\n]*\bprefetch\b", re.IGNORECASE).search
_ASKS_FOR_HTML = re.compile(rb"\naccept[ \t]*:[ \t]*text/html", re.IGNORECASE).search


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page that someone went to."""

    url: str
    moment: Moment
    title: str


def is_page(exchange: Exchange) -> bool:
    """Whether a browser asked for it to be shown by itself; one that does not say so asks for HTML first.

    Over plain HTTP browsers do not say so, and then frames look like pages too.
    """
    asked = exchange.request
    if not asked.startswith(b"GET ") or not (_SHOWN if _SAYS_WHERE(asked) else _ASKS_FOR_HTML)(asked):
        return False
    if _FORESEEN(asked):
        return False
    head = parse_response(exchange.response)
    return head.status == 200 and media_type(head.headers) in _HTML


def title_of(exchange: Exchange) -> str:
    """What a page calls itself; read where its record is prepared."""
    headers = parse_response(exchange.response).headers
    content = b"".join(decoded(headers, exchange.body.chunks(), _READ))
    return page_title(content, charset(headers))
