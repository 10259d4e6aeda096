"""The CDX server: what the index holds of a URL, prefix, host or domain, as the established clients ask for it."""

from __future__ import annotations

import heapq
import json
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from webkeep.memento.cdx_answer import MEDIA_TYPES, row_text
from webkeep.memento.cdx_filter import wanted
from webkeep.memento.cdx_query import CdxQuery, Order, Output, ResumeKey
from webkeep.memento.cdx_row import Row
from webkeep.model import CHUNK, Moment
from webkeep.replay.access import LAST_KEY
from webkeep.replay.collection import Found
from webkeep.replay.context import Context
from webkeep.replay.message import Answer, read_parameters, told_type
from webkeep.store.archive import Archive, url_ranges
from webkeep.store.cdx import cdx_line
from webkeep.store.index import Span
from webkeep.store.versions import Versions, got
from webkeep.url import Match, surt

_MOST_SORTED = 100_000


def cdx(context: Context, query_text: str) -> Answer:
    """The answer to a query."""
    query = CdxQuery.read(read_parameters(query_text))
    if query.counts_pages:
        return _page_count(context, query)
    lines = _lines(context, query)
    # What fails does so before anything is sent.
    first = list(islice(lines, 1))
    if not first and query.output is Output.JSON and not query.page:
        first = ["[]\n"]  # as the Wayback Machine says it; that there are no more pages is said by saying nothing
    return Answer(200, told_type(MEDIA_TYPES[query.output]), _gathered(chain(first, lines)))


def _page_count(context: Context, query: CdxQuery) -> Answer:
    spans, access = _spans(query), context.looker.access
    if any(access.may_hide(span.low, span.high or LAST_KEY) for span in spans):  # then nothing but a look at each tells
        count = sum(1 for _ in _entries(context, query))
    else:
        count = sum(index.count(span) for index in context.collection.indexes() for span in spans)
    pages = -(-count // query.page_size)
    told = {"pages": pages, "pageSize": query.page_size, "blocks": pages}
    text = json.dumps(told) if query.output is Output.JSON else str(pages)
    kind = "application/json" if query.output is Output.JSON else "text/plain"
    return Answer(200, told_type(kind), f"{text}\n".encode())


def _lines(context: Context, query: CdxQuery) -> Iterator[str]:
    last: _FoundRow | None = None
    count = 0
    for row in _rows(context, query):
        yield row_text(row, query.output, query.fields)
        last, count = row, count + 1
    # Whether there is more is not known; that the limit was reached is.
    if query.shows_resume and last is not None and count == query.limit and query.order is Order.PLAIN:
        entry = last.found.entry
        yield f"\n{ResumeKey(entry.key, entry.moment.micros, entry.place.file, entry.place.offset)}\n"


class _FoundRow(Row):
    """A row that knows where it is from."""

    __slots__ = ("found",)

    def __init__(self, found: Found) -> None:
        super().__init__(cdx_line(found.meant))
        self.found = found


def _rows(context: Context, query: CdxQuery) -> Iterable[_FoundRow]:
    """The rows of an answer, in its order and within its limit."""
    if query.order is Order.CLOSEST and query.closest is not None:
        return _closest(context, query, query.closest)
    found = _filtered(_paged(_entries(context, query, newest_first=query.order is Order.REVERSE), query), query)
    if query.from_end:
        return deque(found, maxlen=query.limit)
    return islice(found, query.offset, query.offset + query.limit)


def _closest(context: Context, query: CdxQuery, moment: Moment) -> Iterable[_FoundRow]:
    """The nearest rows first: of one URL by going outwards from the moment, else by a look at all."""

    def distance(found: Found) -> int:
        return abs(found.entry.moment.micros - moment.micros)

    if query.match is Match.EXACT and not query.collapses:
        ways = [
            (Found(archive, entry) for entry in got(archive.catalog, entries))
            for archive in context.collection.archives
            for versions in [Versions(archive.index, surt(query.url))]
            for entries in (versions.backwards(moment), versions.all(moment))
        ]
        within = (each for each in heapq.merge(*ways, key=distance) if _is_wanted(context, query, each))
        return islice(_filtered(within, query), query.limit)
    rows = islice(_filtered(_entries(context, query), query), _MOST_SORTED)
    return heapq.nsmallest(query.limit, rows, key=lambda row: distance(row.found))


def _is_wanted(context: Context, query: CdxQuery, found: Found) -> bool:
    moment = found.entry.moment
    is_in_time = (query.since or moment) <= moment <= (query.until or moment)
    return is_in_time and context.looker.shows(found)


def _filtered(found: Iterator[Found], query: CdxQuery) -> Iterator[_FoundRow]:
    return wanted(map(_FoundRow, found), query.filters, query.collapses)


def _paged(found: Iterator[Found], query: CdxQuery) -> Iterator[Found]:
    if query.page is None:
        return found
    start = query.page * query.page_size
    end = start + query.page_size
    return islice(found, start, end) if end <= sys.maxsize else iter(())


def _entries(context: Context, query: CdxQuery, newest_first: bool = False) -> Iterator[Found]:
    spans = _spans(query)
    if query.resume is not None:
        spans = [Span(max(span.low, query.resume.key), span.high, span.since, span.until) for span in spans]
    for span in reversed(spans) if newest_first else spans:
        rows = [_of(archive, span, newest_first) for archive in context.collection.archives]
        found = heapq.merge(*rows, key=_order, reverse=newest_first) if len(rows) > 1 else rows[0]
        for each in _behind(query.resume, found) if query.resume else found:
            if each.entry.record_type != "metadata" and context.looker.shows(each):
                yield each


def _of(archive: Archive, span: Span, newest_first: bool) -> Iterator[Found]:
    return (Found(archive, entry) for entry in got(archive.catalog, archive.index.entries(span, newest_first)))


def _behind(resume: ResumeKey, found: Iterator[Found]) -> Iterator[Found]:
    """What comes after the row where an earlier answer ended."""
    for each in found:
        if _order(each) > (resume.key, resume.micros):
            yield each
            yield from found
            return
        place = each.entry.place
        if _order(each) == (resume.key, resume.micros) and (place.file, place.offset) == (resume.file, resume.offset):
            yield from found
            return


def _spans(query: CdxQuery) -> list[Span]:
    return [Span(low, high, query.since, query.until) for low, high in url_ranges(query.url, query.match)]


def _order(found: Found) -> tuple[str, int]:
    return found.entry.key, found.entry.moment.micros


def _gathered(lines: Iterator[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= CHUNK:
            yield "".join(held).encode("utf-8", "surrogateescape")
            held, size = [], 0
    yield "".join(held).encode("utf-8", "surrogateescape")
