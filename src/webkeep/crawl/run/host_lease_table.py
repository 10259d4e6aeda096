"""Turns at hosts between captures on several machines: slots in a PostgreSQL database that they all name
(`--share-hosts postgresql://…`).

Who may ask a host holds an advisory lock of the database's session, which ends with the connection, however that ends.
When the host may be asked again stands in a table by the clock of the database alone, so that those of machines need
not agree. A database that is gone ends the capture, which goes on by the same call: no host is asked without a turn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webkeep.crawl.run.host_turn_leases import HostTurnLeases
from webkeep.errors import StorageError, UsageError

if TYPE_CHECKING:
    import psycopg

_CREATE = "CREATE TABLE IF NOT EXISTS host_lease (host BIGINT PRIMARY KEY, free_at TIMESTAMPTZ NOT NULL)"
_WRITE = (
    "INSERT INTO host_lease (host, free_at) VALUES (%s, clock_timestamp() + make_interval(secs => %s)) "
    "ON CONFLICT (host) DO UPDATE SET free_at = EXCLUDED.free_at"
)
_READ = "SELECT extract(epoch FROM free_at - clock_timestamp()) FROM host_lease WHERE host = %s"
_CREATE_KEY = 0x77656273
"""The advisory lock by which one process at a time makes the table."""


class HostLeaseTable(HostTurnLeases):
    """Leases that hold for all captures that name the same database; for one capture in a process."""

    def __init__(self, address: str) -> None:
        super().__init__(_TableSlots(address))


class _TableSlots:
    """Slots in a database, each locked by its session."""

    def __init__(self, address: str) -> None:
        try:
            import psycopg

            from webkeep.store.postgres import connect_to_database
        except ImportError as error:
            raise UsageError(
                "turns in PostgreSQL need psycopg, which is not installed; pip install 'webkeep[service]' brings it"
            ) from error
        self._errors = psycopg.Error
        with self._raise_storage_errors():
            self._connection: psycopg.Connection[tuple[object, ...]] = connect_to_database(address)
            self._connection.execute("SELECT pg_advisory_lock(%s)", (_CREATE_KEY,))
            self._connection.execute(_CREATE)
            self._connection.execute("SELECT pg_advisory_unlock(%s)", (_CREATE_KEY,))

    def try_lock(self, name: str) -> bool:
        """Whether the slot of a name is ours now."""
        return bool(self._ask("SELECT pg_try_advisory_lock(%s)", name))

    def unlock(self, name: str) -> None:
        """Let others have it."""
        self._ask("SELECT pg_advisory_unlock(%s)", name)

    def read_wait(self, name: str) -> float:
        """In how many seconds the host may be asked."""
        return float(str(self._ask(_READ, name) or 0))

    def write_wait(self, name: str, seconds: float) -> None:
        """Say in how many seconds it may."""
        with self._raise_storage_errors():
            self._connection.execute(_WRITE, (_key_of(name), max(0.0, seconds)))

    def close(self) -> None:
        """Give everything back."""
        self._connection.close()

    def _ask(self, statement: str, name: str) -> object:
        with self._raise_storage_errors():
            row = self._connection.execute(statement.encode(), (_key_of(name),)).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def _raise_storage_errors(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            said = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise StorageError(
                f"the database by which captures take turns at hosts does not answer ({said}); see that it runs"
            ) from error


def _key_of(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)
