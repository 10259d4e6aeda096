"""Captures of small sites on loopback: everything is found, stored once, and has the fate it should have."""

import json
import os
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from capture_calls import KEPT, agree, capture, events, fates, is_sound, kept, records
from ftp_server import FtpServer
from raw_server import Cut, RawServer
from small_site import GONE, HTML, Page, SmallSite, linking, moved
from warc_material import webkeep

from webkeep.clock import SystemClock
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.lab.demo.addresses import IMAGE_HOST, MAIN_HOST, SISTER_HOST, STATIC_HOST
from webkeep.lab.demo.site_resource import DemoReach

PICTURE = Page(b"\x89PNG not really", "image/png")
PATIENCE_SECONDS = 60.0


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoServer]:
    with DemoServer(DemoSite(SitePlan(pages=90), SystemClock().now())) as server:
        yield server


def truth(server: DemoServer, *reaches: DemoReach) -> set[str]:
    """What a visitor can find, but for what robots.txt forbids."""
    found = [one.path for one in server.site.truth() if one.reach in reaches and not one.path.startswith("/desk/")]
    return {server.addresses.absolute_url(path) for path in found}


# ---- completeness ----


def test_the_demo_site_is_stored_whole(demo: DemoServer, archive: Path) -> None:
    done = capture(archive, demo.url)
    assert done.code == 0, done.err
    expected = truth(demo, DemoReach.LINK, DemoReach.SCRIPT, DemoReach.SITEMAP, DemoReach.CONVENTION)
    expected.remove(demo.addresses.absolute_url("/favicon.ico"))  # no page links to it
    assert kept(archive) == expected
    told = fates(archive)
    assert {url for url, (outcome, _) in told.items() if outcome in KEPT} == expected
    assert told[demo.addresses.absolute_url("/desk/")] == ("refused", "robots.txt: Disallow: /desk/ (line 2)")
    assert done.summary["stored"] == len(expected)
    assert done.summary["refused"] == 1
    agree(archive, done.summary)


def test_the_usual_places_are_looked_at_too(demo: DemoServer, archive: Path) -> None:
    done = capture(archive, demo.url, "--probe")
    found = {url for kind, url, status in records(archive) if kind == "response" and status < "400"}
    assert found == truth(demo, DemoReach.LINK, DemoReach.SCRIPT, DemoReach.SITEMAP, DemoReach.CONVENTION)
    agree(archive, done.summary)


def test_every_response_has_its_request(demo: DemoServer, archive: Path) -> None:
    before = demo.requests
    done = capture(archive, demo.url, "--scope", "page", "--user-agent", "tester (mail@example.org)")
    kinds = [kind for kind, _, _ in records(archive)]
    assert kinds.count("request") == kinds.count("response") + kinds.count("revisit") == demo.requests - before
    observed = events(webkeep("list", archive, demo.url), "observation")[0]
    assert observed["capture"] == done.summary["capture"]
    shown = webkeep("show", archive, demo.url, "--record", "--output", "-", as_json=False)
    assert b"WARC-IP-Address: 127.0.0.1" in shown.out
    assert b"WARC-Protocol: http/1.1" in shown.out


def test_a_second_capture_refers_to_what_is_held(demo: DemoServer, archive: Path) -> None:
    first = capture(archive, demo.url, "--scope", "prefix", "--include", "*.png", "--exclude", "*/", "--depth", "1")
    second = capture(archive, demo.url, "--scope", "prefix", "--include", "*.png", "--exclude", "*/", "--depth", "1")
    assert not second.summary["resumed"]
    assert second.summary["capture"] != first.summary["capture"]
    assert second.summary["duplicates"] > 5
    assert is_sound(archive)


def test_a_site_over_several_hosts_by_resolve(archive: Path) -> None:
    with DemoServer(DemoSite(SitePlan(spread=True), SystemClock().now())) as server:
        resolves = [
            word
            for host in (MAIN_HOST, STATIC_HOST, IMAGE_HOST, SISTER_HOST)
            for word in ("--resolve", f"{host}:{server.port}:127.0.0.1")
        ]
        done = capture(archive, server.addresses.absolute_url("/"), *resolves)
        told = fates(archive)
        hosts = {url.split("/")[2].split(":")[0] for url in kept(archive)}
        assert {MAIN_HOST, STATIC_HOST, IMAGE_HOST} <= hosts  # what pages need is fetched wherever it lies
        sister = server.addresses.absolute_url("/upper-fell/")
        assert told[sister] == ("out-of-scope", "outside the bounds of every seed")
        assert done.code == 0
        agree(archive, done.summary)


# ---- choosing ----

TREE = {
    "/docs/": linking("/docs/a/", "/docs/b.html", "/blog/", "pic.png", "http://127.0.0.1:1/far"),
    "/docs/a/": linking("deep/"),
    "/docs/a/deep/": linking("/docs/a/deep/deeper.html"),
    "/docs/a/deep/deeper.html": linking(),
    "/docs/b.html": linking("/docs/"),
    "/docs/pic.png": PICTURE,
    "/blog/": linking("/blog/post", "shot.png"),
    "/blog/post": linking(),
    "/blog/shot.png": PICTURE,
}


def stored_paths(site: SmallSite, archive: Path) -> set[str]:
    return {url.removeprefix(site.url("")) for url in kept(archive)} - {"/robots.txt"}


SITEMAP_CASES = {
    "bare": (["--scope", "page"], False),
    "wider": (["--scope", "page", "--include", "/blog/*"], True),
    "host": (["--scope", "host"], True),
    "no step": (["--scope", "host", "--depth", "0"], False),
}


@pytest.mark.parametrize(("words", "asked"), SITEMAP_CASES.values(), ids=SITEMAP_CASES)
def test_sitemaps_are_read_where_they_can_lead_on(archive: Path, words: list[str], asked: bool) -> None:
    pages = {**TREE, "/sitemap.xml": linking()}
    with SmallSite(pages) as site:
        pages["/robots.txt"] = Page(f"Sitemap: {site.url('/sitemap.xml')}\n".encode(), "text/plain")
        assert capture(archive, site.url("/docs/"), *words).code <= 1
        assert ("/sitemap.xml" in site.paths) is asked


def nested_indexes(_host: str, path: str) -> Page:
    """A site whose every sitemap is an index of ten others, and which has forty pages."""
    if path == "/":
        return linking(*(f"/page-{number}" for number in range(40)))
    if path == "/robots.txt":
        return Page(b"Sitemap: /sitemap.xml", "text/plain")
    if path.startswith("/sitemap"):
        children = "".join(f"<sitemap><loc>{path}{number}</loc></sitemap>" for number in range(10))
        return Page(f"<sitemapindex>{children}</sitemapindex>".encode(), "application/xml")
    return Page(b"one page", "text/plain")


@pytest.mark.parametrize("words", [[], ["--for", "exploring"]], ids=["plain", "coherent"])
def test_indexes_of_indexes_of_sitemaps_hold_nobody(archive: Path, words: list[str]) -> None:
    second_sitemap = threading.Event()

    def answer(host: str, path: str) -> Page:
        """Pages are known only when sitemaps have had their share, whoever is quicker."""
        if path.removeprefix("/sitemap.xml").isdigit():
            second_sitemap.set()
        if path == "/":
            second_sitemap.wait(PATIENCE_SECONDS)
        return nested_indexes(host, path)

    with SmallSite(answer) as site:
        done = capture(archive, site.url(), "--max-urls", "20", *words)
    asked = [path for path in site.paths if path.startswith("/sitemap")]
    assert done.code == 0, done.err
    assert len(asked) == 2
    assert len(site.paths) == 20
    assert fates(archive)[site.url("/sitemap.xml5")][0] == "cut"


def test_sitemaps_without_end_are_told(archive: Path) -> None:
    with SmallSite(nested_indexes) as site:
        done = capture(archive, site.url())
    assert done.code == 1
    assert sum(path.startswith("/sitemap") for path in site.paths) == 1 + 10 + 100
    assert f"left out 1,000 URLs like the sitemaps of 127.0.0.1:{site.port} (sitemaps without end)" in done.err


@pytest.mark.parametrize("words", [[], ["--strategy", "depth-first"], ["--for", "exploring"]], ids=" ".join)
def test_a_depth_counts_the_shortest_way_whoever_is_quicker(archive: Path, words: list[str]) -> None:
    """A page that was stored on a longer way leads as far as on the shorter one that is found later."""
    long_way = threading.Event()
    pages = {
        "/": linking("/slow", "/a"),
        "/a": linking("/b"),
        "/b": linking("/page"),
        "/slow": linking("/moved"),
        "/moved": moved("/page"),
        "/page": linking("/end"),
        "/end": linking("/beyond"),
        "/beyond": Page(b"too far"),
    }

    def answer(_host: str, path: str) -> Page:
        if path == "/page":
            long_way.set()
        if path == "/slow":
            long_way.wait(PATIENCE_SECONDS)
        return pages.get(path, GONE)

    with SmallSite(answer) as site:
        done = capture(archive, site.url(), "--depth", "3", "--no-sitemaps", *words)
    assert done.code == 0, done.err
    assert site.paths.count("/page") == 1, "it is read from where it is stored"
    assert "/end" in site.paths
    assert "/beyond" not in site.paths
    told = fates(archive)
    assert told[site.url("/end")][0] == "stored"
    assert told[site.url("/beyond")] == ("cut", "depth: more than 3 steps from a seed")
    agree(archive, done.summary)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--scope", "page"], {"/docs/", "/docs/pic.png"}),
        (["--scope", "prefix"], {path for path in TREE if path.startswith("/docs/")}),
        (["--scope", "host"], set(TREE)),
        (["--scope", "domain", "--exclude", "*/far"], set(TREE)),
        (["--depth", "0"], {"/docs/", "/docs/pic.png"}),
        (["--depth", "1"], {"/docs/", "/docs/pic.png", "/docs/a/", "/docs/b.html"}),
        (["--external-depth", "1", "--exclude", "*/far"], {path for path in TREE if path != "/blog/post"}),
        (["--external-depth", "2", "--exclude", "*/far"], set(TREE)),
        (["--include", "/blog/*"], set(TREE)),
        (["--exclude", "/docs/a/*"], {"/docs/", "/docs/b.html", "/docs/pic.png"}),
        (["--exclude", "*", "--include", "*.html"], {"/docs/", "/docs/b.html"}),
        (["--exclude", "*.png"], {path for path in TREE if path.startswith("/docs/") and not path.endswith(".png")}),
        (["--scope", "page", "--no-requisites"], {"/docs/"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_scopes_and_rules(archive: Path, words: list[str], expected: set[str]) -> None:
    with SmallSite(TREE) as site:
        done = capture(archive, site.url("/docs/"), *words)
        assert done.code == 0, done.err
        assert stored_paths(site, archive) == expected
        assert set(site.paths) == expected
        told = fates(archive)
        assert told["http://127.0.0.1:1/far"][0] == "out-of-scope"
        agree(archive, done.summary)


def test_a_rule_is_named_where_it_decides(archive: Path) -> None:
    with SmallSite(TREE) as site:
        capture(archive, site.url("/docs/"), "--exclude", "/docs/a/*", "--depth", "0")
        told = fates(archive)
        assert told[site.url("/docs/a/")] == ("out-of-scope", "the rule '/docs/a/*' excludes it")
        assert told[site.url("/docs/b.html")] == ("cut", "depth: more than 0 steps from a seed")


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (["--exclude", "type:video/*"], {"/film"}),
        (["--exclude", "size:>50kB"], {"/film", "/big", "/untold"}),
        (["--exclude", "type:text/plain size:>50kB"], {"/big", "/untold"}),
        (["--exclude", "*", "--include", "type:text/html"], {"/film", "/big", "/small", "/untold"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_rules_by_media_type_and_size(archive: Path, words: list[str], left_out: set[str]) -> None:
    pages = {
        "/": linking("/film", "/big", "/small", "/page", "/untold", "/away"),
        "/film": Page(bytes(60_000), "video/mp4"),
        "/big": Page(bytes(60_000), "text/plain"),
        "/untold": Page(bytes(60_000), "text/plain", chunked=True),
        "/small": Page(b"x", "text/plain"),
        "/page": linking(),
        "/away": moved("/page"),
    }
    with SmallSite(pages) as site:
        done = capture(archive, site.url(), *words)
        assert stored_paths(site, archive) == set(pages) - left_out
        assert set(site.paths) == set(pages)
        told = fates(archive)
        assert {told[site.url(path)][0] for path in left_out} == {"out-of-scope"}
        assert done.code == 0
        agree(archive, done.summary)


def test_what_is_unwanted_is_cut_off_by_its_head(archive: Path) -> None:
    """The server says that a terabyte follows, and the capture does not wait for it."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000000000000\r\n\r\n"
    index = b'<a href="/film">'
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(index)
    none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with RawServer(Cut(none), Cut(page + index), head + bytes(1000)) as server:
        done = capture(archive, server.url, "--exclude", "type:video/*", "--timeout", "20s")
        assert fates(archive)[f"{server.url}film"] == ("out-of-scope", "the rule 'type:video/*' excludes it")
        assert done.code == 0
        assert done.summary["bytes"] < 10_000


# ---- limits ----


def many(count: int, size: int = 0) -> dict[str, Page]:
    names = [f"/p{number}" for number in range(count)]
    return {"/": linking(*names)} | {name: Page(f"{name} ".encode() + bytes(size), "text/plain") for name in names}


@pytest.mark.parametrize(
    ("words", "most", "reason"),
    [
        (["--max-urls", "7"], 7, "max-urls: 7"),
        (["--max-urls-per-host", "5"], 5, "max-urls-per-host: 5"),
        (["--max-bytes", "30kB", "--connections", "1"], 5, "max-bytes: 30000"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_limits_cut_and_say_so(archive: Path, words: list[str], most: int, reason: str) -> None:
    with SmallSite(many(40, 10_000)) as site:
        done = capture(archive, site.url(), *words)
        assert done.code == 0
        assert 0 < len(site.paths) <= most
        told = fates(archive)
        cut = {why for outcome, why in told.values() if outcome == "cut"}
        assert cut == {reason}
        assert done.summary["fates"]["cut"] == 41 - len(site.paths)
        agree(archive, done.summary)


def test_time_is_a_limit_too(archive: Path) -> None:
    def endless(_host: str, path: str) -> Page:
        number = int(path.strip("/") or 0) if path != "/robots.txt" else 0
        return GONE if path == "/robots.txt" else linking(f"/{number + 1}", f"/{number + 2}")

    with SmallSite(endless) as site:
        done = capture(archive, site.url(), "--max-seconds", "1", "--trap-budget", "off")
        assert done.code == 0
        assert done.summary["finished"]
        assert done.summary["fates"]["queued"] == 0
        assert done.summary["fates"]["cut"] > 0
        assert "max-seconds: 1" in {why for outcome, why in fates(archive).values() if outcome == "cut"}


def test_responses_that_are_too_long_are_cut_off(archive: Path) -> None:
    with SmallSite({"/": linking("/long"), "/long": Page(bytes(50_000), "text/plain")}) as site:
        done = capture(archive, site.url(), "--max-size", "20kB")
        assert done.code == 0
        words = "cut off at 20,000 bytes (max-size); what came is stored"
        assert fates(archive)[site.url("/long")] == ("stored", words)
        assert [note["text"] for note in events(done, "note")] == [f"{site.url('/long')}: {words}"]
        assert is_sound(archive)


# ---- redirects, duplicates, other hosts ----


def test_redirects_are_stored_and_followed_where_allowed(archive: Path) -> None:
    pages = {
        "/": linking("/one", "/loop", "/outside", "/nowhere"),
        "/one": moved("/two", 301),
        "/two": moved("/three#part"),
        "/three": linking(title="three"),
        "/loop": moved("/pool"),
        "/pool": moved("/loop"),
        "/outside": moved("http://elsewhere.test/"),
        "/nowhere": moved("http://["),
    }
    with SmallSite(pages) as site:
        done = capture(archive, site.url())
        assert stored_paths(site, archive) == set(pages)
        assert sorted(site.paths) == sorted(pages)
        assert fates(archive)["http://elsewhere.test/"][0] == "out-of-scope"
        assert done.code == 0
        agree(archive, done.summary)


def test_a_seed_that_moves_takes_its_site_along(archive: Path) -> None:
    """http and https, with www. and without, are one site."""
    pages = {"/": moved("/start/"), "/start/": linking("/start/x"), "/start/x": linking()}
    with SmallSite(pages) as site:
        capture(archive, site.url())
        assert stored_paths(site, archive) == set(pages)


def test_equal_contents_are_stored_once(archive: Path) -> None:
    same = Page(b"the very same text", "text/plain")
    with SmallSite({"/": linking("/a", "/b", "/c"), "/a": same, "/b": same, "/c": same}) as site:
        done = capture(archive, site.url())
        assert done.summary["duplicates"] == 2
        kinds = sorted(
            kind for kind, url, _ in records(archive) if url.endswith(("/a", "/b", "/c")) and kind != "request"
        )
        assert kinds == ["response", "revisit", "revisit"]
        agree(archive, done.summary)


def test_what_pages_need_is_fetched_wherever_it_lies(archive: Path) -> None:
    styles = Page(b"@import 'more.css'; body { background: url(deep.png) }", "text/css")

    def answers(host: str, path: str) -> Page:
        if host.startswith("site.test") and path == "/":
            port = host.partition(":")[2]
            cdn = f"http://cdn.test:{port}"
            return Page(f'<link rel=stylesheet href="{cdn}/s.css"><a href="{cdn}/page.html">x</a>'.encode())
        known = {"/s.css": styles, "/more.css": Page(b"b{}", "text/css"), "/deep.png": PICTURE}
        return known.get(path, GONE) if host.startswith("cdn.test") else GONE

    with SmallSite(answers) as site:
        resolves = [f"{host}:{site.port}:127.0.0.1" for host in ("site.test", "cdn.test")]
        done = capture(archive, site.url(host="site.test"), "--resolve", resolves[0], "--resolve", resolves[1])
        assert {path for host, path in site.asked if host.startswith("cdn")} == {
            "/robots.txt",
            "/s.css",
            "/more.css",
            "/deep.png",
        }
        assert fates(archive)[site.url("/page.html", "cdn.test")][0] == "out-of-scope"
        agree(archive, done.summary)


def test_a_public_page_leads_to_no_private_address(archive: Path) -> None:
    """Whatever a page of a public site says, this machine and its network are out of reach."""
    with SmallSite({"/secret.png": PICTURE}) as inside:
        named = inside.url("/secret.png")
        pages = {"/": linking(named, "http://[::1]/x.png", "/away"), "/away": moved(inside.url("/secret"))}
        with PublicFace(pages) as face:
            done = capture(archive, PUBLIC, "--proxy", face.proxy, "--delay", "0", "--external-depth", "1")
        assert inside.asked == []
        told = fates(archive)
        for url in (named, "http://[::1]/x.png", inside.url("/secret")):
            assert told[url][0] == "failed"
            assert "forbidden-address" in told[url][1]
        assert done.code == 1
        assert (
            b"WARC-IP-Address" not in webkeep("show", archive, PUBLIC, "--record", "--output", "-", as_json=False).out
        )


def test_a_public_robots_file_leads_to_no_private_address(archive: Path) -> None:
    with SmallSite({"/robots.txt": Page(b"", "text/plain")}) as inside:
        with PublicFace({"/robots.txt": moved(inside.url("/robots.txt")), "/": linking()}) as face:
            capture(archive, PUBLIC, "--proxy", face.proxy, "--delay", "0")
        assert inside.asked == []


PUBLIC = "http://public.example.com/"


class PublicFace(SmallSite):
    """A site at a public name, reached by way of a proxy that is this server itself."""

    def __init__(self, pages: dict[str, Page]) -> None:
        super().__init__(lambda _host, target: pages.get(target.removeprefix(PUBLIC.rstrip("/")), GONE))

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def test_pages_of_this_machine_may_lead_to_others_on_it(archive: Path) -> None:
    with SmallSite({"/pic.png": PICTURE}) as other, SmallSite({"/": linking(other.url("/pic.png"))}) as site:
        capture(archive, site.url())
        assert other.paths == ["/pic.png"]


# ---- robots ----


def test_robots_are_obeyed_and_their_directives_written_down(archive: Path) -> None:
    pages = {
        "/robots.txt": Page(b"User-agent: webkeep\nDisallow: /private/\nAllow: /private/open\n", "text/plain"),
        "/": linking("/private/a", "/private/open", "/private/pic.png", "/shy", "/tagged"),
        "/private/a": linking(),
        "/private/open": linking(),
        "/private/pic.png": PICTURE,
        "/shy": Page(b'<meta name="robots" content="noarchive, nofollow"><a href="/next">x</a>'),
        "/next": linking(),
        "/tagged": Page(b"x", HTML, headers={"X-Robots-Tag": "noindex"}),
    }
    with SmallSite(pages) as site:
        done = capture(archive, site.url())
        told = fates(archive)
        assert told[site.url("/private/a")] == ("refused", "robots.txt: Disallow: /private/ (line 2)")
        assert told[site.url("/private/pic.png")][0] == "refused"
        assert told[site.url("/private/open")] == ("stored", "")
        assert told[site.url("/shy")] == ("stored", "asks of robots: noarchive, nofollow")
        assert told[site.url("/tagged")] == ("stored", "asks of robots: noindex")
        assert "/next" in site.paths
        assert not {"/private/a", "/private/pic.png"} & set(site.paths)
        ledger = done.summary["hosts"][f"127.0.0.1:{site.port}"]
        assert ledger["refusals"] == {"Disallow: /private/ (line 2)": 2}
        assert ledger["requests"] == len(site.asked)
        (listed,) = events(webkeep("list", archive, "--hosts"), "host")
        assert {name: listed[name] for name in ledger} == ledger


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["--robots", "ignore"], {"/private/a", "/private/pic.png"}),
        (["--robots", "obey"], set()),
        (["--requisites-exempt"], {"/private/pic.png"}),
        (["--robots", "obey", "--robots", "{}/private/a=ignore"], {"/private/a"}),
    ],
)
def test_robots_by_option(archive: Path, words: list[str], asked: set[str]) -> None:
    pages = {
        "/robots.txt": Page(b"User-agent: *\nDisallow: /private/\n", "text/plain"),
        "/": linking("/private/a", "/private/pic.png"),
        "/private/a": linking(),
        "/private/pic.png": PICTURE,
    }
    with SmallSite(pages) as site:
        capture(archive, site.url(), *(word.format(site.url("")) for word in words))
        assert set(site.paths) - {"/"} == asked


def test_a_seed_that_is_refused_is_told(archive: Path) -> None:
    with SmallSite({"/robots.txt": Page(b"User-agent: *\nDisallow: /\n", "text/plain")}) as site:
        done = webkeep("capture", site.url(), "--into", archive, as_json=False)
        assert done.code == 1
        assert f"the seed {site.url()} came to nothing: robots.txt: Disallow: / (line 2)" in done.lines
        missing = webkeep("capture", site.url("/robots.txt?"), "--into", archive, "--robots", "ignore", as_json=False)
        assert "came to nothing: status 404" in missing.err


def test_a_delay_is_kept_and_proven(archive: Path) -> None:
    with SmallSite(many(4)) as site:
        done = capture(archive, site.url(), "--delay", "0.2")
        ledger = done.summary["hosts"][f"127.0.0.1:{site.port}"]
        assert ledger["greatest_concurrency"] == 1
        assert ledger["smallest_gap"] >= 0.2
        assert ledger["too_early"] == ledger["overlapping"] == 0


# ---- what is no plain answer ----


def test_an_answer_in_parts_is_read_as_a_whole(archive: Path) -> None:
    """The transfer breaks off within a link; the rest comes by a range, and the link is found whole."""
    body = b'<a href="/first">1</a><a href="/second-page">2</a><a href="/third">3</a>'
    cut = body.index(b"second") + 3
    fields = b'Content-Type: text/html\r\nETag: "v1"\r\n'
    none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    start = b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n" % (fields, len(body)) + body[:cut]
    place = b"Content-Range: bytes %d-%d/%d\r\nContent-Length: %d\r\n" % (
        cut,
        len(body) - 1,
        len(body),
        len(body) - cut,
    )
    rest = b"HTTP/1.1 206 Partial Content\r\n%b%bConnection: close\r\n\r\n" % (fields, place) + body[cut:]
    with RawServer(Cut(none), Cut(start), Cut(rest), Cut(none), Cut(none), Cut(none)) as server:
        done = capture(archive, server.url, "--connections", "1")
        asked = [each.split(b" ", 2)[1].decode() for each in server.received]
        assert asked == ["/robots.txt", "/", "/", "/first", "/second-page", "/third"]
        assert [status for kind, url, status in records(archive) if url == server.url and kind == "response"] == [
            "200",
            "206",
        ]
        assert fates(archive)[server.url] == ("stored", "")
        agree(archive, done.summary)


def test_files_of_this_machine(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "index.html").write_text('<a href="sub%20dir/page.html">x</a><a href="/etc/passwd">y</a>')
    (folder / "sub dir" / "page.html").write_text('<img src="../pic.png">')
    (folder / "pic.png").write_bytes(b"\x89PNG")
    done = capture(archive, f"file://{folder}/")
    assert done.code == 0, done.err
    base = f"file://{folder}/"
    assert kept(archive) == {base + path for path in ("", "index.html", "pic.png", "sub%20dir/", "sub%20dir/page.html")}
    assert fates(archive)["file:///etc/passwd"][0] == "out-of-scope"
    agree(archive, done.summary)


def test_a_web_page_leads_to_no_file(archive: Path) -> None:
    with SmallSite({"/": linking("file:///etc/passwd", "ftp://127.0.0.1/x")}) as site:
        done = capture(archive, site.url())
        told = fates(archive)
        assert told["file:///etc/passwd"][0] == told["ftp://127.0.0.1/x"][0] == "out-of-scope"
        assert done.code == 0


def test_an_ftp_server(archive: Path) -> None:
    files = {
        "/pub/": b"-rw-r--r-- 1 ftp ftp 12 Mar 1 12:00 readme.html\r\ndrwxr-xr-x 2 ftp ftp 4096 Mar 1 2024 deep\r\n",
        "/pub/readme.html": b'<a href="/private/key">y</a>',
        "/pub/deep/": b"-rw-r--r-- 1 ftp ftp 12 Mar 1 12:00 file.txt\r\n",
        "/pub/deep/file.txt": b"text",
        "/private/key": b"secret",
    }
    with FtpServer(files) as server:
        done = capture(archive, f"{server.url}/pub/", "--connections", "1")
        assert done.code == 0, done.err
        assert kept(archive) == {
            f"{server.url}{path}" for path in ("/pub/", "/pub/readme.html", "/pub/deep/", "/pub/deep/file.txt")
        }
        assert fates(archive)[f"{server.url}/private/key"][0] == "out-of-scope"
        agree(archive, done.summary)


# ---- what is said ----


def test_the_events_and_the_summary(archive: Path) -> None:
    pages = {"/": linking("/gone", "http://127.0.0.1:1/unreachable.png"), "/gone": Page(b"gone", status=404)}
    with SmallSite(pages) as site:
        done = capture(archive, site.url(), "--retries", "0")
    assert done.code == 1
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert all("event" in line for line in lines[:-1])
    assert lines[0]["event"] == "capture"
    (failed,) = events(done, "failed")
    assert failed["url"] == "http://127.0.0.1:1/unreachable.png"
    assert {"archive", "capture", "stored", "duplicates", "failed", "refused", "bytes", "seconds"} <= set(lines[-1])
    assert fates(archive)[site.url("/gone")] == ("stored", "status 404")
    assert sum(lines[-1]["fates"].values()) == len(fates(archive))


def test_traps_are_told_with_the_way_into_them(archive: Path) -> None:
    def shop(_host: str, path: str) -> Page:
        return GONE if path == "/robots.txt" else linking(*(f"{path.rstrip('/')}/again/{n}" for n in range(2)))

    with SmallSite(shop) as site:
        done = capture(archive, site.url(), "--max-urls", "300", "--trap-budget", "10")
    assert done.code == 1
    traps = events(done, "trap")
    assert traps
    assert done.summary["fates"]["trapped"] == sum(each["left_out"] for each in traps)
    assert all("--include" in each["advice"] for each in traps)


def test_one_writer_at_a_time(archive: Path) -> None:
    from webkeep.store.archive import WritableArchive

    with WritableArchive.create(archive), SmallSite({}) as site:
        done = webkeep("capture", site.url(), "--into", archive, as_json=False)
    assert done.code == 3
    (line,) = done.lines
    assert f"pid {os.getpid()}" in line


def test_forms_of_choices_alone_are_followed_within_a_budget(archive: Path) -> None:
    many = "".join(f"<option value={number}>" for number in range(100))
    forms = (
        "<form action=/tides><select name=m><option>May<option>June</select><input type=hidden name=l value=en></form>"
        f"<form action=/many><select name=n>{many}</select></form>"
        "<form action=/search><input name=q><select name=s><option>a<option>b</select></form>"
        "<form action=/buy method=post><select name=b><option>1<option>2</select></form>"
    )
    numbers = count()

    def answer(_host: str, path: str) -> Page:
        return Page(forms.encode()) if path == "/" else Page(f"<p>{path} {next(numbers)}".encode())

    with SmallSite(answer) as site:
        capture(archive, site.url())
        asked = site.paths
    assert {path for path in asked if path.startswith("/tides?")} == {"/tides?m=May&l=en", "/tides?m=June&l=en"}
    assert 0 < sum(path.startswith("/many?") for path in asked) <= 24
    assert not [path for path in asked if path.startswith(("/search?", "/buy"))]
