"""The CDX server: what the index holds of a URL, prefix, host or domain; in which order rows come (closest, reverse),
how pages and resume keys cut them, and how many are read to be sorted.
"""

from __future__ import annotations

import heapq
import json
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from webkeep.memento.cdx import (
    CDX_MEDIA_TYPES,
    CdxOutput,
    CdxQuery,
    CdxResumeKey,
    CdxRow,
    SortOrder,
    filter_rows,
    render_row,
)
from webkeep.model import Moment, RecordType
from webkeep.replay.choice.access_rules import MAX_KEY
from webkeep.replay.choice.collection import Memento
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.server.message import Response, content_type_fields, encode_in_chunks, parse_query
from webkeep.store.archive import Archive, url_ranges
from webkeep.store.index import IndexRange, UrlVersions, cdx_line, filter_shown
from webkeep.url import UrlMatch, surt

_MAX_SORTED_ROWS = 100_000
"""Rows that are read to sort by nearness; a larger answer is sorted as far as that."""


def cdx_response(context: ServerContext, query_text: str) -> Response:
    """The answer to a query."""
    query = CdxQuery.parse(parse_query(query_text))
    if query.wants_page_count:
        return _count_pages(context, query)
    lines = _render_lines(context, query)
    # What fails does so before anything is sent.
    first = list(islice(lines, 1))
    if not first and query.output is CdxOutput.JSON and not query.page:
        first = ["[]\n"]  # as the Wayback Machine says it; that there are no more pages is said by saying nothing
    return Response(200, content_type_fields(CDX_MEDIA_TYPES[query.output]), encode_in_chunks(chain(first, lines)))


def _count_pages(context: ServerContext, query: CdxQuery) -> Response:
    spans, access = _index_ranges(query), context.lookup.access
    if any(access.may_hide(span.low, span.high or MAX_KEY) for span in spans):  # then nothing but a look at each tells
        count = sum(1 for _ in _merge_entries(context, query))
    else:
        count = sum(index.count(span) for index in context.collection.indexes() for span in spans)
    pages = -(-count // query.page_size)
    told = {"pages": pages, "pageSize": query.page_size, "blocks": pages}
    text = json.dumps(told) if query.output is CdxOutput.JSON else str(pages)
    kind = "application/json" if query.output is CdxOutput.JSON else "text/plain"
    return Response(200, content_type_fields(kind), f"{text}\n".encode())


def _render_lines(context: ServerContext, query: CdxQuery) -> Iterator[str]:
    last: _MementoRow | None = None
    count = 0
    for row in _query_rows(context, query):
        yield render_row(row, query.output, query.fields)
        last, count = row, count + 1
    # Whether there is more is not known; that the limit was reached is.
    if query.wants_resume_key and last is not None and count == query.limit and query.order is SortOrder.PLAIN:
        entry = last.memento.entry
        yield f"\n{CdxResumeKey(entry.key, entry.moment.micros, entry.place.file, entry.place.offset)}\n"


class _MementoRow(CdxRow):
    """A row that knows where it is from."""

    __slots__ = ("memento",)

    def __init__(self, found: Memento) -> None:
        super().__init__(cdx_line(found.resolved_entry))
        self.memento = found


def _query_rows(context: ServerContext, query: CdxQuery) -> Iterable[_MementoRow]:
    """The rows of an answer, in its order and within its limit."""
    if query.order is SortOrder.CLOSEST and query.closest is not None:
        return _closest_rows(context, query, query.closest)
    found = _filter_rows(
        _slice_page(_merge_entries(context, query, newest_first=query.order is SortOrder.REVERSE), query), query
    )
    if query.from_end:
        return deque(found, maxlen=query.limit)
    return islice(found, query.offset, query.offset + query.limit)


def _closest_rows(context: ServerContext, query: CdxQuery, moment: Moment) -> Iterable[_MementoRow]:
    """The nearest rows first: of one URL by going outwards from the moment, else by a look at all."""

    def distance(found: Memento) -> int:
        return abs(found.entry.moment.micros - moment.micros)

    if query.match is UrlMatch.EXACT and not query.collapses:
        ways = [
            (Memento(archive, entry) for entry in filter_shown(archive.catalog, entries))
            for archive in context.collection.archives
            for versions in [UrlVersions(archive.index, surt(query.url))]
            for entries in (versions.all_before(moment), versions.all(moment))
        ]
        within = (each for each in heapq.merge(*ways, key=distance) if _is_wanted(context, query, each))
        return islice(_filter_rows(within, query), query.limit)
    rows = islice(_filter_rows(_merge_entries(context, query), query), _MAX_SORTED_ROWS)
    return heapq.nsmallest(query.limit, rows, key=lambda row: distance(row.memento))


def _is_wanted(context: ServerContext, query: CdxQuery, found: Memento) -> bool:
    moment = found.entry.moment
    is_in_time = (query.since or moment) <= moment <= (query.until or moment)
    return is_in_time and context.lookup.is_visible(found)


def _filter_rows(found: Iterator[Memento], query: CdxQuery) -> Iterator[_MementoRow]:
    return filter_rows(map(_MementoRow, found), query.filters, query.collapses)


def _slice_page(found: Iterator[Memento], query: CdxQuery) -> Iterator[Memento]:
    if query.page is None:
        return found
    start = query.page * query.page_size
    end = start + query.page_size
    return islice(found, start, end) if end <= sys.maxsize else iter(())


def _merge_entries(context: ServerContext, query: CdxQuery, newest_first: bool = False) -> Iterator[Memento]:
    spans = _index_ranges(query)
    if query.resume is not None:
        spans = [IndexRange(max(span.low, query.resume.key), span.high, span.since, span.until) for span in spans]
    for span in reversed(spans) if newest_first else spans:
        rows = [_archive_entries(archive, span, newest_first) for archive in context.collection.archives]
        found = heapq.merge(*rows, key=_sort_key, reverse=newest_first) if len(rows) > 1 else rows[0]
        for each in _after_resume_key(query.resume, found) if query.resume else found:
            if each.entry.record_type != RecordType.METADATA and context.lookup.is_visible(each):
                yield each


def _archive_entries(archive: Archive, span: IndexRange, newest_first: bool) -> Iterator[Memento]:
    return (
        Memento(archive, entry) for entry in filter_shown(archive.catalog, archive.index.entries(span, newest_first))
    )


def _after_resume_key(resume: CdxResumeKey, found: Iterator[Memento]) -> Iterator[Memento]:
    """What comes after the row where an earlier answer ended."""
    for each in found:
        if _sort_key(each) > (resume.key, resume.micros):
            yield each
            yield from found
            return
        place = each.entry.place
        if _sort_key(each) == (resume.key, resume.micros) and (place.file, place.offset) == (
            resume.file,
            resume.offset,
        ):
            yield from found
            return


def _index_ranges(query: CdxQuery) -> list[IndexRange]:
    return [IndexRange(low, high, query.since, query.until) for low, high in url_ranges(query.url, query.match)]


def _sort_key(found: Memento) -> tuple[str, int]:
    return found.entry.key, found.entry.moment.micros
