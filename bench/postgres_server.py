"""A PostgreSQL server of a bench's own: Debian's programs, a folder below /tmp, a Unix socket and no port."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_ACCOUNT = "postgres"
"""The server refuses to run as root."""
_SETTINGS = ("shared_buffers=128MB", "listen_addresses=", "max_connections=60")


class PostgresServer:
    """A server that can be stopped as if its machine had, and started again."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self._run("initdb", "-D", self.data, "-U", "bench", "-A", "trust", "-E", "UTF8")
        self.start()
        self._run("createdb", "-h", self.data, "-U", "bench", "bench")

    @property
    def address(self) -> str:
        """The address of its one database."""
        return f"postgresql:///bench?host={self.data}&user=bench"

    @property
    def pid(self) -> int:
        """The process that all others of it are children of."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Have it run."""
        options = " ".join([*(word for each in _SETTINGS for word in ("-c", each)), "-k", str(self.data)])
        self._run("pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.data / "log", "start")

    def stop(self) -> None:
        """Have it end at once, with whatever is not on its disk."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """Rows of a query, or nothing of a command."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *words: object) -> None:
        programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))
        command = [str(programs / program), *map(str, words)]
        account = _ACCOUNT if os.getuid() == 0 else None
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=account, group=account)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server while the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="webkeep-bench-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, _ACCOUNT, _ACCOUNT)
        folder.chmod(0o755)
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
