"""The service's database in PostgreSQL: connected anew after it was gone, and its password taken from anywhere but the
command line.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import cast

import psycopg

from webkeep.errors import StorageError
from webkeep.service.store.sql_database import DatabaseGoneError, ResultRow, SqlValue, check_values
from webkeep.store.postgres import check_database_address, connect_to_database, first_line

_WRITER_KEY = 0x7765626B
"""The advisory lock by which one transaction at a time changes anything."""


class PostgresServiceDatabase:
    """One connection; any thread may ask, one at a time."""

    def __init__(self, address: str) -> None:
        check_database_address(address)
        self._address = address
        self._lock = threading.RLock()
        self._in_transaction = False
        self._connection = self._connect()

    def _connect(self) -> psycopg.Connection[ResultRow]:
        try:
            return cast("psycopg.Connection[ResultRow]", connect_to_database(self._address))
        except psycopg.Error as error:
            raise DatabaseGoneError(f"PostgreSQL cannot be reached ({first_line(error)}); see that it runs") from error

    def rows(self, sql: str, values: Sequence[SqlValue] = ()) -> list[ResultRow]:
        """All rows of a query."""
        check_values(values)
        with self._lock, self._raise_storage_errors():
            return self._execute(sql, values).fetchall()

    def change(self, sql: str, values: Sequence[SqlValue] = ()) -> int:
        """Carry out one change; gives how many rows it changed."""
        check_values(values)
        with self._lock, self._raise_storage_errors():
            return self._execute(sql, values).rowcount

    def _execute(self, sql: str, values: Sequence[SqlValue]) -> psycopg.Cursor[ResultRow]:
        if self._connection.closed and not self._in_transaction:
            self._connection = self._connect()
        # No statement of ours has a question mark or a percent sign that is none of these.
        statement = sql.replace("?", "%s").encode()
        return self._connection.execute(statement, values or None)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Have all changes of a block hold, or none; nobody else changes anything meanwhile.

        A block within one is part of it.
        """
        with self._lock:
            if self._in_transaction:
                yield
                return
            self.rows("SELECT pg_advisory_lock(?)", (_WRITER_KEY,))
            try:
                with self._raise_storage_errors(), self._connection.transaction():
                    self._in_transaction = True
                    yield
            finally:
                self._in_transaction = False
                with suppress(psycopg.Error):  # a connection that is gone holds no lock
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (_WRITER_KEY,))

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _raise_storage_errors(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            self._connection.close()
            raise DatabaseGoneError(f"PostgreSQL is gone ({first_line(error)}); see that it runs") from error
        except psycopg.Error as error:
            raise StorageError(f"PostgreSQL refused ({first_line(error)}); look into its log") from error
