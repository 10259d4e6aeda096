"""A PostgreSQL cluster of a test's own: Debian's programs, a folder below /tmp, a Unix socket and no port.

The server refuses to run as root: tests that do, have it run as the account that its package made.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ACCOUNT = "postgres"
_SETTINGS = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "listen_addresses=", "max_connections=20")


def _programs() -> Path:
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))


def _run(*command: object, **options: object) -> None:
    account = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []} if os.getuid() == 0 else {}
    words = [str(each) for each in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd="/", **account, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr


@contextmanager
def cluster_folder(password: str = "") -> Iterator[Path]:
    """A folder that the server's account may use, with a cluster in it that nobody has used yet.

    Its only user is `library`, who is let in by the password where there is one.
    """
    folder = Path(tempfile.mkdtemp(prefix="webkeep-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, ACCOUNT, ACCOUNT)
        folder.chmod(0o755)
        way = ("-A", "trust")
        if password:
            (folder / "password").write_text(password)
            way = ("-A", "scram-sha-256", "--pwfile", str(folder / "password"))
        user = "library"
        _run(_programs() / "initdb", "-D", folder / "fresh", "-U", user, *way, "-E", "UTF8", "--no-sync")
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_cluster(folder: Path, name: str) -> Iterator[str]:
    """A server on a copy of the unused cluster, until it is left or stopped; yields the address of its databases."""
    data = folder / name
    _run("cp", "-a", folder / "fresh", data)
    start_server(data)
    try:
        yield f"postgresql:///library?host={data}&user=library"
    finally:
        stop_server(data)
        shutil.rmtree(data)


def start_server(data: Path) -> None:
    """Have a server run on its folder."""
    options = [word for each in _SETTINGS for word in ("-c", each)]
    started = " ".join([*options, "-k", str(data)])
    _run(_programs() / "pg_ctl", "-D", data, "-w", "-o", started, "-l", data / "log", "start")


def stop_server(data: Path) -> None:
    """Have a server end as if its machine had."""
    _run(_programs() / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")


def new_database(cluster: str, owner: str) -> str:
    """The address of a new database, for whoever has this name."""
    name = f"t{abs(hash(owner))}"
    run_sql(cluster.replace(":///library?", ":///postgres?"), f"CREATE DATABASE {name}")
    return cluster.replace(":///library?", f":///{name}?")


def run_sql(address: str, script: str, variables: Mapping[str, str] | None = None) -> None:
    """Run a script against a database."""
    settings = [word for name, value in (variables or {}).items() for word in ("-v", f"{name}={value}")]
    command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *settings, address]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def create_database(address: str) -> None:
    """Make the database of an address."""
    run_sql(address.replace(":///library?", ":///postgres?"), "CREATE DATABASE library")


def query_sql(address: str, query: str) -> list[str]:
    """The lines that a query gives."""
    done = subprocess.run(["psql", "-X", "-q", "-A", "-t", address], input=query, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
