"""Adapters against archives that get things wrong: every quirk has one clear line, and nothing that came is lost."""

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from archive_quirks import SITE, URLS, VERSIONS, QuirkyServer, quirky
from fetcher_calls import TLS
from raw_server import RawServer
from repository_calls import SHORT, asked, findings, last_miss, rows

from fetch_settings import settings as usual_settings
from webkeep.fetch import FetchLimits
from webkeep.model import Moment
from webkeep.recover.repositories import (
    FetchedVersion,
    ListingPage,
    MissReason,
    Repository,
    RepositoryMiss,
    RepositoryTimeouts,
    VersionFidelity,
)
from webkeep.recover.repositories.cdx_repository import CdxRepository
from webkeep.recover.sources import RepositoryContext, open_repositories


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkyServer]:
    with quirky() as server:
        yield server


@pytest.fixture(scope="module")
def root(server: QuirkyServer) -> str:
    return server.root


@dataclass
class Bench:
    """Opens repositories with a ledger of the test's own."""

    root: str
    folder: Path
    timeouts: RepositoryTimeouts = SHORT

    def cdx(self, quirk: str, options: str = "") -> str:
        return f"cdx={self.root}/{quirk}/cdx name={quirk} {options}".strip()

    def listed(self, text: str, resume: str = "") -> list[ListingPage]:
        async def ask(repository: Repository) -> list[ListingPage]:
            return [batch async for batch in repository.list_site(SITE, resume=resume)]

        return asked(self.folder, text, ask, self.timeouts)

    def versions(self, text: str, url: str = SITE, resume: str = "") -> list[ListingPage]:
        async def ask(repository: Repository) -> list[ListingPage]:
            return [batch async for batch in repository.list_versions(url, resume=resume)]

        return asked(self.folder, text, ask, self.timeouts)

    def fetched(self, quirk: str) -> FetchedVersion | RepositoryMiss:
        """The first version of the listing, asked for."""

        async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
            held = [each async for batch in repository.list_site(SITE) for each in batch.rows]
            return await repository.fetch_version(held[0])

        return asked(self.folder, self.cdx(quirk), ask, self.timeouts)


@pytest.fixture
def bench(root: str, tmp_path: Path) -> Bench:
    return Bench(root, tmp_path)


@pytest.mark.parametrize("form", ["keyed", "objects", "one-line", "columns"])
def test_every_form_of_index_gives_the_same_holdings(bench: Bench, form: str) -> None:
    batches = bench.listed(bench.cdx(form))
    assert sorted(held.url for held in rows(batches)) == URLS
    assert {(held.moment, str(held.digest)) for held in rows(batches)} == {
        (version.moment, f"sha1:{version.digest}") for version in VERSIONS
    }
    assert batches[-1].miss is None
    assert not findings(batches)


@pytest.mark.parametrize("quirk", ["moved", "to-a-strange-place"])
def test_an_index_that_moved_is_followed(bench: Bench, quirk: str) -> None:
    batches = bench.listed(bench.cdx(quirk))
    assert sorted(held.url for held in rows(batches)) == URLS
    assert sum(batch.requests for batch in batches) == 2


def test_an_index_that_moved_to_nowhere_is_told(bench: Bench) -> None:
    assert "redirects in a circle" in last_miss(bench.listed(bench.cdx("moving"))).detail
    assert "leads to file:///etc/passwd" in last_miss(bench.listed(bench.cdx("to-a-file"))).detail


@pytest.mark.parametrize("quirk", ["nothing", "nothing-404"])
def test_a_name_nobody_holds_is_an_empty_listing(bench: Bench, quirk: str) -> None:
    batches = bench.listed(bench.cdx(quirk))
    assert not rows(batches)
    assert all(batch.miss is None for batch in batches)
    assert sum(batch.requests for batch in batches) == 1


@pytest.mark.parametrize(
    ("quirk", "reason", "says"),
    [
        ("html", MissReason.TROUBLE, "something else than a listing: a page of HTML"),
        ("error-in-200", MissReason.TROUBLE, "Internal error, please come back"),
        ("robots", MissReason.BLOCKED, "may not tell what it holds"),
        ("forbidden", MissReason.BLOCKED, "Blocked Site Error"),
        ("server-error", MissReason.TROUBLE, "its own error 500"),
        ("same-key", MissReason.TROUBLE, "goes round in circles (it gave the same key twice)"),
        ("same-rows", MissReason.TROUBLE, "goes round in circles (it sent the same rows twice)"),
        ("without-end", MissReason.TROUBLE, "a listing without its end"),
        ("cut-off", MissReason.TROUBLE, "broke off after"),
    ],
)
def test_what_is_no_listing_is_told_in_one_line(bench: Bench, quirk: str, reason: MissReason, says: str) -> None:
    miss = last_miss(bench.listed(bench.cdx(quirk)))
    assert miss.reason is reason
    assert says in miss.detail
    assert quirk in miss.detail


def test_what_came_before_the_break_is_kept_and_the_rest_is_had_by_the_mark(bench: Bench) -> None:
    broken = bench.listed(bench.cdx("cut-off"))
    assert 0 < len(rows(broken)) < len(VERSIONS)
    rest = bench.listed(bench.cdx("objects"), resume=broken[-1].resume)
    assert sorted(held.url for held in rows(broken) + rows(rest)) == URLS


def test_a_quota_in_the_middle_parks_the_listing_and_it_goes_on_behind(bench: Bench) -> None:
    text = bench.cdx("quota-in-the-middle", "paging=key")
    around = RepositoryContext(
        bench.folder, usual_settings(), ledger=bench.folder / "requests.sqlite", timeouts=bench.timeouts
    )

    async def ask() -> tuple[list[ListingPage], list[ListingPage]]:
        async with open_repositories([text], around) as (repository,):
            repository = _in_pages_of(repository, 5)
            first = [batch async for batch in repository.list_site(SITE)]
            second = [batch async for batch in repository.list_site(SITE, resume=first[-1].resume)]
            return first, second

    first, second = asyncio.run(ask())
    miss = last_miss(first)
    assert miss.reason is MissReason.LIMIT
    assert miss.retry_at is not None
    assert len(rows(first)) == 10
    assert last_miss(second).reason is MissReason.LIMIT, "an hour is an hour, in the next call too"
    assert sum(batch.requests for batch in second) == 0
    (bench.folder / "requests.sqlite").unlink()
    third = bench.listed(text, resume=first[-1].resume)
    assert sorted(held.url for held in rows(first) + rows(third)) == URLS


def test_a_server_that_knows_limits_and_no_keys_is_asked_for_all(bench: Bench) -> None:
    async def ask(repository: Repository) -> tuple[list[ListingPage], list[ListingPage]]:
        small = _in_pages_of(repository, 5)
        whole = [batch async for batch in small.list_site(SITE)]
        return whole, [batch async for batch in small.list_site(SITE, resume=whole[0].resume)]

    whole, rest = asked(bench.folder, bench.cdx("limit-without-key"), ask)
    assert sorted(held.url for held in rows(whole)) == URLS
    assert rows(rest) == rows(whole)[5:]
    assert sum(batch.requests for batch in whole) == 2


def _in_pages_of(repository: Repository, size: int) -> Repository:
    assert isinstance(repository, CdxRepository)
    return replace(repository, server=replace(repository.server, page_rows=size))


def test_rows_with_impossible_dates_are_passed_over_and_told(bench: Bench) -> None:
    batches = bench.listed(bench.cdx("bad-dates"))
    assert len(rows(batches)) == len(VERSIONS) - 3
    told = [finding.message for finding in findings(batches)]
    assert len(told) == 3
    assert "20201399256199" in told[0]
    assert batches[-1].miss is None


def test_a_listing_of_a_suspiciously_round_length_may_be_capped(bench: Bench) -> None:
    batches = bench.listed(bench.cdx("capped", "paging=none"))
    assert len(rows(batches)) == 1000
    assert batches[-1].is_capped


def test_an_archive_that_never_answers_is_given_up_on(bench: Bench) -> None:
    bench.timeouts = RepositoryTimeouts(1, 0.01, 1, FetchLimits(seconds=0.5))
    miss = last_miss(bench.listed(bench.cdx("hanging")))
    assert miss.reason is MissReason.TROUBLE
    assert "broke off" in miss.detail or "too long" in miss.detail


@pytest.mark.parametrize(
    ("quirk", "code"),
    [
        ("other-bytes", "digest-contradicted"),
        ("short-copy", "short-copy"),
        ("banner", "banner"),
        ("bad-memento-date", "memento-datetime"),
        ("nearest", "other-moment"),
    ],
)
def test_what_is_odd_about_a_version_is_a_finding(bench: Bench, quirk: str, code: str) -> None:
    found = bench.fetched(quirk)
    assert isinstance(found, FetchedVersion)
    assert code in [finding.code for finding in found.findings]
    assert found.is_truncated == (quirk == "short-copy")


@pytest.mark.parametrize(
    ("quirk", "reason", "says"),
    [
        ("own-page", MissReason.ADVERTISED, "a page of its own"),
        ("listed-and-gone", MissReason.ADVERTISED, "lists it and does not have it"),
        ("held-back", MissReason.BLOCKED, "holds it back: 451"),
        ("circle", MissReason.ADVERTISED, "redirects in a circle"),
    ],
)
def test_what_does_not_come_has_a_reason(bench: Bench, quirk: str, reason: MissReason, says: str) -> None:
    miss = bench.fetched(quirk)
    assert isinstance(miss, RepositoryMiss)
    assert miss.reason is reason
    assert says in miss.detail


def test_a_banner_is_taken_out_and_links_are_turned_back(bench: Bench) -> None:
    found = bench.fetched("banner")
    assert isinstance(found, FetchedVersion)
    assert found.fidelity is VersionFidelity.REBUILT
    body = b"".join(found.exchange.body.chunks())
    assert body == (
        b'<html><a href="http://lost.example/page-1">one</a><img src="http://lost.example/picture.png"></html>\n'
    )


def test_an_archived_error_is_a_version_and_no_refusal(bench: Bench) -> None:
    found = bench.fetched("archived-error")
    assert isinstance(found, FetchedVersion)
    assert found.listed.status == 429


def test_an_archived_redirect_leads_where_it_once_led(bench: Bench) -> None:
    found = bench.fetched("archived-redirect")
    assert isinstance(found, FetchedVersion)
    assert found.listed.status == 301
    assert f"Location: {SITE}elsewhere\r\n".encode() in found.exchange.response


@pytest.mark.parametrize("quirk", ["turned-away-once", "failing-once"])
def test_what_fails_in_passing_is_tried_again(bench: Bench, quirk: str) -> None:
    found = bench.fetched(quirk)
    assert isinstance(found, FetchedVersion)
    assert found.requests == 2
    assert b"".join(found.exchange.body.chunks()).startswith(b"<p>page ")


def test_an_archive_without_raw_access_is_asked_for_what_it_shows(bench: Bench) -> None:
    async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
        held = [each async for batch in repository.list_versions(SITE) for each in batch.rows]
        return await repository.fetch_version(held[0])

    text = f"memento={bench.root}/shown-only timemap={bench.root}/shown-only/timemap/link/{{url}}"
    found = asked(bench.folder, text, ask)
    assert isinstance(found, FetchedVersion)
    assert found.fidelity is VersionFidelity.REBUILT
    assert found.requests == 2


def test_an_archive_that_is_known_to_have_no_raw_access_is_not_asked_for_it(bench: Bench) -> None:
    declarations = bench.folder / "repositories.toml"
    declarations.write_text(
        f'[shown]\nkind = "memento"\ntimemap = "{bench.root}/shown-only/timemap/link/{{url}}"\noriginal = false\n'
        'keeps = { "text/html" = "converted" }\nlimits.index = {}\nlimits.playback = {}\n'
    )

    async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
        held = [each async for batch in repository.list_versions(SITE) for each in batch.rows]
        return await repository.fetch_version(held[0])

    found = asked(bench.folder, "shown", ask, declarations=declarations)
    assert isinstance(found, FetchedVersion)
    assert found.fidelity is VersionFidelity.CONVERTED
    assert found.requests == 1


def timemap_of(bench: Bench, quirk: str) -> str:
    return f"memento={bench.root}/{quirk}/timemap/link name={quirk}"


def test_an_aggregator_leads_to_the_archives_it_asked(bench: Bench) -> None:
    async def ask(repository: Repository) -> list[tuple[bytes, str]]:
        found = []
        async for batch in repository.list_versions(SITE):
            for held in batch.rows:
                answer = await repository.fetch_version(held)
                assert isinstance(answer, FetchedVersion)
                found.append((b"".join(answer.exchange.body.chunks()), answer.listed.uri.split("/")[2].split(":")[0]))
        return found

    found = asked(bench.folder, timemap_of(bench, "aggregator"), ask)
    assert [body for body, _ in found] == [version.body for version in VERSIONS[:4]]
    assert [host for _, host in found] == ["127.0.0.1", "localhost"] * 2


def test_pages_of_a_timemap_are_followed_once_each(bench: Bench) -> None:
    batches = bench.versions(timemap_of(bench, "paged-timemap"))
    assert [held.url for held in rows(batches)] == [version.url for version in VERSIONS[:15]]
    assert sum(batch.requests for batch in batches) == 4, "the last leads to the first under another address"


def test_maps_of_maps_are_followed_to_their_ends(bench: Bench) -> None:
    batches = bench.versions(timemap_of(bench, "map-of-maps"))
    assert sorted(held.url for held in rows(batches)) == sorted(version.url for version in VERSIONS[:20])
    assert sum(batch.requests for batch in batches) == 7


def test_a_timemap_is_gone_on_with_behind_its_mark(bench: Bench) -> None:
    text = timemap_of(bench, "paged-timemap")
    batches = bench.versions(text)
    rest = bench.versions(text, resume=batches[0].resume)
    assert [held.url for held in rows(rest)] == [version.url for version in VERSIONS[5:15]]


def test_a_timemap_with_impossible_dates_goes_by_addresses(bench: Bench) -> None:
    batches = bench.versions(timemap_of(bench, "timemap-bad-dates"))
    assert [held.moment for held in rows(batches)] == [Moment.parse("20200101120000"), Moment.parse("20210101120000")]
    told = [finding.message for finding in findings(batches)]
    assert len(told) == 2
    assert "of 2020-01-01T12:00:00Z by its address" in told[0]
    assert "passed over" in told[1]


def test_a_timemap_in_json_has_the_same_mementos(bench: Bench) -> None:
    batches = bench.versions(timemap_of(bench, "timemap-json"))
    assert [(held.url, held.moment) for held in rows(batches)] == [(each.url, each.moment) for each in VERSIONS]


@pytest.mark.parametrize(
    ("quirk", "reason", "says"),
    [
        ("timemap-html", MissReason.TROUBLE, "something else than a TimeMap: a page of HTML"),
        ("timemap-slow-quota", MissReason.LIMIT, "answers 503 and is left alone until"),
    ],
)
def test_what_is_no_timemap_is_told_in_one_line(bench: Bench, quirk: str, reason: MissReason, says: str) -> None:
    miss = last_miss(bench.versions(timemap_of(bench, quirk)))
    assert miss.reason is reason
    assert says in miss.detail


def test_nobody_at_home_is_told_with_the_name(bench: Bench) -> None:
    async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
        return await repository.fetch_nearest(SITE)

    miss = asked(bench.folder, "cdx=http://127.0.0.1:1/cdx name=nobody", ask)
    assert isinstance(miss, RepositoryMiss)
    assert miss.reason is MissReason.UNREACHABLE
    assert miss.detail.startswith("nobody: 127.0.0.1:1 cannot be reached")


def test_a_certificate_that_cannot_be_trusted_is_named_as_the_trouble(tmp_path: Path) -> None:
    async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
        return await repository.fetch_nearest(SITE)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "expired.pem")
    with RawServer(b"", tls=context) as server:
        miss = asked(tmp_path, f"cdx=https://127.0.0.1:{server.port}/cdx name=badly-signed", ask)
    assert isinstance(miss, RepositoryMiss)
    assert miss.reason is MissReason.UNREACHABLE
    assert "shows an invalid certificate" in miss.detail
    assert miss.retry_at is None, "it will be the same the next time"


def test_one_that_fails_again_and_again_is_left_alone(bench: Bench) -> None:
    async def ask(repository: Repository) -> list[RepositoryMiss]:
        misses = []
        for _ in range(7):
            answer = await repository.fetch_nearest(SITE)
            assert isinstance(answer, RepositoryMiss)
            misses.append(answer)
        return misses

    text = (
        f"cdx={bench.root}/failing/cdx raw={bench.root}/server-error/cdx?{{timestamp}}{{url}} limit=999/s name=failing"
    )
    misses = asked(bench.folder, text, ask, replace(SHORT, booking_seconds=0.5))
    assert [miss.reason for miss in misses] == [MissReason.TROUBLE] * 5 + [MissReason.LIMIT] * 2
    assert [miss.requests for miss in misses] == [3] * 5 + [0] * 2
    assert all(miss.retry_at is not None for miss in misses)


def test_what_lies_on_this_machine_may_lead_to_itself_by_another_name(bench: Bench) -> None:
    by_name = bench.root.replace("127.0.0.1", "localhost")
    raw = f"{by_name}/keyed/web/{{timestamp}}id_/{{url}}"

    async def ask(repository: Repository) -> FetchedVersion | RepositoryMiss:
        return await repository.fetch_nearest(VERSIONS[0].url)

    assert isinstance(asked(bench.folder, f"cdx={bench.root}/keyed/cdx raw={raw}", ask), FetchedVersion)


def test_what_still_answers_of_the_live_site(bench: Bench) -> None:
    async def ask(repository: Repository) -> list[FetchedVersion | RepositoryMiss]:
        urls = (f"http://lost.example:{port}/keyed/web/{VERSIONS[3].url}", f"http://lost.example:{port}/no-such-thing")
        return [await repository.fetch_nearest(url) for url in urls]

    port = bench.root.rpartition(":")[2]
    door = usual_settings(resolve=(f"lost.example:{port}:127.0.0.1",))
    came, gone = asked(bench.folder, "live", ask, door=door)
    assert isinstance(came, FetchedVersion)
    assert came.fidelity is VersionFidelity.ORIGINAL
    assert b"".join(came.exchange.body.chunks()) == VERSIONS[3].body
    assert isinstance(gone, RepositoryMiss)
    assert gone.reason is MissReason.NOT_HELD


def test_a_request_that_is_broken_off_leaves_its_place_to_the_next(bench: Bench, server: QuirkyServer) -> None:
    declarations = bench.folder / "repositories.toml"
    declarations.write_text(f'[slow]\nindex = "{bench.root}/hanging/cdx"\nlimits.index = {{ at-once = 1 }}\n')

    async def ask(repository: Repository) -> None:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(repository.list_site(SITE)), 1)

    before = sum("/hanging/cdx" in each for each in server.asked)
    asked(bench.folder, "slow", ask, declarations=declarations)
    assert sum("/hanging/cdx" in each for each in server.asked) == before + 2
