"""Simulated repositories answer as the product's interface says, and misbehave as they are told to."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.lab.recovery.simulated import DAY, SimulatedRepository, Whims
from webkeep.model import Moment
from webkeep.recover.repository import Batch, Found, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import DateKind, Depth, Spelling, Traits
from webkeep.url import Match

NOW = Moment.parse("2006-02-25")
OLD, NEW = Moment.parse("2004-01-01"), Moment.parse("2005-01-01")
SITE = "http://www.foo.example/"


def stored(path: str, moment: Moment = NEW, body: bytes = b"<p>words") -> Stored:
    return Stored(SITE + path, moment, body, modified=moment.plus(-DAY))


SHELF = Shelf(
    [stored(""), stored("a/"), stored("a/b.html", OLD), stored("a/b.html", NEW, b"<p>newer"), stored("Big.html")]
)


def repository(whims: Whims | None = None, **traits: object) -> SimulatedRepository:
    return SimulatedRepository(Traits("one", **traits), SHELF, NOW, whims or Whims())


async def gathered(batches: AsyncIterator[Batch]) -> list[Batch]:
    return [batch async for batch in batches]


def listed(one: SimulatedRepository, url: str = SITE, match: Match = Match.HOST, **rest: object) -> list[Batch]:
    return asyncio.run(gathered(one.listing(url, match, **rest)))


def asked(one: SimulatedRepository, path: str, at: Moment | None = None) -> Found | Miss:
    return asyncio.run(one.resource(SITE + path, at))


def test_a_listing_comes_in_pages_and_can_be_resumed() -> None:
    one = repository(listing_page=2)
    pages = listed(one)
    assert [len(page.rows) for page in pages] == [2, 2, 1]
    assert one.requests == {"listing": 3}
    rest = listed(one, resume=pages[0].resume)
    assert [row.url for page in rest for row in page.rows] == [row.url for page in pages[1:] for row in page.rows]


def test_a_prefix_takes_in_what_lies_below_it() -> None:
    rows = [row.url for page in listed(repository(), f"{SITE}a/", Match.PREFIX) for row in page.rows]
    assert rows == [f"{SITE}a/", f"{SITE}a/b.html", f"{SITE}a/b.html"]
    everything = [row.url for page in listed(repository(), SITE, Match.PREFIX) for row in page.rows]
    assert len(everything) == len(SHELF)


def test_a_period_leaves_out_what_lies_outside() -> None:
    rows = [row for page in listed(repository(), period=Period(until=OLD)) for row in page.rows]
    assert [(row.url, row.moment) for row in rows] == [(f"{SITE}a/b.html", OLD)]


def test_a_capped_listing_says_so() -> None:
    pages = listed(repository(listing_cap=3, listing_page=2))
    assert sum(len(page.rows) for page in pages) == 3
    assert [page.capped for page in pages] == [False, True]
    assert not any(page.capped for page in listed(repository(listing_cap=len(SHELF))))


def test_who_cannot_list_says_so() -> None:
    (batch,) = listed(repository(lists=False))
    assert batch.miss is not None
    assert batch.miss.reason is Reason.UNSUPPORTED


def test_the_newest_comes_or_the_nearest() -> None:
    newest, nearest = asked(repository(), "a/b.html"), asked(repository(), "a/b.html", OLD)
    assert isinstance(newest, Found)
    assert isinstance(nearest, Found)
    assert (newest.exchange.moment, nearest.exchange.moment) == (NEW, OLD)
    assert b"".join(newest.exchange.body.chunks()) == b"<p>newer"
    assert newest.exchange.response.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    assert b"Last-Modified: Fri, 31 Dec 2004 00:00:00 GMT" in newest.exchange.response


def test_what_requests_cost() -> None:
    assert asked(repository(), "a/b.html").requests == 2
    assert asked(repository(), "never").requests == 1
    assert asked(repository(depth=Depth.FLAT), "a/b.html").requests == 1
    one = repository()
    (row,) = [row for page in listed(one) for row in page.rows if row.moment == OLD]
    answer = asyncio.run(one.version(row))
    assert isinstance(answer, Found)
    assert (answer.held, answer.requests) == (row, 1)


def test_a_version_that_was_never_there() -> None:
    answer = asyncio.run(repository().version(Held("one", f"{SITE}a/", OLD)))
    assert isinstance(answer, Miss)
    assert answer.reason is Reason.ADVERTISED


@pytest.mark.parametrize(
    ("spelling", "whims", "path", "found"),
    [
        (Spelling(), Whims(), "big.html", False),
        (Spelling(either_case=True), Whims(), "big.html", True),
        (Spelling(), Whims(), "a", False),
        (Spelling(keeps_slash=False), Whims(), "a", True),
        (Spelling(), Whims(), "a/index.html", False),
        (Spelling(), Whims(invents_index=True), "a/index.html", True),
    ],
    ids=["case", "either case", "slash", "no slash", "index", "invented index"],
)
def test_spellings(spelling: Spelling, whims: Whims, path: str, found: bool) -> None:
    assert isinstance(asked(repository(whims, spelling=spelling), path), Found) is found


def test_hosts_may_be_told_apart() -> None:
    url = "http://foo.example/Big.html"
    assert isinstance(asyncio.run(repository().resource(url)), Found)
    exact = repository(spelling=Spelling(either_www=False))
    assert isinstance(asyncio.run(exact.resource(url)), Miss)


def test_slashes_are_stripped_where_they_are_not_kept_and_the_row_still_leads_home() -> None:
    one = repository(spelling=Spelling(keeps_slash=False))
    row = next(row for page in listed(one) for row in page.rows if row.url == f"{SITE}a")
    assert isinstance(asyncio.run(one.version(row)), Found)


def test_dates_of_changes_are_told_in_place_of_crawls() -> None:
    rows = [row for page in listed(repository(dates=DateKind.MODIFIED)) for row in page.rows]
    assert {row.moment for row in rows} == {OLD.plus(-DAY), NEW.plus(-DAY)}
    assert {row.moment for page in listed(repository(dates=DateKind.UNKNOWN)) for row in page.rows} == {None}


def test_a_quota_holds_in_any_day() -> None:
    one = repository(Whims(quota=3), depth=Depth.FLAT)
    assert [isinstance(asked(one, ""), Found) for _ in range(5)] == [True, True, True, False, False]
    refused = asked(one, "")
    assert isinstance(refused, Miss)
    assert (refused.reason, refused.again, refused.requests) == (Reason.LIMIT, NOW.plus(DAY), 0)
    one.now = NOW.plus(DAY - 1)
    assert isinstance(asked(one, ""), Miss)
    one.now = NOW.plus(DAY + 1)
    assert isinstance(asked(one, ""), Found)
    assert one.requests.total() == 4


def test_whims() -> None:
    assert isinstance(asked(repository(Whims(is_shut=True)), ""), Miss)
    always = asked(repository(Whims(trouble=1.0)), "")
    assert isinstance(always, Miss)
    assert always.reason is Reason.TROUBLE
    flickering = repository(Whims(flicker=0.5))
    answers = {type(asked(flickering, "")) for _ in range(40)}
    assert answers == {Found, Miss}
    absent = repository(Whims(absent=0.5))
    assert len({type(asked(absent, "")) for _ in range(10)}) == 1
