"""A PostgreSQL server of a bench's own: Debian's programs, a folder below /tmp, a Unix socket and no port."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

ACCOUNT = "postgres"
"""The server refuses to run as root."""
_SETTINGS = ("shared_buffers=128MB", "listen_addresses=", "max_connections=60")


class PostgresServer:
    """A server that can be stopped as if its machine had, and started again."""

    def __init__(self, folder: Path, copied_from: PostgresServer | None = None) -> None:
        """An empty one, or one that follows another and can take its place."""
        self.data, self.folder = folder / "data", folder
        if copied_from is None:
            self._run("initdb", "-D", self.data, "-U", "bench", "-A", "trust", "-E", "UTF8")
        else:
            words = ("-h", copied_from.folder, "-U", "bench", "-R", "-X", "stream", "-c", "fast")
            self._run("pg_basebackup", "-D", self.data, *words)
        self.start()
        if copied_from is None:
            self._run("createdb", "-h", self.folder, "-U", "bench", "bench")

    @property
    def address(self) -> str:
        """The address of its one database."""
        return f"postgresql:///bench?host={self.folder}&user=bench"

    @property
    def socket(self) -> str:
        """The socket at which it listens."""
        return f"{self.folder}/.s.PGSQL.5432"

    @property
    def pid(self) -> int:
        """The process that all others of it are children of."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Have it run."""
        options = " ".join([*(word for each in _SETTINGS for word in ("-c", each)), "-k", str(self.folder)])
        self._run("pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.data / "log", "start")

    def stop(self, way: str = "immediate") -> None:
        """Have it end at once, with whatever is not on its disk; or `fast`, in good order."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", way, "stop")

    def kill(self) -> None:
        """Kill all its processes, which leave everything as it lies."""
        if not (self.data / "postmaster.pid").exists():
            return
        os.kill(self.pid, signal.SIGSTOP)  # so that there are no more
        processes = self.processes()
        for pid in processes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in processes:
            _wait_for_end(pid)
        # Their numbers are known as long as nobody has asked how they ended, and would be taken for a server's.
        for name in ("data/postmaster.pid", ".s.PGSQL.5432.lock"):
            (self.folder / name).unlink(missing_ok=True)

    def processes(self) -> list[int]:
        """All its processes, the first of all first."""
        first = self.pid
        children = [path.read_text().split() for path in Path(f"/proc/{first}/task").glob("*/children")]
        return [first, *(int(pid) for each in children for pid in each)]

    def promote(self) -> None:
        """Have one that followed another take its place."""
        self._run("pg_ctl", "-D", self.data, "-w", "promote")

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """Rows of a query, or nothing of a command."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *words: object) -> None:
        programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))
        command = [str(programs / program), *map(str, words)]
        account = ACCOUNT if os.getuid() == 0 else None
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=account, group=account)


def _wait_for_end(pid: int) -> None:
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        select.select([watched], [], [], 30)
    finally:
        os.close(watched)


@contextmanager
def postgres_folder() -> Iterator[Path]:
    """A folder that the account of servers may write into, while the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="webkeep-bench-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, ACCOUNT, ACCOUNT)
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server while the block lasts."""
    with postgres_folder() as folder:
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            server.stop()
