"""Feeds, sitemaps and OAI-PMH sets that are watched: what is new is captured once, and nothing sent does harm."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from endless_server import EndlessServer
from small_site import Page, SmallSite, moved
from warc_material import webkeep

from webkeep.fetch.client import Fetcher
from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.run.watch_runner import WatchRunner
from webkeep.service.sent_values import is_item_allowed
from webkeep.service.store import CollectionStore, JobStore, WatchStore, open_service_database
from webkeep.service.watches import StoredWatch, Watch, WatchedItem, WatchKind, WatchState

START = Moment.parse("2026-05-01T12:00:00Z")
RSS = "<rss><channel>{}</channel></rss>"


@dataclass
class HandClock:
    moment: Moment = START

    def now(self) -> Moment:
        return self.moment


class World:
    """A service's store, with watches that look when the clock is moved."""

    def __init__(self, root: Path) -> None:
        self.clock = HandClock()
        self.database = open_service_database(root / "jobs.sqlite")
        self.jobs, self.collections = JobStore(self.database), CollectionStore(self.database)
        self.watches = WatchStore(self.database)
        self.collections.create(CollectionFacts("town", "Town"), START)
        self.runner = WatchRunner(root / "spool", self.watches, self.collections, self.jobs, self.clock)

    def watch(self, kind: WatchKind, url: str, present: bool = False, allowed: bool = True, name: str = "w") -> None:
        (seed,) = self.collections.add_seeds("town", [SeedEntry(url)], START)
        watch = Watch(name, "town", seed.id, kind, url, 3600, {"scope": "page"}, allowed, present)
        self.watches.add(StoredWatch(watch, WatchState(), START))

    def look(self) -> list[str]:
        """Look again an hour later; gives the pages that jobs were submitted for since."""
        before = {job.id for job in self.jobs.list_jobs()}
        self.runner.look()
        self.clock.moment = self.clock.moment.plus(3600)
        new = [job for job in self.jobs.list_jobs() if job.id not in before]
        assert all(job.order.plan["scope"] == "page" for job in new)
        return sorted(str(url) for job in new for url in job.order.plan["seeds"])

    @property
    def trouble(self) -> str:
        (stored,) = self.watches.list_watches()
        return stored.state.message


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.database.close()


def item(number: int, date: str = "") -> str:
    return f"<item><link>https://example.org/{number}</link><pubDate>{date}</pubDate></item>"


def test_what_is_new_in_a_feed_is_captured_once(world: World) -> None:
    pages = {"/feed": Page(RSS.format(item(1)).encode(), "application/rss+xml", headers={"ETag": '"a"'})}
    with SmallSite(pages) as site:
        world.watch(WatchKind.FEED, site.url("/feed"))
        assert world.look() == [], "what was there is only noted"
        assert world.look() == []
        assert site.fields[-1]["if-none-match"] == '"a"'
        pages["/feed"] = Page(RSS.format(item(1) + item(2) + item(3)).encode(), "application/rss+xml")
        assert world.look() == ["https://example.org/2", "https://example.org/3"]
        assert world.look() == []
        changed = item(1) + item(2, "Fri, 01 May 2026 12:00:00 GMT")
        pages["/feed"] = Page(RSS.format(changed).encode(), "application/rss+xml")
        assert world.look() == ["https://example.org/2"], "changed since"
    assert world.trouble == ""


def test_a_sitemap_is_watched_by_its_dates(world: World) -> None:
    def sitemap(*entries: tuple[int, str]) -> Page:
        listed = "".join(
            f"<url><loc>https://example.org/{at}</loc><lastmod>{day}</lastmod></url>" for at, day in entries
        )
        return Page(f"<urlset>{listed}</urlset>".encode(), "application/xml")

    pages = {"/sitemap.xml": sitemap((1, "2026-01-01"), (2, "2026-01-01"))}
    with SmallSite(pages) as site:
        world.watch(WatchKind.SITEMAP, site.url("/sitemap.xml"), present=True)
        assert world.look() == ["https://example.org/1", "https://example.org/2"]
        pages["/sitemap.xml"] = sitemap((1, "2026-01-01"), (2, "2026-02-01"), (3, ""))
        assert world.look() == ["https://example.org/2", "https://example.org/3"]


class Repository:
    """An OAI-PMH repository with lists of two records a page."""

    def __init__(self) -> None:
        self.records: list[tuple[str, str]] = []
        """Identifier and datestamp."""

    def answer(self, _host: str, target: str) -> Page:
        if not target.startswith("/oai?"):
            return Page(b"", "text/plain", 404)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        assert asked["verb"] == "ListRecords"
        start, since = 0, asked.get("from", "")
        if "resumptionToken" in asked:
            text, since = asked["resumptionToken"].split("|")
            start = int(text)
        else:
            assert (asked["metadataPrefix"], asked["set"]) == ("oai_dc", "maps")
        found = [each for each in self.records if each[1] >= since]
        if not found:
            return Page(b'<OAI-PMH><error code="noRecordsMatch"/></OAI-PMH>', "text/xml")
        rows = "".join(
            f"<record><header><identifier>{name}</identifier><datestamp>{day}</datestamp></header><metadata>"
            f"<dc:identifier>https://example.org/{name}</dc:identifier></metadata></record>"
            for name, day in found[start : start + 2]
        )
        token = f"{start + 2}|{since}" if start + 2 < len(found) else ""
        return Page(f"<OAI-PMH><ListRecords>{rows}<resumptionToken>{token}</resumptionToken>".encode(), "text/xml")


def test_records_of_a_repository_are_captured_as_they_are_added(world: World) -> None:
    repository = Repository()
    repository.records = [(f"r{number}", "2026-04-01") for number in range(5)]
    with SmallSite(repository.answer) as site:
        world.watch(WatchKind.OAI_PMH, site.url("/oai?set=maps"))
        assert world.look() == []
        repository.records += [("new", "2026-05-01"), ("newer", "2026-05-02"), ("newest", "2026-05-02")]
        assert world.look() == [f"https://example.org/{name}" for name in ("new", "newer", "newest")]
        assert world.look() == []
    assert world.trouble == ""


def test_all_records_of_a_repository_are_captured_where_that_is_wanted(world: World) -> None:
    repository = Repository()
    repository.records = [(f"r{number}", "2026-04-01") for number in range(7)]
    with SmallSite(repository.answer) as site:
        world.watch(WatchKind.OAI_PMH, site.url("/oai?set=maps"), present=True)
        assert len(world.look()) == 7


def test_a_feed_that_never_ends_is_read_up_to_a_bound(world: World) -> None:
    begin = RSS.split("{}", maxsplit=1)[0] + item(1)
    with EndlessServer(b"HTTP/1.1 200 OK\r\n\r\n" + begin.encode(), b"<!-- and so on -->" * 1000) as server:
        world.watch(WatchKind.FEED, server.url, present=True)
        assert world.look() == ["https://example.org/1"]
    assert world.trouble.startswith("only the first 20,0")


def test_a_server_that_never_answers_holds_up_no_other_watch_and_no_end_of_the_service(world: World) -> None:
    pages = {"/feed": Page(RSS.format(item(1)).encode()), "/later": Page(RSS.format(item(2)).encode())}
    with EndlessServer(b"") as silent, SmallSite(pages) as site:
        world.watch(WatchKind.FEED, silent.url, name="silent")
        looking = threading.Thread(target=world.runner.look)
        looking.start()
        try:
            assert silent.begun.wait(60)
            world.watch(WatchKind.FEED, site.url("/feed"), present=True, name="begun meanwhile")
            site.wait_for_requests(1)
            world.watch(WatchKind.FEED, site.url("/later"), present=True, name="later")
            site.wait_for_requests(2)
            assert silent.asked == ["/"], "it is still being waited for"
        finally:
            world.runner.close()
            looking.join(60)
        assert not looking.is_alive()
    assert world.runner.look() == 0


def test_what_nobody_thought_of_in_one_feed_is_said_of_it_and_the_others_look(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = WatchRunner._look_at

    async def look_at(runner: WatchRunner, fetcher: Fetcher, stored: StoredWatch) -> int:
        if stored.watch.id == "odd":
            raise RecursionError("too deep")
        return await looked_at(runner, fetcher, stored)

    monkeypatch.setattr(WatchRunner, "_look_at", look_at)
    with SmallSite({"/feed": Page(RSS.format(item(1)).encode())}) as site:
        world.watch(WatchKind.FEED, site.url("/odd"), name="odd")
        world.watch(WatchKind.FEED, site.url("/feed"), present=True)
        assert world.look() == ["https://example.org/1"]
    odd = world.watches.get("odd")
    assert odd is not None and odd.state.message == "it could not be looked at (RecursionError: too deep)"
    assert odd.next_look > START, "and not twice a second"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (Page(b"gone", status=410), "status 410"),
        (moved("file:///etc/passwd"), "it leads to file:///etc/passwd, which is not on the web"),
        (moved("/feed"), "too many redirects"),
        (Page(b"no feed at all"), ""),
    ],
)
def test_what_is_wrong_with_a_feed_is_told(world: World, page: Page, said: str) -> None:
    with SmallSite({"/feed": page}) as site:
        world.watch(WatchKind.FEED, site.url("/feed"), present=True)
        assert world.look() == []
    assert world.trouble == said


def test_a_private_address_is_not_asked_unless_an_administrator_allowed_it(world: World) -> None:
    with SmallSite({"/feed": Page(RSS.format(item(1)).encode())}) as site:
        world.watch(WatchKind.FEED, site.url("/feed"), present=True, allowed=False)
        assert world.look() == []
        assert site.asked == []
    assert "is at a private address" in world.trouble


@pytest.mark.parametrize("kind", [WatchKind.FEED, WatchKind.SITEMAP])
def test_a_server_has_nothing_captured_that_is_not_on_the_web(world: World, kind: WatchKind) -> None:
    named = ("file:///etc/passwd", "ftp://example.org/a", "http://[", "https://example.org/")
    items = "".join(f"<item><link>{url}</link></item>" for url in named)
    urls = "".join(f"<url><loc>{url}</loc></url>" for url in named)
    text = RSS.format(items) if kind is WatchKind.FEED else f"<urlset>{urls}</urlset>"
    with SmallSite({"/list": Page(text.encode(), "application/xml")}) as site:
        world.watch(kind, site.url("/list"), present=True)
        assert world.look() == ["https://example.org/"]


@pytest.mark.parametrize(
    ("own", "page", "allowed", "is_allowed"),
    [
        ("https://example.org/feed", "https://example.net/", False, True),
        ("https://example.org/feed", "http://192.168.0.1/", False, False),
        ("https://example.org/feed", "http://192.168.0.1/", True, False),
        ("http://intranet/feed", "http://intranet/page", True, True),
        ("http://10.0.0.1/feed", "http://10.0.0.2/", True, True),
        ("http://10.0.0.1/feed", "http://10.0.0.1/", False, False),
    ],
)
def test_a_public_feed_leads_to_no_private_address(own: str, page: str, allowed: bool, is_allowed: bool) -> None:
    watch = Watch("w", "town", "s", WatchKind.FEED, own, 3600, {}, allowed, True)
    assert is_item_allowed(watch, WatchedItem(page, page)) is is_allowed


def test_a_clock_that_was_set_back_keeps_no_watch_waiting(world: World) -> None:
    with SmallSite({"/feed": Page(RSS.format("").encode(), "application/xml")}) as site:
        world.watch(WatchKind.FEED, site.url("/feed"))
        world.look()
        world.clock.moment = START.plus(-86400)
        world.look()
        assert len(site.asked) == 2


def test_a_watch_ends_with_its_seed(world: World) -> None:
    with SmallSite({"/feed": Page(RSS.format(item(1)).encode())}) as site:
        world.watch(WatchKind.FEED, site.url("/feed"))
        assert world.look() == []
        world.collections.delete_seed(world.collections.seeds("town")[0])
        assert world.look() == []
    assert world.watches.list_watches() == []


def test_a_feed_is_watched_and_captured_from_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    plan = tmp_path / "plan.toml"
    plan.write_text('scope = "page"\nbrowser = "off"\n')
    with SmallSite({"/page": Page(b"<p>page")}) as site:
        site._answers["/feed"] = Page(f"<rss><item><link>{site.url('/page')}</link></item></rss>".encode())  # type: ignore[index]
        webkeep("job", "collection", folder, "town")
        words = ("--collection", "town", "--feed", site.url("/feed"), "--present", "--plan", plan, "--poll", "10m")
        assert webkeep("job", "watch", folder, *words).code == 0
        command = [sys.executable, "-m", "webkeep", "service", str(folder), "--port", "0", "--until-idle"]
        done = subprocess.run([*command, "--keep-free", "1MB"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "/page" in site.paths
    listed = webkeep("job", "list", folder)
    assert listed.summary["counts"]["done"] == 1
    watched = webkeep("job", "watch", folder, "--collection", "town")
    assert watched.summary["listed"] == 1
