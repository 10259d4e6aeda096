"""What odd servers bring about is the fate of one URL, and links are lost by none of it."""

from pathlib import Path

import pytest
from capture_calls import capture, fates
from raw_server import Cut, RawServer
from small_site import GONE, HTML, Page, SmallSite, linking, moved


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


ABSURD = "Mon, 01 Jan 99999999999 00:00:00 GMT"


@pytest.mark.parametrize("field", ["Retry-After", "Last-Modified", "Date", "Expires"])
def test_an_absurd_date_ends_no_crawl(archive: Path, field: str) -> None:
    odd = Page(b"odd", "text/plain", 404, {field: ABSURD})
    with SmallSite({"/": linking("/odd", "/next"), "/odd": odd, "/next": linking()}) as site:
        done = capture(archive, site.url(), "--delay", "0")
    found = fates(archive)
    assert done.code in (0, 1), done.err
    assert found[f"{site.url()}odd"][0] == "stored"
    assert found[f"{site.url()}next"][0] == "stored"


def test_a_robots_file_that_moved_to_a_page_hides_none_of_its_links(archive: Path) -> None:
    pages = {
        "/robots.txt": moved("/home"),
        "/": linking("/home"),
        "/home": linking("/deep"),
        "/deep": linking(),
    }
    with SmallSite(lambda _, path: pages.get(path, GONE)) as site:
        done = capture(archive, site.url(), "--delay", "0")
    assert done.code == 0, done.err
    found = fates(archive)
    assert {path: found[f"{site.url()}{path}"][0] for path in ("home", "deep", "robots.txt")} == {
        "home": "duplicate",
        "deep": "stored",
        "robots.txt": "stored",
    }


def test_where_a_robots_file_moved_to_has_a_fate(archive: Path) -> None:
    pages = {
        "/robots.txt": moved("/rules"),
        "/rules": Page(b"User-agent: *\nDisallow: /no", "text/plain"),
        "/": linking("/no"),
    }
    with SmallSite(lambda _, path: pages.get(path, GONE)) as site:
        capture(archive, site.url(), "--delay", "0")
    found = fates(archive)
    assert found[f"{site.url()}rules"][0] == "stored"
    assert found[f"{site.url()}no"][0] == "refused"


def test_a_seed_that_leads_out_of_scope_is_told(archive: Path) -> None:
    with SmallSite({"/old": moved("http://elsewhere.example/new")}) as site:
        done = capture(archive, f"{site.url()}old", "--delay", "0")
    assert done.code == 1
    assert "leads to http://elsewhere.example/new, which is out of scope" in done.err


def test_many_links_leave_others_their_turn(archive: Path) -> None:
    crowd = "".join(f'<a href="/x/{number}">' for number in range(30_000)).encode()
    with SmallSite({"/": Page(crowd, HTML)}) as site:
        done = capture(archive, site.url(), "--delay", "0", "--max-urls", "3")
    assert done.code == 0, done.err
    assert len(fates(archive)) == 30_002


def test_a_broken_transfer_is_continued_with_a_gap(archive: Path) -> None:
    """What one URL costs in requests is paced and proven like any other."""
    whole = b"0123456789" * 2000
    fields = b'ETag: "one"\r\nAccept-Ranges: bytes\r\n'
    first = b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n" + fields + b"\r\n" + whole[:5000]
    rest = (
        b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5000-19999/20000\r\nContent-Length: 15000\r\n"
        + fields
        + b"\r\n"
        + whole[5000:]
    )
    none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    with RawServer(Cut(none), Cut(first), Cut(rest)) as server:
        done = capture(archive, server.url, "--delay", "0.3")
    (ledger,) = done.summary["hosts"].values()
    assert ledger["requests"] == 3
    assert ledger["too_early"] == 0
    assert ledger["smallest_gap"] >= 0.3
