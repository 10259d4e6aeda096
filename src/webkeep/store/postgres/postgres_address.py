"""The address of a PostgreSQL database: which ones are taken, and that no password stands in them for all to read."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import conninfo_to_dict

from webkeep.errors import UsageError

_SCHEMES = ("postgresql://", "postgres://")


def is_database_address(address: str) -> bool:
    """Whether something looks like the address of a database."""
    return address.startswith(_SCHEMES)


def check_database_address(address: str) -> None:
    """Refuse an address that others could read a password from, in the list of processes."""
    try:
        parts = conninfo_to_dict(address)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            "not the address of a PostgreSQL database; write postgresql://USER@HOST/NAME, the password elsewhere"
        ) from error
    if parts.get("password"):
        raise UsageError(
            "the address of the database has its password in it, which every user of this machine could read; "
            "put it into ~/.pgpass, a service file, or PGPASSWORD"
        )


def first_line(error: psycopg.Error) -> str:
    """What an error says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
