"""The service's database as an SQLite file in its folder, for the service and for commands beside it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webkeep.service.store.sql_database import ResultRow, SqlValue, check_values
from webkeep.store.folder import sqlite_error

_BUSY_SECONDS = 20.0
"""So long another process may hold the file: a restored backup is written in one transaction."""


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


class SqliteServiceDatabase:
    """One file; any thread may ask, one at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._in_transaction = False
        with self._raise_storage_errors():
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            # Its own knows no capitals but those of ASCII; what is searched for was made small by Python.
            self._connection.create_function("lower", 1, _lower, deterministic=True)
            try:
                for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                    self._connection.execute(f"PRAGMA {setting}")
            except BaseException:
                self._connection.close()
                raise

    def rows(self, sql: str, values: Sequence[SqlValue] = ()) -> list[ResultRow]:
        """All rows of a query."""
        check_values(values)
        with self._lock, self._raise_storage_errors():
            return self._connection.execute(sql, values).fetchall()

    def change(self, sql: str, values: Sequence[SqlValue] = ()) -> int:
        """Carry out one change; gives how many rows it changed."""
        check_values(values)
        with self._lock, self._raise_storage_errors():
            return self._connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have all changes of a block hold, or none; a block within one is part of it."""
        with self._lock:
            if self._in_transaction:
                yield
                return
            with self._raise_storage_errors():
                self._connection.execute("BEGIN IMMEDIATE")
            self._in_transaction = True
            try:
                yield
                with self._raise_storage_errors():
                    self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # some failures have ended it already
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._in_transaction = False

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _raise_storage_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise sqlite_error(self._path, error, "bring it back from a backup: it cannot be made anew") from error
