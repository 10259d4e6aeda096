"""One collection behind every kind of repository: all tell the same holdings and give the same bytes."""

import gzip
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from archive_quirks import Asked, Told, quirk, quirky
from repository_calls import asked
from serve_calls import archive_of, page, served

from webkeep.cli.main import main
from webkeep.formats.http import parse_response
from webkeep.model import Exchange, Moment
from webkeep.recover.repositories import (
    FetchedVersion,
    ListedVersion,
    MissReason,
    Repository,
    RepositoryMiss,
    TimePeriod,
    VersionFidelity,
)
from webkeep.recover.repositories.spooled_body import decode_content
from webkeep.store.archive import Archive
from webkeep.store.index import cdx_line
from webkeep.url import UrlMatch

ROOT = Path(__file__).parents[2]
PYWB = ROOT / ".peers/pywb/bin"
SITE = "http://lost.example/"
PICTURE = bytes(range(256)) * 20

EXCHANGES = (
    page(
        SITE,
        "20200101120000",
        "<p>home <a href='/a?x=1'>a</a>",
        head="Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n",
    ),
    page(SITE, "20210101120000", "<p>home two"),
    page(f"{SITE}a?x=1", "20200101120001", gzip.compress(b"<p>zipped", mtime=0), head="Content-Encoding: gzip\r\n"),
    page(f"{SITE}old", "20200101120002", b"", status="302 Found", head="Location: /new\r\n"),
    page(f"{SITE}gone", "20200101120002", b"nope", status="404 Not Found"),
    page(f"{SITE}dir/", "20200101120002", b"directory"),
    page(f"{SITE}dir/x", "20200101120002", b"in it"),
    page(f"{SITE}dirx", "20200101120002", b"beside it"),
    page(f"{SITE}chunks", "20200101120003", b"5\r\nhello\r\n0\r\n\r\n", head="Transfer-Encoding: chunked\r\n"),
    page(f"{SITE}copy", "20200101120003", "<p>home <a href='/a?x=1'>a</a>"),
    page(f"{SITE}picture.png", "20200101120004", PICTURE, kind="image/png"),
)


def decoded(exchange: Exchange) -> bytes:
    return b"".join(decode_content(parse_response(exchange.response).headers, exchange.body))


TRUTH = {(each.url, each.moment): (parse_response(each.response).status, decoded(each)) for each in EXCHANGES}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_of(tmp_path_factory.mktemp("holdings") / "archive", *EXCHANGES)


@pytest.fixture(scope="module")
def webkeep_root(archive: Path) -> Iterator[str]:
    with served(archive) as client:
        yield client.root


@pytest.fixture(scope="module")
def pywb_root(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _pywb(tmp_path_factory.mktemp("pywb"), sorted((archive / "warcs").iterdir())) as port:
        yield f"http://localhost:{port}/lost"


@contextmanager
def _pywb(folder: Path, warcs: list[Path]) -> Iterator[int]:
    for words in (["init", "lost"], ["add", "lost", *map(str, warcs)]):
        subprocess.run([PYWB / "wb-manager", *words], cwd=folder, check=True, capture_output=True, timeout=60)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(PYWB / "wayback"), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                with socket.socket() as probe:
                    if not probe.connect_ex(("127.0.0.1", port)):
                        break
            yield port
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="module")
def record_files(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same collection as a WARC file, a WACZ file, and WARC files with their CDXJ."""
    folder = tmp_path_factory.mktemp("files")
    assert main(["export", str(archive), "--warc", str(folder / "all.warc.gz")]) == 0
    assert main(["export", str(archive), "--wacz", str(folder / "all.wacz")]) == 0
    (folder / "beside").mkdir()
    warc = next((archive / "warcs").iterdir())
    (folder / "beside" / warc.name).write_bytes(warc.read_bytes())
    with Archive(archive) as opened:
        lines = [str(cdx_line(entry)) for entry in opened.entries()]
    (folder / "beside" / "index.cdxj").write_text("".join(f"{line}\n" for line in lines))
    return folder


KINDS = ["archive", "warc", "wacz", "cdxj", "webkeep-cdx", "webkeep-memento", "pywb-cdx", "pywb-memento", "ranges"]


@pytest.fixture(params=KINDS)
def named(request: pytest.FixtureRequest, archive: Path) -> str:
    """How the collection is named as one of the kinds."""
    value: Callable[[str], str] = request.getfixturevalue
    match request.param:
        case "archive":
            return f"archive={archive}"
        case "warc":
            return f"warc={value('record_files')}/all.warc.gz"
        case "wacz":
            return f"{value('record_files')}/all.wacz"
        case "cdxj":
            return f"cdxj={value('record_files')}/beside/index.cdxj"
        case "webkeep-cdx":
            return f"cdx={value('webkeep_root')}/cdx"
        case "webkeep-memento":
            return f"memento={value('webkeep_root')}"
        case "pywb-cdx":
            return f"cdx={value('pywb_root')}/cdx"
        case "pywb-memento":
            return f"memento={value('pywb_root')}"
        case _:
            files = f"{value('record_server')}/ranges/files/{{filename}}"
            return f"cdx={value('webkeep_root')}/cdx records={files}"


@pytest.fixture(scope="module")
def record_server(archive: Path) -> Iterator[str]:
    """WARC files on a server that gives ranges of them."""
    files = {path.name: path.read_bytes() for path in (archive / "warcs").iterdir()}

    def ranged(asked: Asked) -> Told:
        data = files.get(asked.rest)
        if data is None:
            return Told(b"no such file", 404)
        first, _, last = asked.headers["range"].removeprefix("bytes=").partition("-")
        part = data[int(first) : int(last) + 1]
        return Told(part, 206, {"Content-Range": f"bytes {first}-{last}/{len(data)}"})

    quirk("ranges")(ranged)
    with quirky() as server:
        yield server.root


async def held_by(repository: Repository) -> list[ListedVersion]:
    """All that a repository holds: as it lists it, or by the versions of each URL."""
    if repository.traits.lists:
        return [held async for batch in repository.list_site(SITE) for held in batch.rows]
    urls = dict.fromkeys(each.url for each in EXCHANGES)
    return [held for url in urls async for batch in repository.list_versions(url) for held in batch.rows]


def test_holdings_and_bytes_are_the_same_whoever_has_them(named: str, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> dict[tuple[str, Moment], tuple[int | None, bytes]]:
        found: dict[tuple[str, Moment], tuple[int | None, bytes]] = {}
        for held in await held_by(repository):
            answer = await repository.fetch_version(held)
            assert isinstance(answer, FetchedVersion), answer
            assert not answer.findings
            assert not answer.is_truncated
            status = parse_response(answer.exchange.response).status
            found[answer.exchange.url, answer.exchange.moment] = (status, decoded(answer.exchange))
        return found

    assert asked(tmp_path, named, ask) == TRUTH


def test_the_version_nearest_to_a_moment_and_the_newest(named: str, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> list[bytes]:
        early = await repository.fetch_nearest(SITE, Moment.parse("2019"))
        newest = await repository.fetch_nearest(SITE)
        assert isinstance(early, FetchedVersion)
        assert isinstance(newest, FetchedVersion)
        dated = await repository.newest_version(SITE)
        assert isinstance(dated, ListedVersion)
        assert dated.moment == Moment.parse("20210101120000")
        return [decoded(early.exchange), decoded(newest.exchange)]

    assert asked(tmp_path, named, ask) == [b"<p>home <a href='/a?x=1'>a</a>", b"<p>home two"]


def test_what_is_not_held_is_said_so(named: str, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> MissReason:
        answer = await repository.fetch_nearest(f"{SITE}never")
        assert isinstance(answer, RepositoryMiss)
        assert answer.requests == (0 if repository.traits.local else 1)
        return answer.reason

    assert asked(tmp_path, named, ask) is MissReason.NOT_HELD


def test_directories_and_periods(named: str, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> tuple[list[str], list[str]]:
        below = [held.url async for batch in repository.list_site(f"{SITE}dir/") for held in batch.rows]
        later = TimePeriod(since=Moment.parse("2020-06"))
        late = [held.url async for batch in repository.list_site(SITE, UrlMatch.PREFIX, later) for held in batch.rows]
        return below, late

    below, late = asked(tmp_path, named, ask)
    if named.startswith("memento="):
        assert (below, late) == ([], [])
    else:
        assert (below, late) == ([f"{SITE}dir/", f"{SITE}dir/x"], [SITE])


def test_what_comes_from_records_is_as_it_was_recorded(archive: Path, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> dict[str, tuple[bytes, bytes]]:
        found = {}
        for held in await held_by(repository):
            answer = await repository.fetch_version(held)
            assert isinstance(answer, FetchedVersion)
            assert answer.fidelity is VersionFidelity.ORIGINAL
            exchange = answer.exchange
            found[f"{exchange.url} {exchange.moment}"] = (exchange.response, b"".join(exchange.body.chunks()))
        return found

    truth = {f"{each.url} {each.moment}": (each.response, b"".join(each.body.chunks())) for each in EXCHANGES}
    assert asked(tmp_path, f"archive={archive}", ask) == truth


def test_what_lies_on_this_machine_needs_no_ledger(archive: Path, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> bool:
        return isinstance(await repository.fetch_nearest(SITE), FetchedVersion)

    assert asked(tmp_path, f"archive={archive}", ask)
    assert not (tmp_path / "requests.sqlite").exists()
