"""Dumps of databases, made into files: SQLite by itself, PostgreSQL by `pg_dump`, MySQL by `mysqldump`, whatever else
by a command; such that data which stood still gives the same bytes twice, wherever the tools can do that.

Each is of one moment, that of its beginning: SQLite and both tools read in one transaction. Of a command nobody knows.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from webkeep.crawl.plan.site_sources import DumpSource
from webkeep.errors import UsageError

SQLITE_TYPE = "application/vnd.sqlite3"
SQL_TYPE = "application/sql"
UNKNOWN_TYPE = "application/octet-stream"

_MAX_DUMP_SECONDS = 6 * 3600.0
"""A dump that takes longer has come to a standstill: a terabyte takes about that."""
_MAX_REASON_BYTES = 300
"""Of what a tool says when it fails, which ends in the reason."""
_RESTRICT_KEY = "webkeep"
"""In place of the key of chance that newer versions of `pg_dump` write into every dump."""


def write_dump(source: DumpSource, target: Path) -> str:
    """Dump a database into a new file; gives its media type, or raises UsageError that says what to check."""
    what = source.text
    if what.startswith("sqlite:"):
        _dump_sqlite(source, Path(what.removeprefix("sqlite:")), target)
        return SQLITE_TYPE
    if what.startswith(("postgresql://", "postgres://")):
        _dump_postgresql(source, target)
        return SQL_TYPE
    if what.startswith(("mysql://", "mariadb://")):
        _dump_mysql(source, target)
        return SQL_TYPE
    _run_tool(source, ["/bin/sh", "-c", what], {}, target)
    return UNKNOWN_TYPE


def _dump_sqlite(source: DumpSource, path: Path, target: Path) -> None:
    """Copy a database without what was deleted from it, while others may write to it."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=60)) as database:
            database.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.Error as error:
        raise UsageError(f"the dump {source.name} failed ({error}); check that {path} is a SQLite database") from error


def _dump_postgresql(source: DumpSource, target: Path) -> None:
    tool = _find_tool(source, "pg_dump")
    url, password = _without_password(source.text)
    options = ["--format=plain", "--no-password"]
    known = subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60, check=False).stdout
    if "--restrict-key" in known:
        options.append(f"--restrict-key={_RESTRICT_KEY}")
    _run_tool(source, [tool, *options, f"--dbname={url}"], {"PGPASSWORD": password} if password else {}, target)


def _dump_mysql(source: DumpSource, target: Path) -> None:
    tool = _find_tool(source, "mysqldump", "mariadb-dump")
    parts = urlsplit(source.text)
    given = {"host": parts.hostname, "port": parts.port, "user": parts.username and unquote(parts.username)}
    options = [f"--{name}={value}" for name, value in given.items() if value]
    lasting = ["--single-transaction", "--skip-dump-date", "--routines", "--triggers"]
    password = unquote(parts.password or "")
    call = [tool, *options, *lasting, unquote(parts.path.lstrip("/"))]
    _run_tool(source, call, {"MYSQL_PWD": password} if password else {}, target)


def _find_tool(source: DumpSource, *names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        raise UsageError(f"the dump {source.name} needs {names[0]}, which is not here; install it, or give a command")
    return found


def _without_password(url: str) -> tuple[str, str]:
    """A URL that may stand on a command line, which others can see, and the password that stood in it."""
    parts = urlsplit(url)
    name, at, place = parts.netloc.rpartition("@")
    user, _, password = name.partition(":")
    return urlunsplit(parts._replace(netloc=f"{user}{at}{place}")), unquote(password)


def _run_tool(source: DumpSource, call: Sequence[str], secrets: dict[str, str], target: Path) -> None:
    """Have a tool write a dump; what it says is told if it fails."""
    with target.open("xb") as stream, tempfile.TemporaryFile(dir=target.parent) as words:
        try:
            status = subprocess.run(
                call,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=words,
                env={**os.environ, **secrets},
                timeout=_MAX_DUMP_SECONDS,
                check=False,
            ).returncode
        except OSError as error:
            raise UsageError(f"the dump {source.name} cannot be begun ({error.strerror}); check --dump") from error
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"the dump {source.name} came to no end; check --dump by hand") from error
        if status:
            said = _last_words(words) or "it said nothing"
            raise UsageError(f"the dump {source.name} failed with status {status} ({said}); check --dump")


def _last_words(stream: IO[bytes]) -> str:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _MAX_REASON_BYTES))
    return " ".join(stream.read().decode("utf-8", "replace").split())
