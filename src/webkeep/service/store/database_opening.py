"""Opening the database of a service: the file in its folder, or PostgreSQL where an address is given; brought up to
date either way.
"""

from __future__ import annotations

from pathlib import Path

from webkeep.errors import UsageError
from webkeep.service.store.migrations import migrate
from webkeep.service.store.sql_database import SqlDatabase
from webkeep.service.store.sqlite_database import SqliteServiceDatabase

_SCHEMES = ("postgresql://", "postgres://")


def open_service_database(path: Path, address: str = "") -> SqlDatabase:
    """The database at an address, or where there is none in a file."""
    database = _connect_postgres(address) if address else SqliteServiceDatabase(path)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def _connect_postgres(address: str) -> SqlDatabase:
    if not address.startswith(_SCHEMES):
        raise UsageError("not the address of a database; write postgresql://USER@HOST/NAME, the password elsewhere")
    try:
        from webkeep.service.store.postgres_database import PostgresServiceDatabase
    except ImportError as error:
        raise UsageError(
            "PostgreSQL needs psycopg, which is not installed; pip install 'webkeep[service]' brings it"
        ) from error
    return PostgresServiceDatabase(address)
