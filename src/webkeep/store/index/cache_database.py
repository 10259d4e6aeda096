"""SQLite files that are caches of the WARC files: opened alike, of one schema version, and told how far into each WARC
file they reach.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.folder.sqlite_errors import sqlite_error

SqlRow = tuple[object, ...]

_ROWS_PER_INSERT = 16
"""Rows in one INSERT: each statement gives up the interpreter's lock, and each return to it costs."""
_SCHEMA_VERSION = 1
"""Of the tables; a cache with other ones is made anew."""

_FILE_TABLE = """
CREATE TABLE IF NOT EXISTS file (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    covered INTEGER NOT NULL DEFAULT 0
) STRICT;
"""


class CacheDatabase:
    """One cache file: readers have a connection for each thread, a writer has one for all of its threads.

    The writer's threads share one because a connection drops its page cache when another one commits. SQLite lets them
    use it at the same time; one transaction is under way at a time.
    """

    def __init__(self, path: Path, schema: str, writable: bool, later_tables: str = "") -> None:
        """`later_tables` are those that a cache of an earlier version of webkeep lacks; a writer adds them."""
        self._path = path
        self._writable = writable
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._shared: sqlite3.Connection | None = None
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._transaction_lock = threading.Lock()
        if writable:
            path.parent.mkdir(exist_ok=True)
            self._shared = self._connect()
            self._create_tables(schema, later_tables)
        elif not path.exists():
            raise StorageError(f"{path} is missing; run webkeep rebuild {_archive_of(path)}")

    def _create_tables(self, schema: str, later_tables: str) -> None:
        """Make the tables where there are none, all at once: whoever finds some finds all."""
        try:
            with self._translate_errors():
                self.connection.execute("PRAGMA journal_mode = WAL")
            if not self.has_tables:
                with self._translate_errors():
                    script = f"BEGIN IMMEDIATE;{_FILE_TABLE}{schema}PRAGMA user_version = {_SCHEMA_VERSION};COMMIT;"
                    self.connection.executescript(script)
            with self._translate_errors():
                self.connection.executescript(later_tables)
        except StorageError:
            self.close()
            raise

    @property
    def has_tables(self) -> bool:
        """Whether the tables are there; not so where a process was ended while it made them."""
        row = self.query_one("PRAGMA user_version")
        version = as_integer(row[0]) if row else 0
        if version not in (0, _SCHEMA_VERSION):
            raise StorageError(
                f"{self._path} was made by another version of webkeep; run webkeep rebuild {_archive_of(self._path)}"
            )
        return version == _SCHEMA_VERSION

    def has_table(self, name: str) -> bool:
        """Whether there is a table, which a cache of an earlier version of webkeep may lack."""
        return self.query_one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)) is not None

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to use in this thread."""
        if self._shared is not None:
            return self._shared
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        return connection

    def _connect(self) -> sqlite3.Connection:
        with self._translate_errors():
            connection = sqlite3.connect(
                f"{self._path.absolute().as_uri()}?{self._open_mode()}",
                uri=True,
                timeout=30,
                check_same_thread=False,
                isolation_level=None,
            )
            self._open.append(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
            connection.execute("PRAGMA cache_size = -16384")
            connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    def _open_mode(self) -> str:
        if self._writable:
            return "mode=rwc"
        # Readers and writer share memory through a file beside the database; where there is none and none can be made,
        # none writes.
        shared = self._path.with_name(self._path.name + "-shm").exists()
        return "mode=ro" if shared or os.access(self._path.parent, os.W_OK) else "mode=ro&immutable=1"

    @contextmanager
    def attach_cache(self, other: Path, name: str) -> Iterator[None]:
        """Another cache under a name, for queries over both; what was being read of it ends with it."""
        connection = self.connection
        with self._translate_errors():
            connection.execute(f"ATTACH DATABASE ? AS {name}", (f"{other.absolute().as_uri()}?{self._open_mode()}",))
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # closed meanwhile, or a query left halfway that still holds it
                connection.execute(f"DETACH DATABASE {name}")

    def query(self, sql: str, values: Sequence[object] = ()) -> Iterator[SqlRow]:
        """The rows of a query, as they are needed."""
        with self._translate_errors():
            # Not `yield from`: that closes the cursor of a query left halfway, which fails once the archive is closed.
            for row in self.connection.execute(sql, values):  # noqa: UP028
                yield row

    def query_one(self, sql: str, values: Sequence[object] = ()) -> SqlRow | None:
        """The first row of a query."""
        try:
            row: SqlRow | None = self.connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise self._storage_error(error) from error
        return row

    def insert(
        self, table: str, columns: str, rows: Sequence[SqlRow], conflict: str = "ON CONFLICT DO NOTHING"
    ) -> None:
        """Insert rows inside a transaction, many to a statement; one whose key is there already stays as it is.

        A statement leaves the interpreter's lock to other threads while it runs, and each return to it costs.
        """
        marks = f"({','.join('?' * (columns.count(',') + 1))})"
        for first in range(0, len(rows), _ROWS_PER_INSERT):
            some = rows[first : first + _ROWS_PER_INSERT]
            values = ",".join([marks] * len(some))
            sql = f"INSERT INTO {table} ({columns}) VALUES {values} {conflict}"
            self.connection.execute(sql, list(chain.from_iterable(some)))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of the changes made inside, or none."""
        connection = self.connection
        with self._transaction_lock, self._translate_errors():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                self._numbers.clear()
                if connection.in_transaction:  # some failures have ended it already
                    connection.execute("ROLLBACK")
                raise

    def file_number(self, name: str) -> int:
        """The number that stands for a WARC file's name here; made when it is new (inside a transaction)."""
        number = self._numbers.get(name)
        if number is None:
            self.connection.execute("INSERT OR IGNORE INTO file (name) VALUES (?)", (name,))
            row = self.connection.execute("SELECT number FROM file WHERE name = ?", (name,)).fetchone()
            number = self._numbers[name] = int(row[0])
        return number

    def file_name(self, number: int) -> str:
        """The WARC file a number stands for."""
        name = self._names.get(number)
        if name is None:
            row = self.query_one("SELECT name FROM file WHERE number = ?", (number,))
            name = str(row[0]) if row else ""
            if row:
                self._names[number] = name
        return name

    def covered_bytes(self) -> dict[str, int]:
        """How many bytes of each WARC file are in here."""
        return {str(name): as_integer(size) for name, size in self.query("SELECT name, covered FROM file")}

    def set_covered(self, name: str, size: int) -> None:
        """Note, inside a transaction, how far into a WARC file the cache reaches now."""
        self.connection.execute("UPDATE file SET covered = ? WHERE number = ?", (size, self.file_number(name)))

    def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._shared = None
        self._local = threading.local()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._storage_error(error) from error

    def _storage_error(self, error: sqlite3.Error) -> StorageError:
        return sqlite_error(self._path, error, f"run webkeep rebuild {_archive_of(self._path)}")


def _archive_of(path: Path) -> Path:
    return path.parent.parent if path.parent.name == "index" else path.parent


def as_integer(value: object) -> int:
    """A column that holds a whole number."""
    return value if isinstance(value, int) else 0
