"""The versions of one URL (its mementos) that can be shown, in order of time, looked up one at a time however many
there are; which records are no version to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, repeat

from webkeep.model import Moment, RecordPlace
from webkeep.store.index.cache_database import SqlRow, as_integer
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.url_index import IndexEntry, UrlIndex

_COLUMNS = "key, moment, offset, length, url, type, status, media, digest, post, file"
# An answer that nothing changed, without a word on what that is, shows nothing.
_SELECT_OF_KEY = (
    f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND post = ? AND type <> 'metadata' "
    "AND (status IS NOT 304 OR type = 'revisit')"
)
_FIRST_BY_TIME = "ORDER BY moment, file, offset LIMIT 1"
_LOOKUP_BATCH_SIZES = (8, 64, 500)
"""How many records are asked about together: few at first, as often no more are wanted."""
_LAST_BY_TIME = "ORDER BY moment DESC, file DESC, offset DESC LIMIT 1"


class UrlVersions:
    """All versions filed under one key; with `post`, those asked for with that request."""

    __slots__ = ("_index", "_key", "_post")

    def __init__(self, index: UrlIndex, key: str, post: str = "") -> None:
        self._index = index
        self._key = key
        self._post = post

    def first(self) -> IndexEntry | None:
        """The earliest."""
        return self._find_one(_FIRST_BY_TIME)

    def last(self) -> IndexEntry | None:
        """The latest."""
        return self._find_one(_LAST_BY_TIME)

    def before(self, moment: Moment, url: str = "") -> IndexEntry | None:
        """The last one before a moment, of exactly one URL where that is given."""
        return self._find_bounded("moment < ?", moment, url, _LAST_BY_TIME)

    def since(self, moment: Moment, url: str = "") -> IndexEntry | None:
        """The first one at a moment or after it."""
        return self._find_bounded("moment >= ?", moment, url, _FIRST_BY_TIME)

    def nth_after(self, moment: Moment, count: int) -> IndexEntry | None:
        """The one that so many others lie before, counted from a moment on."""
        return self._find_one(
            f"AND moment >= ? ORDER BY moment, file, offset LIMIT 1 OFFSET {count:d}", (moment.micros,)
        )

    def nth_before(self, moment: Moment, count: int) -> IndexEntry | None:
        """The one from which on there are so many before a moment, or the first where there are fewer."""
        sql = "AND moment < ? ORDER BY moment DESC, file DESC, offset DESC LIMIT 1"
        return self._find_one(f"{sql} OFFSET {count - 1:d}", (moment.micros,)) or self.first()

    def all(self, since: Moment | None = None) -> Iterator[IndexEntry]:
        """Every one from a moment on, as they are needed."""
        bound = "AND moment >= ? ORDER BY moment, file, offset"
        least = -(1 << 62) if since is None else since.micros
        rows = self._index.database.query(f"{_SELECT_OF_KEY} {bound}", (self._key, self._post, least))
        return map(self._entry, rows)

    def all_before(self, moment: Moment) -> Iterator[IndexEntry]:
        """Every one before a moment, the latest first, as they are needed."""
        sql = f"{_SELECT_OF_KEY} AND moment < ? ORDER BY moment DESC, file DESC, offset DESC"
        return map(self._entry, self._index.database.query(sql, (self._key, self._post, moment.micros)))

    def all_if_few(self, most: int) -> list[IndexEntry] | None:
        """All of them in order of time, where there are no more than so many; None where there are."""
        values = (self._key, self._post)
        rows = list(
            self._index.database.query(f"{_SELECT_OF_KEY} ORDER BY moment, file, offset LIMIT {most + 1:d}", values)
        )
        return None if len(rows) > most else [self._entry(row) for row in rows]

    def _find_bounded(self, bound: str, moment: Moment, url: str, order: str) -> IndexEntry | None:
        if url:
            return self._find_one(f"AND {bound} AND url = ? {order}", (moment.micros, url))
        return self._find_one(f"AND {bound} {order}", (moment.micros,))

    def _find_one(self, rest: str, values: Sequence[object] = ()) -> IndexEntry | None:
        row = self._index.database.query_one(f"{_SELECT_OF_KEY} {rest}", (self._key, self._post, *values))
        return None if row is None else self._entry(row)

    def _entry(self, row: SqlRow) -> IndexEntry:
        return self._index.entry_from_row(row)


def read_request_method(catalog: Catalog, place: RecordPlace) -> str:
    """The method of the request that a record answers; GET where that is not known."""
    row = catalog.database.query_one(
        "SELECT method FROM observation WHERE file = (SELECT number FROM file WHERE name = ?) AND offset = ?",
        (place.file, place.offset),
    )
    return str(row[0]) if row else "GET"


def filter_shown(catalog: Catalog, entries: Iterable[IndexEntry]) -> Iterator[IndexEntry]:
    """Those entries that are versions to show, as they are needed: answers to GET, or filed by what was sent."""
    waiting = iter(entries)
    for size in chain(_LOOKUP_BATCH_SIZES, repeat(_LOOKUP_BATCH_SIZES[-1])):
        batch = list(islice(waiting, size))
        if not batch:
            return
        others = _places_of_other_methods(catalog, [entry.place for entry in batch if not entry.post])
        yield from [entry for entry in batch if entry.place not in others] if others else batch


def _places_of_other_methods(catalog: Catalog, places: Sequence[RecordPlace]) -> set[RecordPlace]:
    found: set[tuple[str, int]] = set()
    for file, within in groupby(places, key=lambda place: place.file):
        offsets = [place.offset for place in within]
        marks = ",".join("?" * len(offsets))
        sql = (
            "SELECT offset FROM observation WHERE file = (SELECT number FROM file WHERE name = ?) "
            f"AND method <> 'GET' AND offset IN ({marks})"
        )
        found |= {(file, as_integer(row[0])) for row in catalog.database.query(sql, (file, *offsets))}
    return {place for place in places if (place.file, place.offset) in found} if found else set()
