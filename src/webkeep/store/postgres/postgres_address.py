"""The address of a PostgreSQL database: which ones are taken, and that no password stands in them for all to read; and
connections by which both sides notice within a minute that the other's machine is gone.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from webkeep.errors import UsageError

_CONNECT_SECONDS = 10
"""So long a server may take to answer that is asked for a connection."""
_QUIET_SECONDS, _PROBE_SECONDS, _PROBES = 20, 5, 4
"""After so long without a word the other side is probed, so often, and taken for gone where it never answers."""
_SERVER_SETTINGS = (
    f"SET tcp_keepalives_idle = {_QUIET_SECONDS}; SET tcp_keepalives_interval = {_PROBE_SECONDS}; "
    f"SET tcp_keepalives_count = {_PROBES}; SET idle_in_transaction_session_timeout = '60s'"
)
"""For the other way: nobody's locks outlast a machine that is gone, or that froze within a transaction."""
_UNANSWERED_MILLISECONDS = (_QUIET_SECONDS + _PROBE_SECONDS * _PROBES) * 1000
_SECRET_PARTS = ("password", "sslpassword")
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
    if any(parts.get(name) for name in _SECRET_PARTS):
        raise UsageError(
            "the address of the database has its password in it, which every user of this machine could read; "
            "put it into ~/.pgpass, a service file, or PGPASSWORD"
        )


def connect_to_database(address: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection whose locks the server gives to others within a minute where this machine is suddenly gone.

    Systems wait for two hours by themselves, for as long as which nobody could write, or ask a host.
    """
    said = conninfo_to_dict(address)
    ours: dict[str, str | int] = {
        "connect_timeout": _CONNECT_SECONDS,
        "keepalives_idle": _QUIET_SECONDS,
        "keepalives_interval": _PROBE_SECONDS,
        "keepalives_count": _PROBES,
        "tcp_user_timeout": _UNANSWERED_MILLISECONDS,
    }
    whole = make_conninfo(address, **{name: value for name, value in ours.items() if name not in said})
    connection = psycopg.connect(whole, autocommit=True)
    try:
        connection.execute(_SERVER_SETTINGS)
    except BaseException:
        connection.close()
        raise
    return connection


def first_line(error: psycopg.Error) -> str:
    """What an error says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
