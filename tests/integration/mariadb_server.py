"""A MariaDB server of a test's own: Debian's programs, a folder below /tmp, a Unix socket and a port on loopback."""

import getpass
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SETTINGS = (
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=16M",
    "--innodb-log-file-size=4M",
    "--skip-log-bin",
    "--bind-address=127.0.0.1",
    "--character-set-server=utf8mb4",
)


@dataclass(frozen=True, slots=True)
class MariadbServer:
    """A server under way."""

    socket: Path
    port: int

    def run_sql(self, script: str, database: str = "") -> str:
        """Run a script as the server's owner; gives what it prints."""
        command = [
            "mariadb",
            "--no-defaults",
            f"--socket={self.socket}",
            "--user=root",
            "--batch",
            "--skip-column-names",
        ]
        words = [*command, "--default-character-set=utf8mb4", *([database] if database else [])]
        done = subprocess.run(words, input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def running_mariadb() -> Iterator[MariadbServer]:
    """A server with nothing in it, until it is left."""
    folder = Path(tempfile.mkdtemp(prefix="webkeep-mariadb-"))
    try:
        account = f"--user={getpass.getuser()}"
        data = f"--datadir={folder / 'data'}"
        made = subprocess.run(
            ["mariadb-install-db", "--no-defaults", account, data, "--auth-root-authentication-method=normal",
             "--skip-test-db", "--innodb-log-file-size=4M"],
            capture_output=True, text=True,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        place = folder / "socket"
        command = ["mariadbd", "--no-defaults", account, data, *_SETTINGS, f"--socket={place}", f"--port={port}",
                   f"--pid-file={folder / 'pid'}"]  # fmt: skip
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                said = list(_lines_up_to(process.stderr, "ready for connections"))
                assert "ready for connections" in said[-1], "".join(said)
                yield MariadbServer(place, port)
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder)


def _lines_up_to(lines: Iterable[str], words: str) -> Iterator[str]:
    """Lines up to the first that has these words in it."""
    for line in lines:
        yield line
        if words in line:
            return
