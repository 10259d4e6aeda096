"""A digital library is lost with its server, its application and its database, and comes back out of its own pages.

The library has as many pages as the one of the published experiment, made by an application out of a PostgreSQL
database. Three archives of three programs hold 60 % of its pages between them.
"""

import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from capture_calls import capture
from postgres_cluster import cluster_folder, create_database, run_sql, running_cluster
from warc_material import webkeep

PYWB = Path(__file__).parents[2] / ".peers/pywb/bin"
MONARCH = Path(__file__).parent / "monarch"
PAPERS, SUBJECTS, AUTHORS = 100, 12, 10
PATHS = [
    "/",
    *(f"/paper/{number}" for number in range(1, PAPERS + 1)),
    *(f"/subject/{number}" for number in range(1, SUBJECTS + 1)),
    *(f"/author/{number}" for number in range(1, AUTHORS + 1)),
]
HELD_SHARE = 0.6
WORDS = [
    "archive",
    "cache",
    "crawl",
    "digest",
    "index",
    "memento",
    "page",
    "preservation",
    "recovery",
    "repository",
    "resource",
    "site",
    "web",
]


def library_script() -> str:
    """The database as a script, with texts that do not compress to nothing."""
    chance = random.Random(5)
    lines = [
        "CREATE TABLE subjects (id int PRIMARY KEY, name text NOT NULL);",
        "CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);",
        "CREATE TABLE papers (id int PRIMARY KEY, title text NOT NULL, abstract text NOT NULL, "
        "subject int REFERENCES subjects, author int REFERENCES authors);",
    ]
    for table, count in (("subjects", SUBJECTS), ("authors", AUTHORS)):
        lines += [f"INSERT INTO {table} VALUES ({at}, '{table} {at} & “{at}”');" for at in range(1, count + 1)]
    for at in range(1, PAPERS + 1):
        abstract = " ".join(f"{chance.choice(WORDS)}{chance.randrange(10**6)}" for _ in range(60))
        lines.append(
            f"INSERT INTO papers VALUES ({at}, 'Paper {at}: {chance.choice(WORDS)}', '{abstract}', "
            f"{at % SUBJECTS + 1}, {at % AUTHORS + 1});"
        )
    return "\n".join(lines)


def write_application(folder: Path, database: str) -> Path:
    """The application as it is installed."""
    shutil.copytree(MONARCH, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "settings.ini").write_text(f"[library]\ntitle = Monarch\ndatabase = {database.replace('%', '%%')}\n")
    return folder


@contextmanager
def serving(application: Path, *vault: Path) -> Iterator[str]:
    """The application in a process of its own."""
    command = [sys.executable, application / "app.py", application / "settings.ini", *vault]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()
            process.wait(30)


def read_pages(root: str) -> dict[str, bytes]:
    return {path: urlopen(f"{root}{path}", timeout=60).read() for path in PATHS}


def record_by_pywb(folder: Path, root: str, paths: list[str]) -> Path:
    """Pages as pywb records them; its folder of WARC files."""
    folder.mkdir()
    subprocess.run([PYWB / "wb-manager", "init", "library"], cwd=folder, check=True, capture_output=True, timeout=120)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PYWB / "wayback", "--live", "--record", "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            for path in paths:
                urlopen(f"http://127.0.0.1:{port}/library/record/mp_/{root}{path}", timeout=60).read()
        finally:
            process.terminate()
            process.wait(30)
    return folder / "collections" / "library" / "archive"


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("pywb did not start")


def record_by_wget(folder: Path, root: str, paths: list[str]) -> Path:
    """Pages as wget records them: one WARC file."""
    folder.mkdir()
    urls = [f"{root}{path}" for path in paths]
    command = ["wget", "-q", "-O", "/dev/null", f"--warc-file={folder / 'pages'}", *urls]
    subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder)
    return folder / "pages.warc.gz"


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    (tmp_path / "passphrase").write_text("monarchs fly south\n")
    return tmp_path / "passphrase"


def test_a_lost_library_serves_the_same_pages_again(tmp_path: Path, passphrase: Path) -> None:
    server, kept = tmp_path / "server", tmp_path / "kept"
    kept.mkdir()
    with cluster_folder() as clusters:
        with running_cluster(clusters, "first") as database:
            create_database(database)
            run_sql(database, library_script())
            before, sources = live_and_be_archived(server, kept, database, passphrase)
            database_address = database
        shutil.rmtree(server)  # and the cluster is gone with its folder
        done = webkeep("vault", "recover", *sources, "--into", tmp_path / "back", "--passphrase-file", passphrase)
        assert done.code == 0 and done.summary["whole"], done.err
        with running_cluster(clusters, "second") as database:
            create_database(database)
            (dump,) = (tmp_path / "back" / "library").iterdir()
            run_sql(database, dump.read_text())
            settings = tmp_path / "back" / "app" / "settings.ini"
            settings.write_text(settings.read_text().replace(database_address, database))
            with serving(tmp_path / "back" / "app") as root:
                assert read_pages(root) == before


def live_and_be_archived(
    server: Path, kept: Path, database: str, passphrase: Path
) -> tuple[dict[str, bytes], list[Path]]:
    """The library is served, planned for, protected, and captured in parts; its pages, and who holds some of them."""
    application = write_application(server / "app", database)
    plan, vault = server / "plan.json", server / "vault"
    named = ("--component", application, "--postgresql", f"library={database}")
    with serving(application) as root:
        before = read_pages(root)
        assert capture(server / "whole", f"{root}/", "--scope", "host", "--delay", "0").code == 0
        planned = webkeep("vault", "plan", "--captured", server / "whole", "--site", root, *named, "--coverage",
                          f"{HELD_SHARE}", "--out", plan)  # fmt: skip
        assert planned.summary["reached"] and planned.summary["pages"] == len(PATHS)
    done = webkeep("vault", "protect", vault, *named, "--plan", plan, "--passphrase-file", passphrase)
    assert done.code == 0, done.err
    shuffled = random.Random(1).sample(PATHS, round(HELD_SHARE * len(PATHS)))
    with serving(application, vault) as root:
        ours = [f"{root}{path}" for path in shuffled[:30]]
        assert capture(kept / "archive", *ours, "--scope", "page", "--delay", "0").code == 0
        pywb = record_by_pywb(kept / "pywb", root, shuffled[30:55])
        wget = record_by_wget(kept / "wget", root, shuffled[55:])
        health = webkeep("vault", "health", vault, "--site", root, "--from", kept / "archive", "--from", pywb,
                         "--from", wget)  # fmt: skip
    assert health.summary["recoverable"], health.out
    assert health.summary["pages"]["current"] == len(shuffled)
    return before, [kept / "archive", pywb, wget]
