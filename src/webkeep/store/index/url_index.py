"""The index of an archive, as CDX has it: look-up by SURT key and time in a SQLite table that is sorted by both; the
entry nearest in time, ranges and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from webkeep.model import Moment, RecordPlace
from webkeep.store.index.cache_database import CacheDatabase, SqlRow, as_integer
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.index.record_facts import RecordFacts
from webkeep.url import surt

# Index entries: what a CDX line says of one record.


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One line of the index."""

    key: str
    """The SURT of the URL."""
    moment: Moment
    place: RecordPlace
    url: str
    record_type: str
    status: int | None
    media_type: str
    """As CDX indexes name it: `warc/revisit` for revisits."""
    digest: str
    """The payload digest as it stands in the record."""
    post: str = ""
    """What a request other than GET adds to the key; "" for GET."""


_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    key TEXT NOT NULL,
    moment INTEGER NOT NULL,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    url TEXT NOT NULL,
    type TEXT NOT NULL,
    status INTEGER,
    media TEXT NOT NULL,
    digest TEXT NOT NULL,
    post TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (key, moment, file, offset)
) STRICT, WITHOUT ROWID;
"""
_COLUMNS = "key, moment, offset, length, url, type, status, media, digest, post, file"
_IS_SHOWN = "post = '' AND type <> 'metadata'"
_SELECT_AFTER = f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment >= ? AND {_IS_SHOWN} ORDER BY moment LIMIT 1"
_SELECT_BEFORE = (
    f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment < ? AND {_IS_SHOWN} ORDER BY moment DESC LIMIT 1"
)
_SELECT_AFTER_EXACT = _SELECT_AFTER.replace("AND post", "AND url = ? AND post", 1)
_SELECT_BEFORE_EXACT = _SELECT_BEFORE.replace("AND post", "AND url = ? AND post", 1)
# Revisits that came with no head of their own have no status, or one that says that nothing was modified; those of
# resources, which have no head either, still have a type.
_HAS_HEAD = "status IS NOT 304 AND (status IS NOT NULL OR type <> 'revisit' OR media <> '')"
_SELECT_LAST_RESPONSE = (
    "SELECT offset, length, file FROM entry WHERE key = ? AND moment >= ? AND moment < ? AND url = ? "
    f"AND digest IN (?, ?) AND {_IS_SHOWN} AND {_HAS_HEAD} "
    "ORDER BY moment DESC LIMIT 1"
)
_SELECT_RESPONSES_BEFORE = (
    f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment < ? AND url = ? AND {_IS_SHOWN} "
    f"AND {_HAS_HEAD} ORDER BY moment DESC"
)
_SELECT_HELD = (
    f"SELECT 1 FROM entry WHERE key = ? AND url = ? AND {_IS_SHOWN} AND (status < 400 OR status IS NULL) LIMIT 1"
)
_SELECT_NEXT_KEY = "SELECT key FROM entry WHERE key > ? ORDER BY key LIMIT 1"
_SELECT_NEXT_SHOWN_KEY = f"SELECT key FROM entry WHERE key >= ? AND key < ? AND {_IS_SHOWN} ORDER BY key LIMIT 1"
_AFTER_KEY = "!"
"""No key has a character below it, so that a key with it is the first one behind that key."""
_SELECT_TOTALS = (
    "SELECT count(*), min(moment), max(moment) FROM "
    "(SELECT moment FROM entry WHERE key >= ? AND key < ? AND type <> 'metadata' LIMIT ?)"
)
_SELECT_PAGES = (
    f"SELECT {_COLUMNS} FROM entry WHERE file = (SELECT number FROM file WHERE name = ?) AND offset > ? AND post = '' "
    "AND (type = 'revisit' OR (type = 'response' AND status = 200 "
    "AND media IN ('text/html', 'application/xhtml+xml'))) ORDER BY offset LIMIT ?"
)
_EARLIEST_MICROS = -(1 << 62)
"""Before every moment that a record can have."""

EntryRow = tuple[str, int, int, int, str, str, int | None, str, str, str, int]


@dataclass(frozen=True, slots=True)
class IndexRange:
    """What part of the index is wanted: keys from `low` up to but not with `high`, moments between two."""

    low: str = ""
    high: str | None = None
    since: Moment | None = None
    until: Moment | None = None


@dataclass(frozen=True, slots=True)
class KeyRangeTotals:
    """What a range of keys adds up to."""

    versions: int
    first: Moment
    last: Moment


class UrlIndex:
    """The sorted look-up table of an archive."""

    def __init__(self, path: Path, writable: bool = False) -> None:
        self.database = CacheDatabase(path, _SCHEMA, writable)

    def add_rows(self, rows: IndexRows) -> None:
        """Add what was learned from a file; an entry that is there already stays as it is."""
        with self.database.transaction():
            number = self.database.file_number(rows.file)
            # Neighbours in the index are written together.
            self.database.insert("entry", _COLUMNS, [(*row, number) for row in sorted(rows.entries, key=_row_order)])
            self.database.set_covered(rows.file, rows.covered)

    def drop_file(self, file: str) -> None:
        """Drop the entries of one WARC file, inside a transaction."""
        number = self.database.file_number(file)
        self.database.connection.execute("DELETE FROM entry WHERE file = ?", (number,))
        self.database.set_covered(file, 0)

    def nearest(self, key: str, url: str, moment: Moment) -> IndexEntry | None:
        """The entry of that key nearest in time; the exact URL first, because keys fold case, scheme and `www`."""
        micros = moment.micros
        closest = _closer_row(
            self._first_row(_SELECT_BEFORE, key, micros), self._first_row(_SELECT_AFTER, key, micros), micros
        )
        if closest is None or closest[4] == url:
            return self._optional_entry(closest)
        before, after = (
            self._first_row(_SELECT_BEFORE_EXACT, key, micros, url),
            self._first_row(_SELECT_AFTER_EXACT, key, micros, url),
        )
        return self._optional_entry(_closer_row(before, after, micros) or closest)

    def find_same(self, facts: RecordFacts) -> IndexEntry | None:
        """The first entry of the same URL, moment, type and payload."""
        row = self.database.query_one(
            f"SELECT {_COLUMNS} FROM entry "
            "WHERE key = ? AND moment = ? AND url = ? AND type = ? AND digest = ? LIMIT 1",
            (surt(facts.url), facts.moment.micros, facts.url, facts.record_type, facts.payload_digest),
        )
        return self._optional_entry(row)

    def has_record(self, key: str, moment: Moment, place: RecordPlace) -> bool:
        """Whether exactly this record is in the index."""
        row = self.database.query_one(
            "SELECT length FROM entry WHERE key = ? AND moment = ? AND offset = ? "
            "AND file = (SELECT number FROM file WHERE name = ?)",
            (key, moment.micros, place.offset, place.file),
        )
        return row is not None and row[0] == place.length

    def is_held(self, url: str) -> bool:
        """Whether exactly that URL was ever answered by something else than an error."""
        return self.database.query_one(_SELECT_HELD, (surt(url), url)) is not None

    def latest_before(self, key: str, url: str, before: Moment) -> IndexEntry | None:
        """The last entry of exactly that URL before a moment."""
        return self._optional_entry(self._first_row(_SELECT_BEFORE_EXACT, key, before.micros, url))

    def last_response(
        self, key: str, url: str, digests: tuple[str, str], before: Moment, since: Moment | None = None
    ) -> RecordPlace | None:
        """Where the last answer of exactly that URL lies that came with a head and has a payload of these digests."""
        least = _EARLIEST_MICROS if since is None else since.micros
        row = self.database.query_one(_SELECT_LAST_RESPONSE, (key, least, before.micros, url, *digests))
        if row is None:
            return None
        return RecordPlace(self.database.file_name(as_integer(row[2])), as_integer(row[0]), as_integer(row[1]))

    def responses_before(self, key: str, url: str, before: Moment) -> Iterator[IndexEntry]:
        """The answers of exactly that URL before a moment that came with a head, the last one first."""
        for row in self.database.query(_SELECT_RESPONSES_BEFORE, (key, before.micros, url)):
            yield self.entry_from_row(row)

    def entries(self, span: IndexRange, newest_first: bool = False) -> Iterator[IndexEntry]:
        """The entries of a span in order of key and time, as they are needed."""
        where, values = _where_clause(span)
        order = "key DESC, moment DESC" if newest_first else "key, moment, file, offset"
        for row in self.database.query(f"SELECT {_COLUMNS} FROM entry {where} ORDER BY {order}", values):
            yield self.entry_from_row(row)

    def count(self, span: IndexRange) -> int:
        """How many entries a span has."""
        where, values = _where_clause(span)
        row = self.database.query_one(f"SELECT count(*) FROM entry {where}", values)
        return int(str(row[0])) if row else 0

    def list_site_keys(self) -> Iterator[str]:
        """The part of keys that stands for a host (`org,example)`), each once; one look-up for each."""
        after = ""
        while row := self.database.query_one(_SELECT_NEXT_KEY, (after,)):
            key = str(row[0])
            site, closing, _ = key.partition(")")
            if closing:
                yield site + closing
            # `*` is the next character after `)`; a key without one stands for itself.
            after = f"{site}*" if closing else key

    def list_shown_keys(self, low: str, high: str) -> Iterator[str]:
        """The keys of a range that a reader can be shown; a look-up for each, however many versions it has."""
        while row := self.database.query_one(_SELECT_NEXT_SHOWN_KEY, (low, high)):
            yield str(row[0])
            low = f"{row[0]}{_AFTER_KEY}"

    def count_versions(self, low: str, high: str, most: int) -> KeyRangeTotals | None:
        """How many versions a range of keys has, counted up to a number, and from when to when; None without any."""
        row = self.database.query_one(_SELECT_TOTALS, (low, high, most))
        if row is None or not row[0]:
            return None
        return KeyRangeTotals(as_integer(row[0]), Moment(as_integer(row[1])), Moment(as_integer(row[2])))

    def file_names(self) -> list[str]:
        """The WARC files that the index knows, in the order in which it came to know them."""
        return [str(name) for (name,) in self.database.query("SELECT name FROM file ORDER BY number")]

    def pages_of_file(self, file: str, after: int, most: int) -> list[IndexEntry]:
        """What may be a page in a WARC file behind an offset: HTML that was asked for and came, and revisits."""
        return [self.entry_from_row(row) for row in self.database.query(_SELECT_PAGES, (file, after, most))]

    def _first_row(self, sql: str, *values: object) -> EntryRow | None:
        return self.database.query_one(sql, values)  # type: ignore[return-value]

    def entry_from_row(self, row: SqlRow) -> IndexEntry:
        """The entry that a row of its columns is."""
        key, micros, offset, length, url, kind, status, media, digest, post, file = cast("EntryRow", row)
        place = RecordPlace(self.database.file_name(file), offset, length)
        return IndexEntry(key, Moment(micros), place, url, kind, status, media, digest, post)

    def _optional_entry(self, row: SqlRow | None) -> IndexEntry | None:
        return self.entry_from_row(row) if row is not None else None


def _row_order(row: SqlRow) -> tuple[object, ...]:
    return row[:3]


def _closer_row(before: EntryRow | None, after: EntryRow | None, micros: int) -> EntryRow | None:
    if before is None or after is None:
        return before or after
    return before if micros - before[1] < after[1] - micros else after


def _where_clause(span: IndexRange) -> tuple[str, list[object]]:
    tests: list[tuple[str, object]] = [("key >= ?", span.low)]
    if span.high is not None:
        tests.append(("key < ?", span.high))
    if span.since is not None:
        tests.append(("moment >= ?", span.since.micros))
    if span.until is not None:
        tests.append(("moment <= ?", span.until.micros))
    return "WHERE " + " AND ".join(test for test, _ in tests), [value for _, value in tests]
