"""Common Crawl on loopback: a list of crawls, an index for each in numbered pages, and ranges of WARC files."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from archive_quirks import Asked, Told, quirk, quirky
from repository_calls import asked, last_miss, rows
from serve_calls import archive_of, page

from webkeep.model import Moment
from webkeep.recover.repositories import (
    FetchedVersion,
    ListingPage,
    MissReason,
    Repository,
    RepositoryMiss,
    TimePeriod,
    VersionFidelity,
)
from webkeep.store.archive import Archive
from webkeep.store.index import cdx_line

SITE = "http://lost.example/"
CRAWLS = {
    "CC-MAIN-2022-05": [page(f"{SITE}new", "20220115120000", "<p>new"), page(SITE, "20220115120001", "<p>home 2022")],
    "CC-MAIN-2020-05": [page(SITE, "20200115120000", "<p>home 2020"), page(f"{SITE}old", "20200115120001", "<p>old")],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    files: dict[str, bytes] = {}
    indexes: dict[str, list[str]] = {}
    for name, exchanges in CRAWLS.items():
        path = archive_of(tmp_path_factory.mktemp("crawl") / name, *exchanges)
        warc = next((path / "warcs").iterdir())
        files[f"{name}.warc.gz"] = warc.read_bytes()
        with Archive(path) as archive:
            lines = [cdx_line(entry) for entry in archive.entries()]
        told = [{"urlkey": line.key, "timestamp": line.timestamp, **line.fields()} for line in lines]
        indexes[name] = [json.dumps(each | {"filename": f"{name}.warc.gz"}) for each in told]

    def common_crawl(asked: Asked) -> Told:
        if asked.corner == "collinfo.json":
            return Told(json.dumps([_crawl(asked.root, name) for name in CRAWLS]).encode())
        if asked.corner == "data":
            first, _, last = asked.headers["range"].removeprefix("bytes=").partition("-")
            return Told(files[asked.rest][int(first) : int(last) + 1], 206)
        lines = [each for each in indexes[asked.corner] if f'"url": "{asked.query["url"]}' in each]
        if asked.query["matchType"] == "exact":
            lines = [each for each in lines if f'"url": "{asked.query["url"]}"' in each]
        if not lines:
            return Told(b'{"message": "No Captures found"}', 404)
        if "showNumPages" in asked.query:
            return Told(json.dumps({"pages": len(lines), "pageSize": 1, "blocks": 1}).encode())
        return Told(lines[int(asked.query["page"])].encode() + b"\n")

    quirk("cc")(common_crawl)
    with quirky() as server:
        yield server.root


def _crawl(root: str, name: str) -> dict[str, str]:
    year = name[8:12]
    spans = {"from": f"{year}-01-10T00:00:00", "to": f"{year}-01-20T00:00:00"}
    return {"id": name, "name": name, "cdx-api": f"{root}/cc/{name}", **spans}


@pytest.fixture
def declarations(root: str, tmp_path: Path) -> Path:
    declared = tmp_path / "repositories.toml"
    declared.write_text(
        f'[common-crawl]\nkind = "common-crawl"\naliases = ["cc"]\nindex = "{root}/cc/collinfo.json"\n'
        f'records = "{root}/cc/data/{{filename}}"\npaging = "pages"\nlimits.index = {{}}\nlimits.playback = {{}}\n'
    )
    return declared


async def listed(repository: Repository, period: TimePeriod | None = None, resume: str = "") -> list[ListingPage]:
    return [batch async for batch in repository.list_site(SITE, period=period or TimePeriod(), resume=resume)]


def test_all_crawls_are_listed_the_newest_first(declarations: Path, tmp_path: Path) -> None:
    batches = asked(tmp_path, "cc", listed, declarations=declarations)
    assert [held.url for held in rows(batches)] == [SITE, f"{SITE}new", SITE, f"{SITE}old"]
    assert sum(batch.requests for batch in batches) == 1 + 2 * 3, "the list, and for each crawl a count and two pages"


def test_only_crawls_of_the_period_are_asked(declarations: Path, tmp_path: Path) -> None:
    early = TimePeriod(until=Moment.parse("2021"))
    batches = asked(tmp_path, "cc", lambda each: listed(each, early), declarations=declarations)
    assert [held.url for held in rows(batches)] == [SITE, f"{SITE}old"]
    assert sum(batch.requests for batch in batches) == 4


def test_a_listing_goes_on_in_the_crawl_it_stopped_in(declarations: Path, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> tuple[list[ListingPage], list[ListingPage]]:
        whole = await listed(repository)
        first = next(batch for batch in whole if batch.rows and batch.rows[0].url == f"{SITE}new")
        return whole, await listed(repository, resume=first.resume)

    whole, rest = asked(tmp_path, "cc", ask, declarations=declarations)
    assert rows(rest) == rows(whole)[2:]


def test_versions_are_records_as_they_were_written(declarations: Path, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> list[bytes]:
        found = []
        for held in rows(await listed(repository)):
            answer = await repository.fetch_version(held)
            assert isinstance(answer, FetchedVersion)
            assert answer.fidelity is VersionFidelity.ORIGINAL
            assert not answer.findings
            found.append(b"".join(answer.exchange.body.chunks()))
        return found

    bodies = asked(tmp_path, "cc", ask, declarations=declarations)
    assert bodies == [b"<p>home 2022", b"<p>new", b"<p>home 2020", b"<p>old"]


def test_the_nearest_crawl_is_asked_first(declarations: Path, tmp_path: Path) -> None:
    async def ask(repository: Repository) -> tuple[bytes, bytes, MissReason]:
        old = await repository.fetch_nearest(SITE, Moment.parse("2019"))
        new = await repository.fetch_nearest(SITE)
        never = await repository.fetch_nearest(f"{SITE}never")
        assert isinstance(old, FetchedVersion)
        assert isinstance(new, FetchedVersion)
        assert isinstance(never, RepositoryMiss)
        return b"".join(old.exchange.body.chunks()), b"".join(new.exchange.body.chunks()), never.reason

    answers = asked(tmp_path, "cc", ask, declarations=declarations)
    assert answers == (b"<p>home 2020", b"<p>home 2022", MissReason.NOT_HELD)


def test_a_list_of_crawls_that_is_none_is_told(root: str, tmp_path: Path) -> None:
    declared = tmp_path / "repositories.toml"
    declared.write_text(
        f'[common-crawl]\nkind = "common-crawl"\nindex = "{root}/timemap-html/collinfo.json"\nlimits.index = {{}}\n'
    )
    miss = last_miss(asked(tmp_path, "common-crawl", listed, declarations=declared))
    assert miss.reason is MissReason.TROUBLE
    assert "no list of crawls" in miss.detail
