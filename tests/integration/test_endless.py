"""Sites and archives that never come to an end: limits hold, and one Ctrl-C is enough."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import brotli
import pytest
from endless_server import EndlessServer
from hostile_archive import SITE, Told, home, hostile, memento, rows
from repository_calls import SHORT, asked, last_miss, rows as listed

from webkeep.recover.repositories import ListingPage, MissReason, Repository

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
TIMEMAP = b"HTTP/1.1 200 OK\r\nContent-Type: application/link-format\r\n\r\n"
LINKS = b'<http://127.0.0.1/web/20100101000000/http://lost.example/>; rel="memento"; ' + (
    b'datetime="Fri, 01 Jan 2010 00:00:00 GMT",\n'
)


@contextmanager
def started(*words: object) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "webkeep", *map(str, words), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def recovering(tmp_path: Path, address: str) -> list[object]:
    ledger = tmp_path / "ledger.sqlite"
    return ["recover", SITE, "--from", address, "--into", tmp_path / "back", "--ledger", ledger]


@pytest.mark.parametrize(
    ("piece", "sign"), [(b"", signal.SIGINT), (b"<p>on and on\n" * 1000, signal.SIGTERM)], ids=["silent", "flood"]
)
def test_one_sign_ends_a_capture_of_what_never_ends(tmp_path: Path, piece: bytes, sign: int) -> None:
    with EndlessServer(HTML, piece) as site, started("capture", site.url, "--into", tmp_path / "archive") as process:
        assert site.begun.wait(60)
        process.send_signal(sign)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["finished"] is False


def test_one_ctrl_c_ends_a_recovery_out_of_an_endless_timemap(tmp_path: Path) -> None:
    with EndlessServer(TIMEMAP, LINKS * 100) as archive:
        words = recovering(tmp_path, f"memento={archive.url}timemap/link/{{url}}")
        with started(*words) as process:
            assert archive.begun.wait(60)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["finished"] is False


def test_of_a_timemap_without_end_so_much_is_taken_and_told(tmp_path: Path) -> None:
    async def ask(repository: Repository) -> list[ListingPage]:
        return [page async for page in repository.list_versions(SITE)]

    taken = 1000 * len(LINKS)
    with EndlessServer(TIMEMAP, LINKS * 100) as archive:
        pages = asked(tmp_path, f"memento={archive.url}timemap/link/{{url}}", ask, replace(SHORT, timemap_bytes=taken))
    miss = last_miss(pages)
    assert miss.reason is MissReason.TROUBLE
    assert f"broke off after {len(listed(pages))} mementos of a TimeMap" in miss.detail
    assert 0 < len(listed(pages)) <= taken / len(LINKS)
    assert miss.retry_at is None, "it would be as long the next time"
    assert len(archive.asked) == 1


def test_of_a_version_without_end_so_much_is_taken_and_told(tmp_path: Path) -> None:
    long = memento(b"<p>of many words" * 100_000)
    with hostile(rows(SITE, SITE + "a"), lambda path: long if path.endswith("a") else home(path)) as (address, _):
        words = recovering(tmp_path, f"cdx={address} name=q")
        with started(*words, "--max-size", "1MB") as process:
            out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    told = json.loads(out.splitlines()[-1])
    assert (told["recovered"], told["truncated"]) == (2, 1)


def test_a_version_that_unpacks_without_end_is_cut_and_told(tmp_path: Path) -> None:
    bomb = brotli.compress(bytes(100 << 20), quality=1)
    coded = memento(bomb, Content_Encoding="br", X_Archive_Orig_Content_Type="text/html")

    def version(path: str) -> Told:
        return coded if path.endswith("a") else home(path)

    with (
        hostile(rows(SITE, SITE + "a"), version) as (address, _),
        started(*recovering(tmp_path, f"cdx={address} name=q")) as process,
    ):
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert json.loads(out.splitlines()[-1])["truncated"] == 1
    assert sum(path.stat().st_size for path in (tmp_path / "back").rglob("*") if path.is_file()) < 2 << 20
