"""Dumps of databases, made into files: SQLite by itself, PostgreSQL by `pg_dump`, MySQL by `mysqldump`, whatever else
by a command; such that data which stood still gives the same bytes twice, wherever the tools can do that.

Each is of one moment, that of its beginning: SQLite and both tools read in one transaction. Of a command nobody knows.
Passwords stand on no command line, where others could see them, and in no message.
"""

from __future__ import annotations

import enum
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, BinaryIO
from urllib.parse import parse_qs, quote, unquote, urlsplit, urlunsplit

from webkeep.errors import UsageError
from webkeep.model import CHUNK_BYTES

_MAX_DUMP_SECONDS = 6 * 3600.0
"""A dump that takes longer has come to a standstill: a terabyte takes about that."""
_MAX_DUMP_BYTES = 1 << 40
"""A dump that goes on beyond that is broken off: no machine that this runs on has room for more."""
_MAX_REASON_BYTES = 300
"""Of what a tool says when it fails, which ends in the reason."""
_RESTRICT_KEY = "webkeep"
"""In place of the key of chance that newer versions of `pg_dump` write into every dump."""

_SOCKET_NAMES = ("socket", "unix_socket")
"""Of the parameter of a MySQL address that names a socket; programs have either."""


class DumpKind(enum.StrEnum):
    """Whose dump it is, which tells how it is made and how it is loaded again."""

    COMMAND = "command"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    SQLITE = "sqlite"


DUMP_MEDIA_TYPES = {
    DumpKind.COMMAND: "application/octet-stream",
    DumpKind.POSTGRESQL: "application/sql",
    DumpKind.MYSQL: "application/sql",
    DumpKind.SQLITE: "application/vnd.sqlite3",
}
DUMP_SUFFIXES = {
    DumpKind.COMMAND: "",
    DumpKind.POSTGRESQL: ".sql",
    DumpKind.MYSQL: ".sql",
    DumpKind.SQLITE: ".sqlite",
}
"""How files of dumps are called behind the name of their database."""


def write_dump(kind: DumpKind, what: str, name: str, target: Path) -> None:
    """Dump a database (its address, name or file; or a command) into a new file.

    `name` is what it is called in messages; a UsageError says what to check.
    """
    match kind:
        case DumpKind.SQLITE:
            _dump_sqlite(name, Path(what), target)
        case DumpKind.POSTGRESQL:
            _dump_postgresql(name, what, target)
        case DumpKind.MYSQL:
            _dump_mysql(name, what, target)
        case DumpKind.COMMAND:
            _run_tool(name, ["/bin/sh", "-c", what], {}, target)


def _dump_sqlite(name: str, path: Path, target: Path) -> None:
    """Copy a database without what was deleted from it, while others may write to it."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=60)) as database:
            database.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.Error as error:
        raise UsageError(f"the dump {name} failed ({error}); check that {path} is a SQLite database") from error


def _dump_postgresql(name: str, what: str, target: Path) -> None:
    tool = _find_tool(name, "pg_dump")
    address, password = _without_password(what) if "://" in what else (what, "")
    # Whoever loads it has other roles.
    options = ["--format=plain", "--no-password", "--no-owner", "--no-privileges"]
    if "--restrict-key" in _help_of(tool):
        options.append(f"--restrict-key={_RESTRICT_KEY}")
    _run_tool(name, [tool, *options, f"--dbname={address}"], {"PGPASSWORD": password} if password else {}, target)


def _dump_mysql(name: str, what: str, target: Path) -> None:
    tool = _find_tool(name, "mysqldump", "mariadb-dump")
    parts = urlsplit(what if "://" in what else f"mysql:///{quote(what)}")
    asked = parse_qs(parts.query)
    given = {
        "host": parts.hostname,
        "port": parts.port,
        "user": parts.username and unquote(parts.username),
        "socket": next((asked[each][0] for each in _SOCKET_NAMES if each in asked), None),
    }
    options = [f"--{option}={value}" for option, value in given.items() if value]
    # Everything that belongs to the database, in an encoding that has every character, whoever may load it.
    lasting = ["--single-transaction", "--skip-dump-date", "--routines", "--triggers", "--events", "--hex-blob",
               "--no-tablespaces", "--default-character-set=utf8mb4"]  # fmt: skip
    if "--set-gtid-purged" in _help_of(tool):
        lasting.append("--set-gtid-purged=OFF")
    password = unquote(parts.password or "")
    call = [tool, *options, *lasting, "--", unquote(parts.path.lstrip("/"))]
    _run_tool(name, call, {"MYSQL_PWD": password} if password else {}, target)


def _help_of(tool: str) -> str:
    """What a tool says of its options, which are not the same in all versions."""
    return subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60, check=False).stdout


def _find_tool(name: str, *programs: str) -> str:
    found = next((path for program in programs if (path := shutil.which(program))), None)
    if found is None:
        raise UsageError(f"the dump {name} needs {programs[0]}, which is not here; install it, or give a command")
    return found


def _without_password(url: str) -> tuple[str, str]:
    """A URL that may stand on a command line, which others can see, and the password that stood in it."""
    parts = urlsplit(url)
    login, _, place = parts.netloc.rpartition("@")
    user, colon, password = login.partition(":")
    return (urlunsplit(parts._replace(netloc=f"{user}@{place}")), unquote(password)) if colon else (url, "")


def _run_tool(name: str, call: Sequence[str], secrets: dict[str, str], target: Path) -> None:
    """Have a tool write a dump; what it says is told if it fails."""
    with target.open("xb") as file, tempfile.TemporaryFile(dir=target.parent) as words:
        environment = {**os.environ, **secrets}
        try:
            process = subprocess.Popen(
                call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=words, env=environment
            )
        except OSError as error:
            raise UsageError(f"the dump {name} cannot be begun ({error.strerror}); check how it is given") from error
        overtime = threading.Timer(_MAX_DUMP_SECONDS, process.kill)
        overtime.start()
        try:
            with process:
                is_whole = _copy_output(process, file)
        finally:
            has_time = overtime.is_alive()
            overtime.cancel()
        if not (is_whole and has_time):
            raise UsageError(f"the dump {name} came to no end; try by hand how it is made")
        if process.returncode:
            said = _last_words(words) or "it said nothing"
            raise UsageError(f"the dump {name} failed with status {process.returncode} ({said}); check how it is given")
    if not target.stat().st_size:
        raise UsageError(
            f"the dump {name} is empty, though nothing was said to have failed; try by hand how it is made"
        )


def _copy_output(process: subprocess.Popen[bytes], target: BinaryIO) -> bool:
    """Keep what a tool prints; gives whether that came to an end."""
    size, stream = 0, process.stdout
    while stream is not None and (chunk := stream.read(CHUNK_BYTES)):
        size += len(chunk)
        if size > _MAX_DUMP_BYTES:
            process.kill()
            return False
        target.write(chunk)
    return True


def _last_words(stream: IO[bytes]) -> str:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _MAX_REASON_BYTES))
    return " ".join(stream.read().decode("utf-8", "replace").split())
