"""A connection to the database of a cluster: opened with bounds on how long anything may take there, one transaction
at a time, and its errors sorted: gone for the moment, to be tried again, or to stop at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import psycopg

from webkeep.cluster.store.schema import SCHEMA, SCHEMA_NAME, SCHEMA_VERSION, SESSION_TABLES
from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.store.postgres import check_database_address, first_line
from webkeep.version import __version__

_CONNECT_SECONDS = 5
"""So long a server may take to answer that is asked for a connection."""
_SETTINGS = (
    "SET statement_timeout = '60s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '5s'; "
    f"SET search_path = {SCHEMA_NAME}, public; SET synchronous_commit = on; SET timezone = 'UTC'"
)
"""Nobody's locks outlast a worker that froze within a transaction."""
_MAX_ATTEMPTS = 5
"""So often a transaction is tried that others got in the way of."""
_TRANSIENT_STATES = frozenset({"40001", "40P01", "55P03", "25P03", "57014"})
"""Serialization failure, deadlock, lock not available, transaction idle for too long, statement took too long."""

_Result = TypeVar("_Result")
Row = tuple[Any, ...]


class ClusterGoneError(StorageError):
    """The database does not answer for now: what was handed over may not be there, and is handed over again."""


class LeaseLostError(StorageError):
    """A worker was not heard of for too long: its hosts are others' now."""


class ClusterDatabase:
    """One connection, for one thread at a time."""

    def __init__(self, address: str) -> None:
        check_database_address(address)
        self._address = address
        self._connection: psycopg.Connection[Row] | None = None
        self.statements = 0
        """How many were asked so far."""

    def _connect(self) -> psycopg.Connection[Row]:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        connection = cast(
            "psycopg.Connection[Row]",
            psycopg.connect(
                self._address,
                autocommit=True,
                connect_timeout=_CONNECT_SECONDS,
                keepalives_idle=5,
                keepalives_interval=2,
                keepalives_count=3,
                application_name="webkeep",
            ),
        )
        try:
            connection.execute(_SETTINGS)
            connection.execute(SESSION_TABLES)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def transact(self, work: Callable[[ClusterDatabase], _Result]) -> _Result:
        """Do work in one transaction, once more where others got in its way."""
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            try:
                with self._connect().transaction():
                    return work(self)
            except psycopg.Error as error:
                if error.sqlstate in _TRANSIENT_STATES and attempt < _MAX_ATTEMPTS:
                    continue
                raise self._translate(error) from error
        raise AssertionError  # the last attempt returns or raises

    def _translate(self, error: psycopg.Error) -> StorageError:
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) or error.sqlstate in _TRANSIENT_STATES:
            self.close()
            return ClusterGoneError(f"PostgreSQL cannot be reached ({first_line(error)}); see that it runs")
        return StorageError(f"PostgreSQL refused ({first_line(error)}); look into its log")

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query; within a transaction."""
        self.statements += 1
        return self._connect().execute(sql, values or None).fetchall()

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Carry out one change; gives how many rows it changed; within a transaction."""
        self.statements += 1
        return self._connect().execute(sql, values or None).rowcount

    def copy_in(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        """Bring many rows into a table of the session; within a transaction."""
        self.statements += 1
        with self._connect().cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterable[Row]:
        """The rows of a long answer, some at a time; within a transaction."""
        self.statements += 1
        with self._connect().cursor(name="webkeep") as cursor:
            cursor.execute(sql, values or None)
            yield from cursor

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def database_moment(database: ClusterDatabase) -> Moment:
    """The present moment by the database's clock; within a transaction."""
    ((micros,),) = database.rows("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT")
    return Moment(int(micros))


def prepare_schema(database: ClusterDatabase) -> None:
    """Make the tables of a cluster where they are not there; refuse those of another version."""

    def prepare(within: ClusterDatabase) -> None:
        within.rows("SELECT pg_advisory_xact_lock(7765626)")
        if not within.rows("SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA_NAME,)):
            within.change(SCHEMA)

    database.transact(prepare)


def check_version(schema_version: int, program: str) -> None:
    """Refuse to take part in what another version of webkeep began."""
    if schema_version != SCHEMA_VERSION or program != __version__:
        raise UsageError(
            f"the capture in the database was begun by webkeep {program}, and this is {__version__}; "
            "all that take part need the same version: install that one here"
        )
