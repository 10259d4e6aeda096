"""The SQLite file of a job: opened, written in long transactions, and in its failures told in one line.

The archive is the truth and the file a cache of it, so that a transaction lost in a crash is no loss; what must not
happen is a file that cannot be read, which is what write-ahead logging is for; and one that has the later of two changes
and not the earlier: a change that fails takes back all that were not on disk, and is the last.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.sqlite_trouble import trouble

Row = tuple[int | str | bytes | None, ...]

_VERSION = 1
_ENOUGH = 20_000
_OFTEN_ENOUGH = 1.0


class JobDatabase:
    """One file, for one thread."""

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._failed: StorageError | None = None
        self._changes = 0
        self._committed = time.monotonic()
        with self._failing():
            self._connection = sqlite3.connect(path, isolation_level=None)
            try:
                self._make(schema)
            except BaseException:
                self._connection.close()
                raise

    def _make(self, schema: str) -> None:
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -24576", "temp_store = MEMORY"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("PRAGMA wal_autocheckpoint = 4000")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._connection.executescript(f"BEGIN;{schema}PRAGMA user_version = {_VERSION};COMMIT;")
        elif version != _VERSION:
            raise StorageError(f"{self._path} was made by another version of webkeep; begin the capture anew")

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._failing():
            return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[object] = ()) -> int:
        """Carry out one change; the answer is how many rows it changed."""
        with self._changing(1):
            return self._connection.execute(sql, values).rowcount

    def write_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one change for each row of values."""
        with self._changing(len(rows)):
            self._connection.executemany(sql, rows)

    @property
    def is_due(self) -> bool:
        """Whether changes are enough to be worth a commit, or enough time has passed."""
        return self._changes >= _ENOUGH or time.monotonic() - self._committed >= _OFTEN_ENOUGH

    def commit(self, at_once: bool = False) -> None:
        """Put the changes on disk, where that is due."""
        if self._connection.in_transaction and (at_once or self.is_due):
            with self._lasting():
                self._connection.execute("COMMIT")
            self._changes = 0
            self._committed = time.monotonic()

    def close(self) -> None:
        """Put everything on disk and close the file."""
        try:
            if self._failed is None:
                self.commit(at_once=True)
        finally:
            self._connection.close()

    @contextmanager
    def _changing(self, changes: int) -> Iterator[None]:
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
            with self._failing():
                yield
        except StorageError as error:
            self._failed = error
            if self._connection.in_transaction:  # some failures have ended it already
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> StorageError:
        advice = "delete it and run the same command: the capture goes on from what the archive holds"
        return trouble(self._path, error, advice)
