"""The pages beside replay, and which version of a part is shown with a page."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from serve_calls import Client, archive_of, page, served
from warc_material import webkeep

from webkeep.model import Fate, UrlOutcome
from webkeep.replay.words import TextIndex
from webkeep.store.archive import Archive, WritableArchive

EVIL = "<script>alert(1)</script>"


class Reader(HTMLParser):
    """The links, scripts and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]


class Tally(HTMLParser):
    """How many versions a page says there are of each address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, str] = {}
        self._address = ""
        self._counting = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "a" and (named.get("href") or "").startswith("/history/"):
            self._address = (named["href"] or "").removeprefix("/history/")
        self._counting = tag == "td" and named.get("data-label") == "Observations"

    def handle_data(self, data: str) -> None:
        if self._counting:
            self.rows[self._address] = data
            self._counting = False


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = archive_of(
        tmp_path_factory.mktemp("serve") / "archive",
        *[
            page(
                "http://example.org/",
                f"2024030{day}120000",
                f"<title>Day {day}</title><img src=/i.png><p>harbour {day}",
            )
            for day in (1, 2, 3)
        ],
        page("http://example.org/i.png", "20240301120001", b"one", "image/png"),
        page("http://example.org/i.png", "20240303115900", b"two", "image/png"),
        page("http://example.org/i.png", "20240305120000", b"two", "image/png"),
        page(f"http://evil.example/?q={EVIL}", "20230101", f"<title>{EVIL}</title>{EVIL}"),
        page("http://frames.example/", "20230101", "<frameset><frame src=/a></frameset>"),
    )
    with Archive(path) as opened:
        TextIndex(opened.layout.reports / "words.sqlite").fill(opened)
    return path


@pytest.fixture(scope="module")
def client(archive: Path) -> Iterator[Client]:
    with served(archive, elsewhere=("https://elsewhere.example/web/",)) as client:
        yield client


PAGES = ["/", "/search?q=example.org", "/search?q=harbour", f"/search?q={EVIL}", "/history/http://example.org/",
         "/history/2023/http://example.org/", "/view/20240302120000/http://example.org/", "/history/http://none.example/",
         "/no/such/page", "/view/2024/http://none.example/"]  # fmt: skip


@pytest.mark.parametrize("target", PAGES)
def test_a_page_needs_nothing_from_outside_and_lets_nothing_in(client: Client, target: str) -> None:
    reply = client.ask(target)
    text = reply.body.decode()
    assert "default-src 'none'" in reply.get("Content-Security-Policy")
    read = Reader(text)
    assert EVIL not in text
    assert read.tags.count("script") == (1 if target.startswith("/view/2024030") else 0)
    assert '<html lang="en">' in text
    assert 'name="viewport"' in text
    loaded = re.findall(r'(?:src|rel="stylesheet" href)="([^"]*)"', text)
    assert all(
        each.startswith(("/assets/", f"http://20240302120000h-example-org.localhost:{client.port}/")) for each in loaded
    )


def test_every_link_of_the_pages_leads_somewhere(client: Client) -> None:
    for target in ("/", "/search?q=example.org", "/history/http://example.org/"):
        for link in Reader(client.ask(target).body.decode()).links:
            if link.startswith("/"):
                assert client.ask(link).status in (200, 302), link


def test_home_tells_sites_and_captures(client: Client) -> None:
    text = client.ask("/").body.decode()
    assert "/search?q=example.org" in text
    assert 'href="/view/20240303120000/http://example.org/" class="address">example.org</a>' in text, "the front page"
    assert 'href="/search?q=frames.example"' in text
    assert 'capture of <a href="/view/20240303120000/http://example.org/"' in text
    assert "not certified" in text


def test_search_finds_addresses_titles_and_texts(client: Client) -> None:
    assert b"/history/http://example.org/i.png" in client.ask("/search?q=example.org").body
    words = client.ask("/search?q=harbour").body.decode()
    assert "<mark>harbour</mark>" in words
    assert "Day 3" in words
    assert words.count("<li>") == 1, "versions of one page are one hit"
    assert '<a href="/history/http://example.org/">seen 3 times</a>' in words
    assert b"Nothing was found" in client.ask("/search?q=nowhere").body


def test_history_has_a_calendar_and_every_version(client: Client) -> None:
    text = client.ask("/history/http://example.org/").body.decode()
    assert text.count('href="#d2024030') == 3
    assert text.count("/view/2024030") == 3


def test_search_and_history_count_the_same_in_several_archives(tmp_path: Path) -> None:
    paths = [
        archive_of(
            tmp_path / name,
            *[page("http://many.example/a", f"20240{month}0{day}", str(day)) for day in (1, 2, 3)],
            *[page(f"http://many.example/b{number:02d}", f"20240{month}01", "x") for number in range(60)],
        )
        for month, name in ((1, "first"), (2, "second"))
    ]
    with served(*paths) as client:
        for query in ("many.example/a", "http://many.example/a", "many.example"):
            found = Tally(client.ask(f"/search?q={query}").body.decode()).rows
            assert found["http://many.example/a"] == "6"
            assert found["http://many.example/b00"] == "2"
            assert len(found) == 50
        assert "Seen 6 times" in client.ask("/history/http://many.example/a").body.decode()


def test_history_tells_what_is_unchanged_since_the_year_before(tmp_path: Path) -> None:
    versions = [("20230101", "same"), ("20240101", "same"), ("20240201", "other")]
    path = archive_of(tmp_path / "a", *[page("http://example.org/", at, body) for at, body in versions])
    with served(path) as client:
        text = client.ask("/history/2024/http://example.org/").body.decode()
    assert text.count("unchanged") == 1
    assert text.index("20240101") < text.index("unchanged") < text.index("/view/20240201")
    assert text.count('<table class="empty">') == 10
    assert "warc/revisit" not in text


def test_what_was_not_captured_says_why(tmp_path: Path) -> None:
    refused = Fate("http://example.org/desk", UrlOutcome.REFUSED, "robots.txt: Disallow: /desk (line 2)")
    with (
        WritableArchive.open_or_create(tmp_path / "a") as archive,
        archive.begin("capture", seeds=["http://example.org/"]) as got,
    ):
        got.submit_fates([refused])
    with served(tmp_path / "a") as client:
        for target in ("/view/2024/http://example.org/desk", "/history/http://example.org/desk"):
            reply = client.ask(target)
            assert reply.status == 404
            assert "because the site refuses it: robots.txt: Disallow: /desk (line 2)." in reply.body.decode()
            assert "Capture it now" not in reply.body.decode(), "it would be refused again"
            assert "img-src data:" in reply.get("Content-Security-Policy"), "the icon is data"
        assert b"robots.txt: Disallow: /desk" in client.replay("20240301120000h-example-org", "/desk").body
        assert client.ask("/view/2024/http://example.org/none").body.decode().count("<h1>Not held here</h1>") == 1
    with served(tmp_path / "a", access=("block:example.org/desk*",)) as client:
        assert b"robots.txt" not in client.ask("/view/2024/http://example.org/desk").body


def test_what_was_taken_down_says_what_when_and_why(tmp_path: Path) -> None:
    secret = "http://example.org/secret"
    path = archive_of(
        tmp_path / "a", page(secret, "20240102", "secret"), page("http://example.org/", "20240101", "front")
    )
    with served(path) as client:
        assert b"<li>2 URLs</li><li>2 observations</li>" in client.ask("/").body
        assert webkeep("remove", path, "--url", secret, "--reason", "a court said so", "--yes").summary["removed"] == 1
        words = "What was seen on 2024-01-02 00:00:00 UTC was taken down on 20"
        for target in ("/view/2024/", "/history/", "/web/2024/", "/timegate/", "/timemap/link/", "/parts/2024/"):
            reply = client.ask(f"{target}{secret}", Accept="text/html")
            assert (target, reply.status) == (target, 451)
            assert words in reply.body.decode()
            assert "UTC: a court said so." in reply.body.decode()
            assert b"Capture it now" not in reply.body
        for label, destination in (
            ("h-example-org", "document"),
            ("h-example-org", "image"),
            ("s-www-example-org", ""),
        ):
            reply = client.replay(f"20240102000000{label}", "/secret", Sec_Fetch_Dest=destination)
            assert (reply.status, words in reply.body.decode()) == (451, True)
        assert client.ask("/web/2024/http://example.org/other").status == 404
        home = client.ask("/").body
        assert b"<li>1 URL</li><li>1 observation</li>" in home
        assert b"secret" not in home
    with served(path, access=("block:example.org/s*",)) as client:
        reply = client.ask(f"/web/2024/{secret}")
        assert (reply.status, b"court" in reply.body) == (404, False), "what is closed is not told of"


def test_the_banner_keeps_the_whole_address_and_what_a_narrow_one_has_no_room_for(client: Client) -> None:
    text = client.ask("/view/20240302120000/http://example.org/").body.decode()
    assert 'id="url" title="http://example.org/"' in text
    panel = text[text.index('class="panel"') : text.index("</details>")]
    assert "original</a>" in panel
    assert "without banner</a>" in panel
    assert "not certified" in panel


def test_the_view_has_its_neighbours_and_a_frame_in_a_sandbox(client: Client) -> None:
    text = client.ask("/view/20240302120000/http://example.org/").body.decode()
    assert "/view/20240301120000/http://example.org/" in text
    assert "/view/20240303120000/http://example.org/" in text
    assert f'src="http://20240302120000h-example-org.localhost:{client.port}/"' in text
    assert 'sandbox="' in text
    assert 'sandbox="' not in client.ask("/view/2023/http://frames.example/").body.decode()


def test_a_reader_asks_for_parts_near_in_time_and_for_the_clock_of_that_day(client: Client) -> None:
    text = client.ask("/view/20240302120000cw7/http://example.org/").body.decode()
    assert f'src="http://20240302120000cw7h-example-org.localhost:{client.port}/"' in text
    assert "/view/20240301120000cw7/http://example.org/" in text
    assert 'href="/view/20240302120000w7/http://example.org/"' in text
    assert 'href="/view/20240302120000c/http://example.org/"' in text


def test_pages_have_one_name(client: Client) -> None:
    reply = client.ask("/search?q=x", host=f"127.0.0.1:{client.port}")
    assert (reply.status, reply.get("Location")) == (302, f"{client.root}/search?q=x")


def test_pages_only_show(client: Client) -> None:
    assert client.ask("/", method="POST", body=b"x").status == 405


def test_what_is_missing_says_so_wherever_it_is_missing(client: Client) -> None:
    for reply in (
        client.ask("/web/20240302/http://example.org/none", Accept="text/html"),
        client.replay("20240302120000h-example-org", "/none", Sec_Fetch_Dest="document"),
    ):
        text = reply.body.decode()
        assert reply.status == 404
        assert "webkeep capture http://example.org/none" in text
        assert f"{client.root}/history/http://example.org/" in text
        assert "https://elsewhere.example/web/2024030" in text
        assert reply.link("timemap").target.endswith("http://example.org/none")


def picture(client: Client, stamp: str) -> tuple[bytes, str]:
    host = f"{stamp}h-example-org"
    referrer = f"http://{host}.localhost:{client.port}/"
    reply = client.replay(host, "/i.png", Sec_Fetch_Dest="image", Referer=referrer)
    return reply.body, reply.get("Webkeep-Fit")


def test_a_part_is_shown_that_evidence_says_was_there(client: Client) -> None:
    # On the third the second picture is proven: it was seen just before and two days after, the same each time.
    assert picture(client, "20240303120000") == (b"two", "coherent; ground=proven")
    body, fit = picture(client, "20240301120000")
    assert body == b"one"
    assert fit


def test_the_parts_of_a_page_are_told(client: Client) -> None:
    told = json.loads(client.ask("/parts/20240303120000/http://example.org/").body)
    assert told["missing"] == 0
    assert [part["fit"] for part in told["parts"]] == ["coherent"]
    assert told["change"].startswith("since the version before: ")
    assert told["words"] == f"1 part within 60 s; {told['change']}"


def test_parts_within_days_or_not_at_all(client: Client) -> None:
    host = "20200101000000w30h-example-org"
    assert client.replay(host, "/i.png", Sec_Fetch_Dest="image").status == 404
    assert client.replay(host, "/", Sec_Fetch_Dest="document").status == 200
    assert client.replay("20240301000000w30h-example-org", "/i.png", Sec_Fetch_Dest="image").status == 200


def test_the_report_of_an_archive_is_linked_and_sealed(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "archive", page("http://site.example/", "20240301120000", "<p>open"))
    with served(path) as client:
        assert b"/report/" not in client.ask("/").body
        assert client.ask("/report/0").status == 404
    assert webkeep("report", path).code == 0
    with served(path) as client:
        assert b'href="/report/0"' in client.ask("/").body
        told = client.ask("/report/0")
        assert told.body == (path / "reports" / "report.html").read_bytes()
        assert any("sandbox allow-scripts" in value for name, value in told.headers if name.lower().endswith("policy"))
        assert [client.ask(f"/report/{wrong}").status for wrong in ("1", "x", "-1", "../report.html")] == [404] * 4


def test_where_some_is_closed_there_is_no_report(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "archive", page("http://site.example/", "20240301120000", "<p>open"))
    assert webkeep("report", path).code == 0
    with served(path, access=("block:example.org/s*",)) as client:
        assert b"/report/" not in client.ask("/").body
        assert client.ask("/report/0").status == 404
