"""The index: look-up by URL and time in a SQLite table that is sorted by both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.model import Moment, Place
from webkeep.store.database import Database, Row, integer
from webkeep.store.entry import Entry
from webkeep.store.rows import Rows
from webkeep.store.sight import Sight
from webkeep.url.key import surt

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
_SHOWN = "post = '' AND type <> 'metadata'"
_AFTER = f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment >= ? AND {_SHOWN} ORDER BY moment LIMIT 1"
_BEFORE = f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment < ? AND {_SHOWN} ORDER BY moment DESC LIMIT 1"
_AFTER_EXACT = _AFTER.replace("AND post", "AND url = ? AND post", 1)
_BEFORE_EXACT = _BEFORE.replace("AND post", "AND url = ? AND post", 1)
# Revisits that came with no head of their own have no status, or one that says that nothing was modified; those of
# resources, which have no head either, still have a type.
_SAYS_WHAT = "status IS NOT 304 AND (status IS NOT NULL OR type <> 'revisit' OR media <> '')"
_LAST_ANSWER = (
    "SELECT offset, length, file FROM entry WHERE key = ? AND moment >= ? AND moment < ? AND url = ? "
    f"AND digest IN (?, ?) AND {_SHOWN} AND {_SAYS_WHAT} "
    "ORDER BY moment DESC LIMIT 1"
)
_ANSWERS_BEFORE = (
    f"SELECT {_COLUMNS} FROM entry WHERE key = ? AND moment < ? AND url = ? AND {_SHOWN} "
    f"AND {_SAYS_WHAT} ORDER BY moment DESC"
)
_EARLIEST = -(1 << 62)

EntryRow = tuple[str, int, int, int, str, str, int | None, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Span:
    """What part of the index is wanted: keys from `low` up to but not with `high`, moments between two."""

    low: str = ""
    high: str | None = None
    since: Moment | None = None
    until: Moment | None = None


class Index:
    """The sorted look-up table of an archive."""

    def __init__(self, path: Path, writable: bool = False) -> None:
        self.database = Database(path, _SCHEMA, writable)

    def take(self, rows: Rows) -> None:
        """Add what was learned from a file; an entry that is there already stays as it is."""
        with self.database.transaction():
            number = self.database.file_number(rows.file)
            # Neighbours in the index are written together.
            self.database.insert("entry", _COLUMNS, [(*row, number) for row in sorted(rows.entries, key=_order)])
            self.database.cover(rows.file, rows.covered)

    def forget(self, file: str) -> None:
        """Drop the entries of one WARC file, inside a transaction."""
        number = self.database.file_number(file)
        self.database.connection.execute("DELETE FROM entry WHERE file = ?", (number,))
        self.database.cover(file, 0)

    def nearest(self, key: str, url: str, moment: Moment) -> Entry | None:
        """The entry of that key nearest in time; the exact URL first, because keys fold case, scheme and `www`."""
        micros = moment.micros
        closest = _closest(self._first(_BEFORE, key, micros), self._first(_AFTER, key, micros), micros)
        if closest is None or closest[4] == url:
            return self._entry(closest)
        before, after = self._first(_BEFORE_EXACT, key, micros, url), self._first(_AFTER_EXACT, key, micros, url)
        return self._entry(_closest(before, after, micros) or closest)

    def first_like(self, sight: Sight) -> Entry | None:
        """The first entry of the same URL, moment, type and payload."""
        row = self.database.one(
            f"SELECT {_COLUMNS} FROM entry "
            "WHERE key = ? AND moment = ? AND url = ? AND type = ? AND digest = ? LIMIT 1",
            (surt(sight.url), sight.moment.micros, sight.url, sight.record_type, sight.payload_digest),
        )
        return self._entry(row)  # type: ignore[arg-type]

    def holds(self, key: str, moment: Moment, place: Place) -> bool:
        """Whether exactly this record is in the index."""
        row = self.database.one(
            "SELECT length FROM entry WHERE key = ? AND moment = ? AND offset = ? "
            "AND file = (SELECT number FROM file WHERE name = ?)",
            (key, moment.micros, place.offset, place.file),
        )
        return row is not None and row[0] == place.length

    def latest(self, key: str, url: str, before: Moment) -> Entry | None:
        """The last entry of exactly that URL before a moment."""
        return self._entry(self._first(_BEFORE_EXACT, key, before.micros, url))

    def last_answer(
        self, key: str, url: str, digests: tuple[str, str], before: Moment, since: Moment | None = None
    ) -> Place | None:
        """Where the last answer of exactly that URL lies that came with a head and has a payload of these digests."""
        least = _EARLIEST if since is None else since.micros
        row = self.database.one(_LAST_ANSWER, (key, least, before.micros, url, *digests))
        if row is None:
            return None
        return Place(self.database.file_name(integer(row[2])), integer(row[0]), integer(row[1]))

    def answers_before(self, key: str, url: str, before: Moment) -> Iterator[Entry]:
        """The answers of exactly that URL before a moment that came with a head, the last one first."""
        for row in self.database.query(_ANSWERS_BEFORE, (key, before.micros, url)):
            entry = self._entry(row)  # type: ignore[arg-type]
            if entry is not None:
                yield entry

    def entries(self, span: Span, newest_first: bool = False) -> Iterator[Entry]:
        """The entries of a span in order of key and time, as they are needed."""
        where, values = _where(span)
        order = "key DESC, moment DESC" if newest_first else "key, moment, file, offset"
        for row in self.database.query(f"SELECT {_COLUMNS} FROM entry {where} ORDER BY {order}", values):
            entry = self._entry(row)  # type: ignore[arg-type]
            if entry is not None:
                yield entry

    def count(self, span: Span) -> int:
        """How many entries a span has."""
        where, values = _where(span)
        row = self.database.one(f"SELECT count(*) FROM entry {where}", values)
        return int(str(row[0])) if row else 0

    def _first(self, sql: str, *values: object) -> EntryRow | None:
        return self.database.one(sql, values)  # type: ignore[return-value]

    def _entry(self, row: EntryRow | None) -> Entry | None:
        if row is None:
            return None
        key, micros, offset, length, url, kind, status, media, digest, post, file = row
        place = Place(self.database.file_name(file), offset, length)
        return Entry(key, Moment(micros), place, url, kind, status, media, digest, post)


def _order(row: Row) -> tuple[object, ...]:
    return row[:3]


def _closest(before: EntryRow | None, after: EntryRow | None, micros: int) -> EntryRow | None:
    if before is None or after is None:
        return before or after
    return before if micros - before[1] < after[1] - micros else after


def _where(span: Span) -> tuple[str, list[object]]:
    tests: list[tuple[str, object]] = [("key >= ?", span.low)]
    if span.high is not None:
        tests.append(("key < ?", span.high))
    if span.since is not None:
        tests.append(("moment >= ?", span.since.micros))
    if span.until is not None:
        tests.append(("moment <= ?", span.until.micros))
    return "WHERE " + " AND ".join(test for test, _ in tests), [value for _, value in tests]
