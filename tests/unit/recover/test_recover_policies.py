"""Policies: whom each asks for what, and what comes back."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recover_shelf import NOW, Crawled, Shelf, StillClock, crawled, page
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.repositories import (
    ALL_TIME,
    KeptForm,
    ListedVersion,
    ListingPage,
    RepositoryTraits,
    TimePeriod,
    VersionDepth,
    VersionResult,
)
from webkeep.recover.state import RecoveryStore
from webkeep.recover.state.recovery_store import RecoveryState
from webkeep.url import UrlMatch
from webkeep.url.scope import ScopeExtent

SITE = "http://lost.example/"
PICTURE = b"\x89PNG\r\n\x1a\n picture"


def shelves() -> tuple[Shelf, Shelf]:
    """Two archives: a hub page is lost, so that what it led to is an orphan."""
    one, other = Shelf(RepositoryTraits("one")), Shelf(RepositoryTraits("other"))
    one.put(SITE, "2009-01-01", page("home", links=["/x", "/gone", "/hub"], embeds=["/p.png"]))
    other.put(SITE, "2010-01-01", page("home, newer", links=["/x", "/gone", "/hub"], embeds=["/p.png"]))
    one.put(SITE + "p.png", "2009-01-01", PICTURE, "image/png")
    one.put(SITE + "x", "2009-02-01", page("x"))
    other.put(SITE + "orphan", "2009-03-01", page("an orphan"))
    return one, other


def test_naive_asks_everyone_for_everything_and_nobody_for_a_list() -> None:
    one, other = shelves()
    got = crawled(RecoveryPlan((SITE,), policy=RecoveryPolicy.NAIVE), one, other)
    assert (one.listings, other.listings) == (0, 0)
    for url in (SITE, SITE + "x", SITE + "gone", SITE + "hub"):
        assert one.asked.count(url) == 1
        assert other.asked.count(url) == 1
    assert one.asked.count(SITE + "p.png") == 1
    assert SITE + "p.png" not in other.asked, "of a picture the first will do"
    assert SITE + "orphan" not in got.urls


def test_knowledgeable_asks_only_holders_and_leaves_orphans() -> None:
    one, other = shelves()
    got = crawled(RecoveryPlan((SITE,), policy=RecoveryPolicy.KNOWLEDGEABLE), one, other)
    assert sorted(one.asked) == [SITE, SITE + "p.png", SITE + "x"]
    assert other.asked == [SITE]
    assert SITE + "orphan" not in got.urls
    assert [each.url for each in got.recovery_store.resources(RecoveryState.LISTED)] == [SITE + "orphan"]


def test_exhaustive_brings_back_the_orphan() -> None:
    one, other = shelves()
    got = crawled(RecoveryPlan((SITE,), policy=RecoveryPolicy.EXHAUSTIVE), one, other)
    assert sorted(got.urls) == [SITE, SITE + "orphan", SITE + "p.png", SITE + "x"]
    assert sorted(other.asked) == [SITE, SITE + "orphan"]


def test_sparing_brings_back_as_much_with_one_request_each() -> None:
    one, other = shelves()
    got = crawled(RecoveryPlan((SITE,)), one, other)
    assert sorted(got.urls) == [SITE, SITE + "orphan", SITE + "p.png", SITE + "x"]
    assert len(one.asked) + len(other.asked) == 4
    assert b"newer" in got.content(SITE)
    assert got.missing() == {SITE + "gone": "not-held", SITE + "hub": "not-held"}


def test_the_site_as_it_was_last_is_told_from_older_parts() -> None:
    got = crawled(RecoveryPlan((SITE,)), *shelves())
    current = {each.url: each.is_current for each in got.recovery_store.resources(RecoveryState.RECOVERED)}
    assert current == {SITE: True, SITE + "x": True, SITE + "p.png": True, SITE + "orphan": False}
    assert got.urls[-1] == SITE + "orphan"


def test_linked_only_leaves_older_parts() -> None:
    got = crawled(RecoveryPlan((SITE,), linked_only=True), *shelves())
    assert SITE + "orphan" not in got.urls


def test_a_single_page_comes_with_what_it_embeds_and_nothing_else() -> None:
    got = crawled(RecoveryPlan((SITE,), scope=ScopeExtent.PAGE), *shelves())
    assert sorted(got.urls) == [SITE, SITE + "p.png"]


@pytest.mark.parametrize("policy", [RecoveryPolicy.KNOWLEDGEABLE, RecoveryPolicy.EXHAUSTIVE, RecoveryPolicy.SPARING])
def test_a_list_that_was_cut_off_does_not_hide_the_rest(policy: RecoveryPolicy) -> None:
    """A list of at most 20 of 31 pages: those that it leaves out are asked for when a page leads to them."""
    shelf = Shelf(RepositoryTraits("capped", listing_cap=20))
    names = [f"p{number:02d}" for number in range(30)]
    shelf.put(SITE, "2010-01-01", page("home", links=names))
    for name in names:
        shelf.put(SITE + name, "2010-01-01", page(name))
    got = crawled(RecoveryPlan((SITE,), policy=policy), shelf)
    assert len(got.urls) == 31
    assert len(shelf.asked) == 31


def test_who_cannot_list_is_led_by_the_lists_of_others() -> None:
    one, other = shelves()
    silent = Shelf(RepositoryTraits("silent", lists=False))
    silent.put(SITE + "hub", "2009-01-01", page("the hub", links=["/deep"]))
    silent.put(SITE + "deep", "2009-01-01", page("deep"))
    got = crawled(RecoveryPlan((SITE,)), one, other, silent)
    assert {SITE + "hub", SITE + "deep"} <= set(got.urls)


def test_parts_on_other_hosts_are_asked_for_and_pages_there_are_not() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    away, elsewhere = "http://cdn.example/a.png", "http://elsewhere.example/"
    shelf.put(SITE, "2010-01-01", page("home", links=[elsewhere], embeds=[away]))
    shelf.put(away, "2010-01-01", PICTURE, "image/png")
    shelf.put(elsewhere, "2010-01-01", page("elsewhere"))
    assert sorted(crawled(RecoveryPlan((SITE,)), shelf).urls) == [away, SITE]
    alone = crawled(RecoveryPlan((SITE,), requisites=False), shelf)
    assert alone.urls == [SITE]


def test_spellings_of_one_page_meet() -> None:
    """With and without www, http and https, an index name, a session: all are one page, asked for as it is held."""
    shelf = Shelf(RepositoryTraits("one"))
    www = "https://www.lost.example/"
    shelf.put(www, "2010-01-01", page("home", links=["http://lost.example/a/index.html", "/a/?PHPSESSID=" + "a" * 32]))
    shelf.put(www + "a/", "2010-01-01", page("a"))
    got = crawled(RecoveryPlan((SITE,)), shelf)
    assert got.urls == [www, www + "a/"]
    assert got.missing() == {}


def test_a_version_that_is_not_there_gives_way_to_an_older_one() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2009-01-01", page("old"))
    newest = shelf.put(SITE, "2010-01-01", page("new"))
    shelf.lost.add(shelf.held(newest).uri)
    assert b"old" in crawled(RecoveryPlan((SITE,)), shelf).content(SITE)


def test_a_cut_off_copy_is_completed_from_another_archive() -> None:
    one, other = Shelf(RepositoryTraits("one")), Shelf(RepositoryTraits("other"))
    one.put(SITE, "2010-01-01", page("half"), truncated=True)
    other.put(SITE, "2009-01-01", page("whole"))
    assert b"whole" in crawled(RecoveryPlan((SITE,)), one, other).content(SITE)
    only = crawled(RecoveryPlan((SITE,)), one)
    assert b"half" in only.content(SITE)


def test_bytes_that_contradict_their_digest_give_way_to_sound_ones() -> None:
    one, other = Shelf(RepositoryTraits("one")), Shelf(RepositoryTraits("other"))
    one.put(SITE, "2010-01-01", page("damaged"), flaw="digest-contradicted")
    other.put(SITE, "2009-01-01", page("sound"))
    assert b"sound" in crawled(RecoveryPlan((SITE,)), one, other).content(SITE)
    assert b"damaged" in crawled(RecoveryPlan((SITE,)), one).content(SITE)


def test_redirects_inside_archives_are_followed_within_the_site() -> None:
    shelf = Shelf(RepositoryTraits("one"))
    shelf.put(SITE, "2010-01-01", b"", status=302, location="/welcome")
    shelf.put(SITE + "welcome", "2010-01-01", page("welcome", links=["/out"]))
    shelf.put(SITE + "out", "2010-01-01", b"", status=301, location="http://elsewhere.example/")
    got = crawled(RecoveryPlan((SITE,), policy=RecoveryPolicy.KNOWLEDGEABLE), shelf)
    assert sorted(got.urls) == [SITE, SITE + "out", SITE + "welcome"]


def test_whoever_is_at_a_limit_is_left_alone_and_the_others_go_on() -> None:
    clock = StillClock()
    strict, other = Shelf(RepositoryTraits("strict"), limit=1, again=NOW.plus(3600)), Shelf(RepositoryTraits("other"))
    strict.put(SITE, "2010-01-01", page("home", links=["/a", "/b"]))
    strict.put(SITE + "a", "2010-01-01", page("a"))
    other.put(SITE + "b", "2010-01-01", page("b"))
    plan = RecoveryPlan((SITE,), most=2)
    got = crawled(plan, strict, other, clock=clock)
    assert sorted(got.urls) == [SITE, SITE + "b"]
    assert strict.asked == [SITE]
    (waiting,) = got.recovery_store.resources(RecoveryState.QUEUED)
    assert waiting.url == SITE + "a"
    clock.moment = NOW.plus(3601)
    strict.limit = None
    again = crawled(RecoveryPlan((SITE,)), strict, other, book=got.recovery_store, clock=clock)
    assert again.urls == [SITE + "a"]


def test_a_stopped_crawl_goes_on_where_it_was(tmp_path: Path) -> None:
    shelf = Shelf(RepositoryTraits("one"))
    names = [f"p{number}" for number in range(20)]
    shelf.put(SITE, "2010-01-01", page("home", links=names))
    for name in names:
        shelf.put(SITE + name, "2010-01-01", page(name))
    done: list[str] = []
    for _ in range(12):
        with RecoveryStore(tmp_path / "book") as book:
            got: Crawled = crawled(RecoveryPlan((SITE,), most=2, connections=1), shelf, book=book)
            done += got.urls
    assert sorted(done) == sorted([SITE, *(SITE + name for name in names)])
    assert shelf.listings == 1


def test_a_flat_cache_of_converted_documents_goes_last() -> None:
    cache = Shelf(
        RepositoryTraits("cache", depth=VersionDepth.FLAT, kept_forms={"application/pdf": KeptForm.CONVERTED})
    )
    deep = Shelf(RepositoryTraits("deep"))
    cache.put(SITE + "a.pdf", "2010-06-01", page("a document as a page"), "application/pdf")
    deep.put(SITE + "a.pdf", "2009-01-01", b"%PDF-1.4", "application/pdf")
    deep.put(SITE, "2009-01-01", page("home", links=["/a.pdf"]))
    assert crawled(RecoveryPlan((SITE,)), cache, deep).content(SITE + "a.pdf") == b"%PDF-1.4"
    newest = crawled(RecoveryPlan((SITE,), any_form=True), cache, deep)
    assert b"as a page" in newest.content(SITE + "a.pdf")


class Broken(Shelf):
    """A shelf with an error in it."""

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        raise ValueError(held.url)


class Silent(Shelf):
    """A shelf whose listing has an error in it."""

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        raise ValueError(url)
        yield ListingPage()


def test_an_error_in_one_repository_is_made_good_by_others() -> None:
    broken, silent, sound = (
        Broken(RepositoryTraits("broken")),
        Silent(RepositoryTraits("silent")),
        Shelf(RepositoryTraits("sound")),
    )
    broken.put(SITE, "2012-01-01", page("newest"))
    silent.put(SITE + "a", "2012-01-01", page("a"))
    sound.put(SITE, "2010-01-01", page("home", links=["/a"]))
    got = crawled(RecoveryPlan((SITE,)), broken, silent, sound)
    assert b"home" in got.content(SITE)
    assert got.content(SITE + "a")
    troubles = {desk.name: bool(desk.trouble) for desk in got.recovery_store.repository_statuses()}
    assert troubles == {"broken": False, "silent": True, "sound": False}
