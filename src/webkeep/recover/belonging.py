"""Whether what came is the resource: archives lead elsewhere, servers led in circles, and errors are archived too."""

from __future__ import annotations

from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange
from webkeep.recover.book_rows import Resource
from webkeep.recover.identity import Identity, with_other_slash
from webkeep.recover.repository import Found
from webkeep.url import resolve, surt

ANOTHER_PAGE = "a version of another page"
CIRCLE = "a redirect to itself"


def objection(resource: Resource, found: Found, identity: Identity) -> str:
    """Why something that came is of another URL, leads to none or is an error; "" where it is the resource."""
    if not _is_of(resource, found.exchange.url, identity):
        return ANOTHER_PAGE
    status = found.held.status or parse_response(found.exchange.response).status
    if error := error_words(status):
        return error
    if 300 <= (status or 200) < 400 and _leads_to_itself(resource, found.exchange, identity):
        return CIRCLE
    return ""


def error_words(status: int | None) -> str:
    """What a server answered in place of the resource; "" where it is one that shows it or leads to it."""
    if status == 304:
        return "a note that it had not changed (304)"
    return "" if status is None or 200 <= status < 400 else f"an error ({status})"


def _is_of(resource: Resource, url: str, identity: Identity) -> bool:
    if url == resource.url:
        return True
    key = identity.key(url)
    # Indexes know neither case nor final slashes, and find one for the other.
    return key in (resource.key, with_other_slash(resource.key)) or surt(url) == surt(resource.url)


def _leads_to_itself(resource: Resource, exchange: Exchange, identity: Identity) -> bool:
    """Whether a redirect ends where it began, be it by way of another scheme or of `www.`."""
    location = parse_response(exchange.response).headers.get("location").strip()
    target = resolve(exchange.url, location) if location else None
    return target is not None and identity.key(target.partition("#")[0]) == resource.key
