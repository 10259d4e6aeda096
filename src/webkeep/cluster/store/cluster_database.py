"""A connection to the database of a cluster: opened with bounds on how long anything may take there, one transaction
at a time, and its errors sorted: gone for the moment, to be tried again, or to stop at.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

import psycopg

from webkeep.cluster.database_clock import steady_micros
from webkeep.cluster.store.cluster_rows import CaptureState
from webkeep.cluster.store.schema import SCHEMA, SCHEMA_NAME, SCHEMA_VERSION, SESSION_TABLES
from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.store.postgres import check_database_address, first_line
from webkeep.version import __version__

_CONNECT_SECONDS = 5
"""So long a server may take to answer that is asked for a connection."""
_STUCK_SECONDS = 75.0
"""A transaction that takes longer than any statement may is stuck on the way."""
_SETTINGS = (
    "SET statement_timeout = '60s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '5s'; "
    f"SET search_path = {SCHEMA_NAME}, public; SET synchronous_commit = on; SET timezone = 'UTC'"
)
"""Nobody's locks outlast a worker that froze within a transaction."""
_SLOW_SECONDS = 2.0
"""A database that takes so long for a transaction may have been away for a while."""
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

    def __init__(
        self, address: str, stuck_seconds: float = _STUCK_SECONDS, clock: Callable[[], int] = steady_micros
    ) -> None:
        check_database_address(address)
        self._address, self._stuck_seconds = address, stuck_seconds
        self._connection: psycopg.Connection[Row] | None = None
        self._clock, self._rough_at = clock, clock()
        self._began_at: int | None = None
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
                # Of several hosts the one that is no mere follower of another.
                target_session_attrs="read-write",
                keepalives_idle=5,
                keepalives_interval=2,
                keepalives_count=3,
                application_name="webkeep",
            ),
        )
        self._connection = connection
        try:
            connection.execute(_SETTINGS)
            connection.execute(SESSION_TABLES)
        except BaseException:
            self.close()
            raise
        return connection

    @property
    def calm_seconds(self) -> float:
        """For how long it has answered everything and in time, as far as this one connection shows."""
        now = self._clock()
        return 0.0 if self._is_slow(now) else (now - self._rough_at) / 1e6

    def _is_slow(self, now: int) -> bool:
        return self._began_at is not None and now - self._began_at > _SLOW_SECONDS * 1e6

    def transact(self, work: Callable[[ClusterDatabase], _Result], attempts: int = _MAX_ATTEMPTS) -> _Result:
        """Do work in one transaction, once more where others got in its way."""
        self._began_at = self._clock()
        is_gone = False
        try:
            return self._try_often(work, attempts)
        except ClusterGoneError:
            is_gone = True
            raise
        finally:
            now = self._clock()
            if is_gone or self._is_slow(now):
                self._rough_at = now
            self._began_at = None

    def _try_often(self, work: Callable[[ClusterDatabase], _Result], attempts: int) -> _Result:
        for attempt in range(1, attempts + 1):
            try:
                with self._watch_connection(), self._connect().transaction():
                    return work(self)
            except psycopg.Error as error:
                if error.sqlstate in _TRANSIENT_STATES and attempt < attempts:
                    continue
                raise self._translate(error) from error
        raise AssertionError  # the last attempt returns or raises

    @contextmanager
    def _watch_connection(self) -> Iterator[None]:
        """Give a connection up that neither answers nor breaks, as where something on the way is stuck."""
        timer = threading.Timer(self._stuck_seconds, self._break)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _break(self) -> None:
        connection = self._connection
        if connection is not None:
            with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as stuck:
                stuck.shutdown(socket.SHUT_RDWR)

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


def prepare_schema(database: ClusterDatabase, anew: bool = False) -> None:
    """Make the tables of a cluster where they are not there; those of another version make room once their capture is
    over, or where another one is to be begun `anew`.
    """

    def prepare(within: ClusterDatabase) -> None:
        within.rows("SELECT pg_advisory_xact_lock(7765626)")
        has_tables = bool(within.rows("SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA_NAME,)))
        if has_tables:
            kept = within.rows("SELECT schema_version, state FROM capture")
            if anew or all(state == CaptureState.OVER for _, state in kept):
                has_tables = bool(kept) and all(version == SCHEMA_VERSION for version, _ in kept)
                if not has_tables:
                    within.change(f"DROP SCHEMA {SCHEMA_NAME} CASCADE")
        if not has_tables:
            within.change(SCHEMA)

    database.transact(prepare)


def check_version(schema_version: int, program: str) -> None:
    """Refuse to take part in what another version of webkeep began."""
    if schema_version != SCHEMA_VERSION or program != __version__:
        raise UsageError(
            f"the capture in the database was begun by webkeep {program}, and this is {__version__}; "
            "all that take part need the same version: install that one here"
        )
