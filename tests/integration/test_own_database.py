"""A site's PostgreSQL database beside its pages: a real server, dumped by its own program."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import capture
from small_site import Page, SmallSite

from webkeep.formats import DUMP_PREFIX
from webkeep.store.archive import Archive

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"))
PASSWORD = "tidal-5ecret"


def as_owner(*words: object) -> None:
    """Run a program of the server, which does not run as root."""
    before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    done = subprocess.run([*before, *map(str, words)], capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on a Unix socket with one database; gives the URL of that."""
    folder = Path("/tmp") / f"webkeep-pg-{os.getpid()}"  # within what a socket's address has room for
    folder.mkdir(mode=0o755)
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        cluster = folder / "cluster"
        as_owner(PROGRAMS / "initdb", "-D", cluster, "-U", "keeper", "-A", "scram-sha-256", "--pwfile", secret, "-N")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        as_owner(PROGRAMS / "pg_ctl", "-D", cluster, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            url = f"postgresql://keeper:{PASSWORD}@/postgres?host={folder}"
            run_statement(url, "CREATE TABLE item (name text); INSERT INTO item VALUES ('kettle — blue')")
            yield url
        finally:
            as_owner(PROGRAMS / "pg_ctl", "-D", cluster, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def run_statement(url: str, statement: str) -> None:
    subprocess.run([PROGRAMS / "psql", url, "-v", "ON_ERROR_STOP=1", "-qc", statement], check=True)


def test_a_database_that_stood_still_is_dumped_twice_to_the_same_bytes(database: str, tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<p>kettle", "text/html")}) as site:
        done = capture(tmp_path / "archive", site.url(), "--dump", f"shop={database}")
    assert done.code == 0, done.err
    (told,) = done.summary["data"]
    assert (told["name"], told["unchanged"]) == ("shop", True)
    with Archive(tmp_path / "archive") as archive:
        dumps = [seen for seen in archive.observations() if seen.url.startswith(DUMP_PREFIX)]
        assert [(seen.record_type, seen.media_type) for seen in dumps] == [
            ("resource", "application/sql"),
            ("revisit", "application/sql"),
        ]
        text = archive.read(dumps[0]).read().decode()
    assert "kettle — blue" in text
    written = b"".join(each.read_bytes() for each in (tmp_path / "archive").rglob("*") if each.is_file())
    assert PASSWORD.encode() not in written


def test_a_database_that_cannot_be_had_is_told_without_its_password(database: str, tmp_path: Path) -> None:
    wrong = database.replace("/postgres?", "/nothing?")
    done = capture(tmp_path / "archive", "http://127.0.0.1:9/", "--dump", f"shop={wrong}")
    assert done.code == 2
    assert 'database "nothing" does not exist' in done.err
    assert PASSWORD not in done.err
