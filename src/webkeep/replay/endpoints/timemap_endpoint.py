"""TimeMaps as answers: streamed, and paged where they are long; how many mementos a page has, which pages come before
and after it, and what is said where there are none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from webkeep.memento import (
    TIMEMAP_MEDIA_TYPES,
    MementoAddresses,
    MementoVersion,
    TimeMapAddress,
    TimeMapPage,
    TimeMapRange,
    render_timemap,
    timemap_fields,
)
from webkeep.model import Moment
from webkeep.replay.choice.absence import explain_absence
from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.server.message import Response, content_type_fields, encode_in_chunks, text_response
from webkeep.url import surt

MAX_PAGE_MEMENTOS = 100_000
"""How many mementos a page has at most; another page begins with another second."""

_MAX_INLINE_MEMENTOS = 500
"""Mementos that are read before it is decided whether there is more than one page."""


def timemap_response(
    context: ServerContext, addresses: MementoAddresses, asked: TimeMapAddress, page_size: int = MAX_PAGE_MEMENTOS
) -> Response:
    """The answer to a request for a TimeMap."""
    key = surt(asked.url)
    found = context.lookup.visible_mementos(key, asked.since)
    opening = list(islice(found, _MAX_INLINE_MEMENTOS))
    if not opening:
        return _empty_response(context, addresses, asked)
    page = _build_page(context, key, asked, opening, page_size)
    until = page.next.first.moment if page.next else None
    versions = _versions_until(chain(opening, found), until)
    body = encode_in_chunks(render_timemap(addresses, page, versions))
    fields = [*content_type_fields(TIMEMAP_MEDIA_TYPES[asked.format]), *timemap_fields(addresses, asked.url)]
    if len(opening) < _MAX_INLINE_MEMENTOS:
        return Response(200, fields, b"".join(body))
    return Response(200, fields, body)


def _empty_response(context: ServerContext, addresses: MementoAddresses, asked: TimeMapAddress) -> Response:
    absence = explain_absence(context.lookup, MementoQuery(asked.url, asked.since or context.clock.now()))
    why = absence.why or ("no mementos lie there" if asked.since else "there are no mementos of it")
    return text_response(absence.status, f"{asked.url}: {why}", timemap_fields(addresses, asked.url))


def _build_page(
    context: ServerContext, key: str, asked: TimeMapAddress, opening: list[Memento], size: int
) -> TimeMapPage:
    first = opening[0].version
    if context.lookup.access.rules:  # then nothing but a look at each tells what may be seen
        end = deque(context.lookup.visible_mementos(key, asked.since), maxlen=1).pop()
        return TimeMapPage(asked.url, asked.format, first, end.version, asked.since)
    whole = len(opening) < _MAX_INLINE_MEMENTOS
    following = None if whole and size >= _MAX_INLINE_MEMENTOS else _next_page_start(context, key, first, size)
    last = opening[-1].version if whole and following is None else _page_end(context, key, first, following)
    earlier = _previous_page(context, key, first.moment, size) if asked.since else None
    return TimeMapPage(
        asked.url, asked.format, first, last, asked.since, earlier, _page_range(context, key, following, size)
    )


def _page_range(context: ServerContext, key: str, first: MementoVersion | None, size: int) -> TimeMapRange | None:
    """The page that begins with a version."""
    if first is None:
        return None
    return TimeMapRange(first, _page_end(context, key, first, _next_page_start(context, key, first, size)))


def _next_page_start(context: ServerContext, key: str, first: MementoVersion, size: int) -> MementoVersion | None:
    """The first version of the page after one, which begins with a second of its own."""
    reached = [
        entry for view in context.collection.versions_by_archive(key) if (entry := view.nth_after(first.moment, size))
    ]
    if not reached:
        return None
    end = min(reached, key=lambda entry: entry.moment)
    found = context.collection.first_memento(key, Moment((end.moment.micros // 1_000_000 + 1) * 1_000_000))
    return None if found is None else MementoVersion(found.url, found.moment)


def _page_end(
    context: ServerContext, key: str, first: MementoVersion, following: MementoVersion | None
) -> MementoVersion:
    """The last version of a page, by the first of the next."""
    entry = (
        context.collection.last_memento(key)
        if following is None
        else context.collection.last_memento(key, following.moment)
    )
    return first if entry is None else MementoVersion(entry.url, entry.moment)


def _previous_page(context: ServerContext, key: str, moment: Moment, size: int) -> TimeMapRange | None:
    """The page before one that begins at a moment."""
    begins = [
        view.nth_before(moment, size) for view in context.collection.versions_by_archive(key) if view.before(moment)
    ]
    found = [entry.moment for entry in begins if entry is not None and entry.moment < moment]
    first = context.collection.first_memento(key, max(found)) if found else None
    end = context.collection.last_memento(key, moment)
    if first is None or end is None or first.moment >= moment:
        return None
    return TimeMapRange(MementoVersion(first.url, first.moment), MementoVersion(end.url, end.moment))


def _versions_until(found: Iterable[Memento], end: Moment | None) -> Iterator[MementoVersion]:
    for each in found:
        if end is not None and each.entry.moment >= end:
            return
        yield each.version
