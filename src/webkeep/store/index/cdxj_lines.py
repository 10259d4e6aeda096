"""Index entries as CDXJ lines in the order of their bytes, equal to those of cdxj-indexer; with keys of their own for
requests other than GET, where that is wanted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby

from webkeep.formats.cdx import CdxLine, append_query
from webkeep.store.index.url_index import IndexEntry
from webkeep.url import surt

_RECORD_END_BYTES = 4
"""The two line ends behind a plain record, which the established indexer does not count."""


def cdx_line(entry: IndexEntry, post: bool = False) -> CdxLine:
    """The line of an entry; with `post`, requests other than GET get keys of their own."""
    key, extra = entry.key, {}
    if post and entry.post:
        method, _, body = entry.post.removeprefix("__wb_method=").partition("&")
        key = surt(append_query(entry.url, entry.post))
        extra = {"requestBody": body, "method": method}
    compressed = entry.place.file.endswith((".gz", ".zst"))
    return CdxLine(
        key,
        entry.moment.digits(),
        url=entry.url.replace(" ", "%20"),
        mime=entry.media_type or None,
        status=None if entry.status is None else str(entry.status),
        digest=entry.digest or None,
        length=entry.place.length - (0 if compressed else _RECORD_END_BYTES),
        offset=entry.place.offset,
        filename=entry.place.file,
        extra=extra,
    )


def cdx_lines(entries: Iterable[IndexEntry], post: bool = False) -> Iterator[str]:
    """Lines in the order of their bytes, given entries in the order of key and time."""
    lines = (cdx_line(entry, post) for entry in entries)
    if post:  # keys are longer than those the entries are sorted by
        yield from _sort_on_disk(map(str, lines))
        return
    for _, same in groupby(lines, key=lambda line: (line.key, line.timestamp)):
        yield from sorted(map(str, same))


def _sort_on_disk(lines: Iterable[str]) -> Iterator[str]:
    database = sqlite3.connect("")  # an unnamed database lives in a temporary file and vanishes with it
    try:
        database.execute("CREATE TABLE line (text TEXT)")
        database.executemany("INSERT INTO line VALUES (?)", ((line,) for line in lines))
        for (text,) in database.execute("SELECT text FROM line ORDER BY text"):
            yield text
    finally:
        database.close()
