"""The SQLite file of a job: opened, written in long transactions, and in its failures told in one line; when a commit
is due.

The archive is the truth and the file a cache of it, so that a transaction lost in a crash is no loss; what must not
happen is a file that cannot be read, which is what write-ahead logging is for; and one that has the later of two
changes and not the earlier: a change that fails takes back all that were not on disk, and is the last.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.frontier.urls import LruMap
from webkeep.store.folder.sqlite_errors import sqlite_error

JobRow = tuple[int | str | bytes | None, ...]

_SCHEMA_VERSION = 1
"""A job of another version is begun anew: it is a cache."""
_CHANGES_PER_COMMIT = 20_000
"""A commit of fewer is not worth its cost, unless time has passed."""
_COMMIT_SECONDS = 1.0
"""What is lost in a crash is read again from the archive: a second of it is soon read."""


class JobDatabase:
    """One file, for one thread."""

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._failed: StorageError | None = None
        self._changes = 0
        self._last_commit = time.monotonic()
        with self._translate_errors():
            self._connection = sqlite3.connect(path, isolation_level=None)
            try:
                self._create_tables(schema)
            except BaseException:
                self._connection.close()
                raise

    def _create_tables(self, schema: str) -> None:
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -24576", "temp_store = MEMORY"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("PRAGMA wal_autocheckpoint = 4000")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._connection.executescript(f"BEGIN;{schema}PRAGMA user_version = {_SCHEMA_VERSION};COMMIT;")
        elif version != _SCHEMA_VERSION:
            raise StorageError(f"{self._path} was made by another version of webkeep; begin the capture anew")

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[JobRow]:
        """All rows of a query."""
        with self._translate_errors():
            return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[object] = ()) -> int:
        """Carry out one change; the answer is how many rows it changed."""
        with self._write_transaction(1):
            return self._connection.execute(sql, values).rowcount

    def write_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one change for each row of values."""
        with self._write_transaction(len(rows)):
            self._connection.executemany(sql, rows)

    @property
    def is_commit_due(self) -> bool:
        """Whether changes are enough to be worth a commit, or enough time has passed."""
        return self._changes >= _CHANGES_PER_COMMIT or time.monotonic() - self._last_commit >= _COMMIT_SECONDS

    def commit(self, at_once: bool = False) -> None:
        """Put the changes on disk, where that is due."""
        if self._connection.in_transaction and (at_once or self.is_commit_due):
            with self._lasting():
                self._connection.execute("COMMIT")
            self._changes = 0
            self._last_commit = time.monotonic()

    def close(self) -> None:
        """Put everything on disk and close the file."""
        try:
            if self._failed is None:
                self.commit(at_once=True)
        finally:
            self._connection.close()

    @contextmanager
    def _write_transaction(self, changes: int) -> Iterator[None]:
        with self._lasting():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            yield
        self._changes += changes

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        """A change to the file; the first that fails is the last, and takes those with it that were not on disk."""
        if self._failed is not None:
            raise self._failed
        try:
            with self._translate_errors():
                yield
        except StorageError as error:
            self._failed = error
            if self._connection.in_transaction:  # some failures have ended it already
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._storage_error(error) from error

    def _storage_error(self, error: sqlite3.Error) -> StorageError:
        advice = "delete it and run the same command: the capture goes on from what the archive holds"
        return sqlite_error(self._path, error, advice)


# Texts that many rows share, by numbers: hosts and reasons.

TEXT_SCHEMA = "CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;"

_MAX_CACHED_TEXTS = 20_000
"""Hosts and reasons that are known by heart; the others are looked up."""


class TextTable:
    """Gives each text a number; the empty one has 0."""

    def __init__(self, database: JobDatabase) -> None:
        self._database = database
        self._numbers: LruMap[str, int] = LruMap(_MAX_CACHED_TEXTS)
        self._texts: LruMap[int, str] = LruMap(_MAX_CACHED_TEXTS)

    def number_of(self, text: str) -> int:
        """The number of a text, which is entered if it is new."""
        if not text:
            return 0
        number = self._numbers.get(text)
        if number is None:
            number = self.find_number(text)
            if not number:
                self._database.write("INSERT INTO text (text) VALUES (?)", (text,))
                number = self.find_number(text)
            self._numbers[text] = number
        return number

    def find_number(self, text: str) -> int:
        """The number of a text, or 0 where it has none."""
        rows = self._database.rows("SELECT id FROM text WHERE text = ?", (text,))
        return int(rows[0][0] or 0) if rows else 0

    def text_of(self, number: int) -> str:
        """The text of a number."""
        if not number:
            return ""
        text = self._texts.get(number)
        if text is None:
            rows = self._database.rows("SELECT text FROM text WHERE id = ?", (number,))
            text = str(rows[0][0]) if rows else ""
            self._texts[number] = text
        return text
