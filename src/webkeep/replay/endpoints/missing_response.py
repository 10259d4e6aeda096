"""Answers for what cannot be shown: a page or plain text, as the client wants it, and how many of the nearest versions
and other pages of the site are offered.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from webkeep.formats.status import NOT_FOUND
from webkeep.memento import MementoAddresses, MementoVersion, missing_memento_fields
from webkeep.presentation import format_count, format_moment
from webkeep.replay.choice.absence import Absence, explain_absence
from webkeep.replay.choice.collection import MementoQuery
from webkeep.replay.endpoints.server_context import MissingMemento, ServerContext
from webkeep.replay.server.message import Request, Response, text_response
from webkeep.store.index import IndexRange
from webkeep.url import UrlMatch, key_range, surt

_MAX_LISTED_LINKS = 12
"""Other versions, and other pages of the site, that the page offers."""


def build_missing_response(
    context: ServerContext,
    request: Request,
    addresses: MementoAddresses,
    query: MementoQuery,
    is_timegate: bool = False,
    why: str = "",
) -> Response:
    """The answer that there is no memento to show; with links all the same, and as a page to those who can read it."""
    absence = Absence(404, "Not shown", why) if why else explain_absence(context.lookup, query)
    fields = missing_memento_fields(addresses, query.url, is_timegate)
    if not _wants_page(request):
        return text_response(absence.status, f"{query.url}: {absence.why or 'It is not held here.'}", fields)
    near, siblings = (
        (_nearest_versions(context, query), _sibling_pages(context, query.url))
        if absence.status == NOT_FOUND
        else ((), ())
    )
    response = context.pages.missing_response(MissingMemento(query.url, query.moment, absence, near, siblings))
    return replace(response, fields=[*fields, *response.fields])


def _wants_page(request: Request) -> bool:
    destination = request.headers.get("sec-fetch-dest", "")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in request.headers.get("accept", "")


def _nearest_versions(context: ServerContext, query: MementoQuery) -> tuple[MementoVersion, ...]:
    versions = [found.version for found in islice(context.lookup.visible_mementos(surt(query.url)), 2000)]
    return tuple(sorted(versions, key=lambda each: abs(each.moment.micros - query.moment.micros))[:_MAX_LISTED_LINKS])


def _sibling_pages(context: ServerContext, url: str) -> tuple[str, ...]:
    low, high = key_range(url, UrlMatch.HOST)
    found: list[str] = []
    for archive in context.collection.archives:
        for entry in islice(archive.index.entries(IndexRange(low, high)), 500):
            shown = context.lookup.access.allows(entry.key, entry.moment, context.clock.now())
            is_new = shown and entry.url not in found
            if is_new and archive.revisits.resolve_entry(entry).media_type == "text/html":
                found.append(entry.url)
            if len(found) >= _MAX_LISTED_LINKS:
                return tuple(found)
    return tuple(found)


def too_far_reason(query: MementoQuery, days: int) -> str:
    """Why a part of a page is left out that lies outside of what the reader asked for."""
    near = f"within {format_count(days, 'day')} of {format_moment(query.moment)} UTC"
    return f"No version of it lies {near}, and no other was asked for."
