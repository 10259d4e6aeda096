"""Simulated repositories answer as the product's interface says, and misbehave as they are told to."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from webkeep.lab.recovery.simulation.simulated_repository import DAY_SECONDS, RepositoryFaults, SimulatedRepository
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.model import Moment
from webkeep.recover.repositories import (
    DateKind,
    FetchedVersion,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    RepositoryTraits,
    TimePeriod,
    UrlSpelling,
    VersionDepth,
)
from webkeep.url import UrlMatch

NOW = Moment.parse("2006-02-25")
OLD, NEW = Moment.parse("2004-01-01"), Moment.parse("2005-01-01")
SITE = "http://www.foo.example/"


def stored(path: str, moment: Moment = NEW, body: bytes = b"<p>words") -> ShelfVersion:
    return ShelfVersion(SITE + path, moment, body, modified=moment.plus(-DAY_SECONDS))


SHELF = VersionShelf(
    [stored(""), stored("a/"), stored("a/b.html", OLD), stored("a/b.html", NEW, b"<p>newer"), stored("Big.html")]
)


def repository(whims: RepositoryFaults | None = None, **traits: object) -> SimulatedRepository:
    return SimulatedRepository(RepositoryTraits("one", **traits), SHELF, NOW, whims or RepositoryFaults())


async def gathered(batches: AsyncIterator[ListingPage]) -> list[ListingPage]:
    return [batch async for batch in batches]


def listed(
    one: SimulatedRepository, url: str = SITE, match: UrlMatch = UrlMatch.HOST, **rest: object
) -> list[ListingPage]:
    return asyncio.run(gathered(one.list_site(url, match, **rest)))


def asked(one: SimulatedRepository, path: str, at: Moment | None = None) -> FetchedVersion | RepositoryMiss:
    return asyncio.run(one.fetch_nearest(SITE + path, at))


def test_a_listing_comes_in_pages_and_can_be_resumed() -> None:
    one = repository(listing_page=2)
    pages = listed(one)
    assert [len(page.rows) for page in pages] == [2, 2, 1]
    assert one.requests == {"listing": 3}
    rest = listed(one, resume=pages[0].resume)
    assert [row.url for page in rest for row in page.rows] == [row.url for page in pages[1:] for row in page.rows]


def test_a_prefix_takes_in_what_lies_below_it() -> None:
    rows = [row.url for page in listed(repository(), f"{SITE}a/", UrlMatch.PREFIX) for row in page.rows]
    assert rows == [f"{SITE}a/", f"{SITE}a/b.html", f"{SITE}a/b.html"]
    everything = [row.url for page in listed(repository(), SITE, UrlMatch.PREFIX) for row in page.rows]
    assert len(everything) == len(SHELF)


def test_a_period_leaves_out_what_lies_outside() -> None:
    rows = [row for page in listed(repository(), period=TimePeriod(until=OLD)) for row in page.rows]
    assert [(row.url, row.moment) for row in rows] == [(f"{SITE}a/b.html", OLD)]


def test_a_capped_listing_says_so() -> None:
    pages = listed(repository(listing_cap=3, listing_page=2))
    assert sum(len(page.rows) for page in pages) == 3
    assert [page.is_capped for page in pages] == [False, True]
    assert not any(page.is_capped for page in listed(repository(listing_cap=len(SHELF))))


def test_who_cannot_list_says_so() -> None:
    (batch,) = listed(repository(lists=False))
    assert batch.miss is not None
    assert batch.miss.reason is MissReason.UNSUPPORTED


def test_the_newest_comes_or_the_nearest() -> None:
    newest, nearest = asked(repository(), "a/b.html"), asked(repository(), "a/b.html", OLD)
    assert isinstance(newest, FetchedVersion)
    assert isinstance(nearest, FetchedVersion)
    assert (newest.exchange.moment, nearest.exchange.moment) == (NEW, OLD)
    assert b"".join(newest.exchange.body.chunks()) == b"<p>newer"
    assert newest.exchange.response.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    assert b"Last-Modified: Fri, 31 Dec 2004 00:00:00 GMT" in newest.exchange.response


def test_what_requests_cost() -> None:
    assert asked(repository(), "a/b.html").requests == 2
    assert asked(repository(), "never").requests == 1
    assert asked(repository(depth=VersionDepth.FLAT), "a/b.html").requests == 1
    one = repository()
    (row,) = [row for page in listed(one) for row in page.rows if row.moment == OLD]
    answer = asyncio.run(one.fetch_version(row))
    assert isinstance(answer, FetchedVersion)
    assert (answer.listed, answer.requests) == (row, 1)


def test_a_version_that_was_never_there() -> None:
    answer = asyncio.run(repository().fetch_version(ListedVersion("one", f"{SITE}a/", OLD)))
    assert isinstance(answer, RepositoryMiss)
    assert answer.reason is MissReason.ADVERTISED


@pytest.mark.parametrize(
    ("spelling", "whims", "path", "found"),
    [
        (UrlSpelling(), RepositoryFaults(), "big.html", False),
        (UrlSpelling(either_case=True), RepositoryFaults(), "big.html", True),
        (UrlSpelling(), RepositoryFaults(), "a", False),
        (UrlSpelling(keeps_slash=False), RepositoryFaults(), "a", True),
        (UrlSpelling(), RepositoryFaults(), "a/index.html", False),
        (UrlSpelling(), RepositoryFaults(invents_index=True), "a/index.html", True),
    ],
    ids=["case", "either case", "slash", "no slash", "index", "invented index"],
)
def test_spellings(spelling: UrlSpelling, whims: RepositoryFaults, path: str, found: bool) -> None:
    assert isinstance(asked(repository(whims, spelling=spelling), path), FetchedVersion) is found


def test_hosts_may_be_told_apart() -> None:
    url = "http://foo.example/Big.html"
    assert isinstance(asyncio.run(repository().fetch_nearest(url)), FetchedVersion)
    exact = repository(spelling=UrlSpelling(either_www=False))
    assert isinstance(asyncio.run(exact.fetch_nearest(url)), RepositoryMiss)


def test_slashes_are_stripped_where_they_are_not_kept_and_the_row_still_leads_home() -> None:
    one = repository(spelling=UrlSpelling(keeps_slash=False))
    row = next(row for page in listed(one) for row in page.rows if row.url == f"{SITE}a")
    assert isinstance(asyncio.run(one.fetch_version(row)), FetchedVersion)


def test_dates_of_changes_are_told_in_place_of_crawls() -> None:
    rows = [row for page in listed(repository(dates=DateKind.MODIFIED)) for row in page.rows]
    assert {row.moment for row in rows} == {OLD.plus(-DAY_SECONDS), NEW.plus(-DAY_SECONDS)}
    assert {row.moment for page in listed(repository(dates=DateKind.UNKNOWN)) for row in page.rows} == {None}


def test_a_quota_holds_in_any_day() -> None:
    one = repository(RepositoryFaults(quota=3), depth=VersionDepth.FLAT)
    assert [isinstance(asked(one, ""), FetchedVersion) for _ in range(5)] == [True, True, True, False, False]
    refused = asked(one, "")
    assert isinstance(refused, RepositoryMiss)
    assert (refused.reason, refused.retry_at, refused.requests) == (MissReason.LIMIT, NOW.plus(DAY_SECONDS), 0)
    one.now = NOW.plus(DAY_SECONDS - 1)
    assert isinstance(asked(one, ""), RepositoryMiss)
    one.now = NOW.plus(DAY_SECONDS + 1)
    assert isinstance(asked(one, ""), FetchedVersion)
    assert one.requests.total() == 4


def test_whims() -> None:
    assert isinstance(asked(repository(RepositoryFaults(is_shut=True)), ""), RepositoryMiss)
    always = asked(repository(RepositoryFaults(trouble=1.0)), "")
    assert isinstance(always, RepositoryMiss)
    assert always.reason is MissReason.TROUBLE
    flickering = repository(RepositoryFaults(flicker=0.5))
    answers = {type(asked(flickering, "")) for _ in range(40)}
    assert answers == {FetchedVersion, RepositoryMiss}
    absent = repository(RepositoryFaults(absent=0.5))
    assert len({type(asked(absent, "")) for _ in range(10)}) == 1
