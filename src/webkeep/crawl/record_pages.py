"""Which of the exchanges that pass are pages, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.document import page_title
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import parse_request, parse_response
from webkeep.model import Exchange, Moment

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_READ = 256 * 1024


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page that someone went to."""

    url: str
    moment: Moment
    title: str


def is_page(exchange: Exchange) -> bool:
    """Whether a browser asked for it to be shown by itself; one that does not say so asks for HTML first."""
    if not exchange.request.startswith(b"GET ") or b"html" not in exchange.response.lower():
        return False
    head = parse_response(exchange.response)
    if head.status != 200 or media_type(head.headers) not in _HTML:
        return False
    asked = parse_request(exchange.request).headers
    destination = asked.get("sec-fetch-dest")
    return destination == "document" if destination else asked.get("accept").startswith("text/html")


def title_of(exchange: Exchange) -> str:
    """What a page calls itself; read where its record is prepared."""
    headers = parse_response(exchange.response).headers
    content = b"".join(decoded(headers, exchange.body.chunks(), _READ))
    return page_title(content, charset(headers))
