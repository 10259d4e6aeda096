"""The words of pages: an SQLite index of titles and texts beside an archive. Here are decided its tables, how hits are
ranked and excerpts made, how much of a page is read, and when all is read again.

It is a cache in the archive's `reports`, always safe to delete. What it covers is told by the WARC files and offsets
that were read, so that it goes on where it was.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from webkeep.document import detect_charset, read_page_title
from webkeep.errors import StorageError, WebkeepError
from webkeep.formats.http import declared_charset
from webkeep.formats.status import OK
from webkeep.model import Moment, RecordType
from webkeep.replay.choice import Memento
from webkeep.replay.words.search_text import extract_search_text
from webkeep.store.archive import Archive
from webkeep.store.index import IndexEntry

_SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL, moment INTEGER NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS page_once ON page (url, digest);
CREATE TABLE IF NOT EXISTS reached (file TEXT PRIMARY KEY, offset INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS state (complete INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, text, tokenize = 'unicode61 remove_diacritics 2');
"""
_RANKED_SQL = (
    "SELECT p.number, p.url, p.moment, p.title FROM words JOIN page p ON p.number = words.rowid "
    "WHERE words MATCH ? ORDER BY bm25(words, 8.0, 1.0), p.moment DESC LIMIT ?"
)
_EXCERPT_SQL = "SELECT snippet(words, 1, char(2), char(3), '…', 24) FROM words WHERE words MATCH ? AND rowid = ?"
_KNOWN_SQL = "SELECT 1 FROM page WHERE url = ? AND digest = ?"
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_WORD = re.compile(r"\w+")
_BATCH_ENTRIES = 500
"""Entries whose pages are read and added in one transaction."""
_MAX_PAGE_BYTES = 2 << 20
"""So much of a page is read for its words: no page of text is longer."""
_MAX_TEXT_CHARS = 200_000
"""So much of a page's text is indexed: more is a data dump, not prose."""
_MAX_HITS = 30
"""Pages on one page of results, as long as a person may scroll."""
_MAX_VERSIONS_A_PAGE = 20
"""So many versions of a page may have the words before another page is missed."""
_READER_VERSION = 4
"""Which way of reading pages filled the index; what another way filled is read again."""


@dataclass(frozen=True, slots=True)
class TextHit:
    """A page in which words were found."""

    url: str
    moment: Moment
    title: str
    excerpt: str
    """Part of its text; what was found stands between \\x02 and \\x03."""


def words_path(archive: Path) -> Path:
    """Where the words of an archive are kept: among what is always safe to delete."""
    return archive / "reports" / "words.sqlite"


class TextIndex:
    """The words of one archive."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def search(self, query: str) -> list[TextHit]:
        """The pages that have all words, the best first, each once; none where nothing was read yet."""
        words = [f'"{word}"' for word in _WORD.findall(query)[:16]]
        if not words or not self._path.exists():
            return []
        asked = " ".join([*words[:-1], f"{words[-1]}*"])
        try:
            with closing(self._open_for_reading()) as database:
                database.execute("BEGIN")  # what is ranked is there still when its excerpt is made
                return _search_hits(database, asked)
        except sqlite3.Error as error:
            raise StorageError(f"{self._path} cannot be read ({error}); delete it, it is made again") from error

    @property
    def is_complete(self) -> bool:
        """Whether all was read that there was when reading began."""
        if not self._path.exists():
            return False
        try:
            with closing(self._open_for_reading()) as database:
                row: tuple[int] | None = database.execute("SELECT complete FROM state").fetchone()
                return row == (1,)
        except sqlite3.Error:
            return False

    def _open_for_reading(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)

    def fill(self, archive: Archive) -> int:
        """Read what was not read yet; says how many pages that were. One process at a time does this."""
        self._path.parent.mkdir(exist_ok=True)
        try:
            with closing(sqlite3.connect(self._path, timeout=5, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute("PRAGMA secure_delete = ON")
                _drop_outdated(database)
                database.executescript(_SCHEMA)
                return self._fill_index(database, archive)
        except sqlite3.Error as error:
            raise StorageError(f"{self._path} cannot be written ({error}); delete it, it is made again") from error

    def _fill_index(self, database: sqlite3.Connection, archive: Archive) -> int:
        count, stones = 0, _tombstone_count(archive)
        for name in archive.index.file_names():
            row = database.execute("SELECT offset FROM reached WHERE file = ?", (name,)).fetchone()
            offset = -1 if row is None else int(row[0])
            while batch := archive.index.pages_of_file(name, offset, _BATCH_ENTRIES):
                offset = batch[-1].place.offset
                fresh = (entry for entry in _resolve_pages(archive, batch) if _is_new(database, entry))
                pages = [page for entry in fresh if (page := _read_page(archive, entry)) is not None]
                with _transaction(database):
                    if _tombstone_count(archive) != stones:
                        return count  # what was read may be what was taken down meanwhile; the next filling begins anew
                    count += self._add(database, pages)
                    database.execute("INSERT OR REPLACE INTO reached VALUES (?, ?)", (name, offset))
        with _transaction(database):
            if _tombstone_count(archive) == stones:
                database.execute("DELETE FROM state")
                database.execute("INSERT INTO state VALUES (1)")
        return count

    def _add(self, database: sqlite3.Connection, pages: list[tuple[IndexEntry, str, str]]) -> int:
        added = 0
        for entry, title, text in pages:
            done = database.execute(
                "INSERT OR IGNORE INTO page (url, moment, title, digest) VALUES (?, ?, ?, ?)",
                (entry.url, entry.moment.micros, title, entry.digest),
            )
            if done.rowcount == 1:
                database.execute(
                    "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", (done.lastrowid, title, text)
                )
                added += 1
        return added


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of the changes made inside, or none."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _tombstone_count(archive: Archive) -> int:
    """How much was taken down so far."""
    return archive.catalog.log.tombstone_count()


def _search_hits(database: sqlite3.Connection, asked: str) -> list[TextHit]:
    """The best version of each page; excerpts take long to make and are made for what is shown alone."""
    best: dict[str, tuple[int, int, str]] = {}
    for number, url, micros, title in database.execute(_RANKED_SQL, (asked, _MAX_HITS * _MAX_VERSIONS_A_PAGE)):
        best.setdefault(url, (number, micros, title))
    hits: list[TextHit] = []
    for url, (number, micros, title) in islice(best.items(), _MAX_HITS):
        (excerpt,) = database.execute(_EXCERPT_SQL, (asked, number)).fetchone()
        hits.append(TextHit(url, Moment(micros), title, excerpt))
    return hits


def _drop_outdated(database: sqlite3.Connection) -> None:
    if database.execute("PRAGMA user_version").fetchone() != (_READER_VERSION,):
        for table in ("page", "reached", "state", "words"):
            database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute(f"PRAGMA user_version = {_READER_VERSION}")


def _resolve_pages(archive: Archive, batch: list[IndexEntry]) -> Iterator[IndexEntry]:
    """The pages among these entries, each revisit as what it refers to."""
    for entry in map(archive.revisits.resolve_entry, batch):
        if entry.record_type != RecordType.REVISIT or (entry.status == OK and entry.media_type in _HTML_TYPES):
            yield entry


def _is_new(database: sqlite3.Connection, entry: IndexEntry) -> bool:
    """Whether a page has not been read before with the same content."""
    return database.execute(_KNOWN_SQL, (entry.url, entry.digest)).fetchone() is None


def _read_page(archive: Archive, entry: IndexEntry) -> tuple[IndexEntry, str, str] | None:
    """A page's title and text; None where it cannot be read."""
    try:
        stored = Memento(archive, entry).read()
    except WebkeepError:
        return None  # damage is told by `webkeep verify`; a page without words is only not found
    content = b"".join(stored.content(_MAX_PAGE_BYTES))
    told = declared_charset(stored.head.headers) if stored.head else ""
    return (
        entry,
        read_page_title(content, told)[:500],
        extract_search_text(content, detect_charset(content, told))[:_MAX_TEXT_CHARS],
    )
