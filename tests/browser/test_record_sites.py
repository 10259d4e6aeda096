"""Real Chromium browses the test sites and the demo site: all that its own log knows is archived, byte for byte."""

import base64
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from browsing import DEMO, ENCRYPTED, Browsed, chosen
from capture_calls import is_sound
from exchanges import dechunked
from record_calls import kept

from sites.plan import FOLDER, Site, sites
from sites.serving import Sent

UNSEEN = (
    "wss://sockets.test", "ws://sockets.test", "service-workers.test:", "/rules.js", "/shared.js", "/inner.js",
    "/library.js", "/beacon", "/ping", "/keepalive", "/report", "/next.html", "/dependency.js", "/favicon.ico",
    "/icons/32.png", "/tone.js", "/paint.js", "/words.vtt", "/towns.xsl", "/stream", "api.cross-origin.test",
)  # fmt: skip
"""Addresses that workers, worklets, hints, beacons, reports and icons ask for."""

VISITS = [pytest.param(scheme, site, id=f"{scheme}-{site.name}") for scheme, site in chosen()]


def of(site: Site, scheme: str, url: str) -> bool:
    """Whether a URL is one of a site's, as it was browsed by a scheme."""
    told, _, rest = url.partition("://")
    return re.sub("^ws", "http", told) == scheme and rest.partition(":")[0] in site.all_hosts


def as_http(url: str) -> str:
    """A URL without fragment, a WebSocket's with the scheme of its handshake."""
    return re.sub("^ws", "http", url.partition("#")[0])


def wire(sent: Sent) -> tuple[str, str, int, bytes]:
    url = sent.visit.url.replace("http", "ws", 1) if sent.status == 101 else sent.visit.url
    return sent.visit.method, url, sent.status, bytes(sent.wire)


@pytest.mark.parametrize(("scheme", "site"), VISITS)
def test_the_page_gets_all_it_wants(browsed: Browsed, scheme: str, site: Site) -> None:
    page = browsed.pages[f"{scheme} {site.name}"]
    assert page.done == "yes", page.text


@pytest.mark.parametrize(("scheme", "site"), VISITS)
def test_whatever_chromium_logged_is_recorded(browsed: Browsed, scheme: str, site: Site) -> None:
    logged = [each for each in browsed.logged if of(site, scheme, each.url)]
    # A handshake that opened no WebSocket is an exchange like any other.
    recorded = Counter((each.method, as_http(each.url)) for each in browsed.exchanged)
    asked = Counter((each.method, as_http(each.url)) for each in logged)
    missing = [key for key in (asked - recorded) if key[1] not in browsed.cut()]
    assert logged
    assert missing == []
    contents = {(each.visit.method, each.visit.url, each.content) for each in browsed.sent}
    for each in logged:
        if not each.is_failed and each.url.startswith("http"):
            assert (each.method, as_http(each.url), each.body) in contents, f"other bytes came of {each.url}"


@pytest.mark.parametrize(("scheme", "site"), VISITS)
def test_the_archive_holds_what_the_server_sent(browsed: Browsed, scheme: str, site: Site) -> None:
    recorded = [each for each in browsed.exchanged if of(site, scheme, each.url)]
    whole = Counter((each.method, each.url, each.status, each.body) for each in recorded if not each.is_cut)
    cut = [each for each in recorded if each.is_cut]
    sent = Counter(key for key in map(wire, browsed.sent) if of(site, scheme, key[1]))
    assert not whole - sent, "something is recorded that the server never sent"
    left = sent - whole
    for each in cut:
        begun = [
            key for key in left if key[:3] == (each.method, each.url, each.status) and key[3].startswith(each.body)
        ]
        assert begun, f"{each.url} is recorded as the beginning of something else"
        left -= Counter([begun[0]])
    assert [key[:3] for key in left if key[1] not in browsed.cut()] == [], "what the server sent is not recorded"


def test_nothing_is_cut_that_no_page_broke_off(browsed: Browsed) -> None:
    """Streams are closed by their page, icons by the page's end; nothing else is incomplete."""
    closed = ("/stream", "/refused", "/slow", "/favicon.ico")
    paths = {"/" + url.split("/", 3)[3] for url in browsed.cut()}
    paths |= {"/" + each.url.split("/", 3)[3] for each in browsed.exchanged if each.is_cut}
    assert [path for path in paths if not path.endswith((*closed, ".wav", ".webm"))] == []


def test_the_demo_site_is_recorded_as_it_is(browsed: Browsed) -> None:
    logged = [each for each in browsed.logged if f"//{DEMO}:" in each.url]
    recorded = {(each.method, each.url): each for each in browsed.exchanged}
    assert {each.url.partition(":")[0] for each in logged} == {"http", "https"}
    assert len(logged) > 40
    for each in logged:
        found = recorded.get((each.method, each.url))
        if each.is_failed and (found is None or found.is_cut):
            continue
        assert found is not None, f"{each.url} was asked for and is not recorded"
        path = "/" + each.url.split("/", 3)[3]
        if found.status == 200:
            assert found.body == browsed.demo[path], each.url
            assert each.body == browsed.demo[path], each.url


def payload(frame: dict[str, str]) -> bytes:
    return frame["text"].encode() if "text" in frame else base64.b64decode(frame["base64"])


@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_every_frame_of_a_websocket_is_recorded(browsed: Browsed, scheme: str) -> None:
    said = [
        [json.loads(line) for line in record.body.splitlines()]
        for record in kept(browsed.archive)
        if record.kind == "resource" and record.url.startswith(f"{scheme}://sockets.test")
    ]
    talk = max(said, key=len)
    assert len(said) == 2
    assert [payload(frame) for frame in talk if frame["from"] == "client" and frame["opcode"] in (1, 2)] == [
        b"hello", "grüße".encode(), b"x" * 500, bytes([1, 2, 3])
    ]  # fmt: skip
    assert b"".join(payload(frame) for frame in talk if frame["from"] == "server" and frame["opcode"] in (0, 1, 2)) == (
        b"HELLO" + "GRÜSSE".encode() + b"X" * 500 + bytes([3, 2, 1])
    )
    assert {frame["opcode"] for frame in talk} == {0, 1, 2, 8, 9, 10}


def test_an_event_stream_is_recorded_event_by_event(browsed: Browsed) -> None:
    streams = [each for each in browsed.exchanged if each.url.endswith("/stream")]
    assert len(streams) == 2
    for each in streams:
        assert dechunked(each.body).count(b"data: ") == 3


@pytest.mark.parametrize("name", ["images", "frames", "hints", "workers", "redirects"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pages_are_recognised(browsed: Browsed, scheme: str, name: str) -> None:
    """What someone went to, and neither what a browser fetched ahead nor what it showed within a page.

    Over http Chromium does not say whether a document is for a frame.
    """
    told = {page["url"]: page["title"] for page in browsed.summary["pages"]}
    start = browsed.pages[f"{scheme} {name}"].url
    assert told[start]
    others = [url for url in told if url.startswith(start) and url != start]
    assert others == [] or (scheme == "http" and name in ("frames", "redirects"))


def test_the_archive_is_sound(browsed: Browsed) -> None:
    assert is_sound(browsed.archive)


@pytest.mark.parametrize("part", UNSEEN)
def test_the_log_knows_what_no_page_can_see(browsed: Browsed, part: str) -> None:
    """So that the log is proven to cover what it is relied on for."""
    assert [each for each in browsed.logged if part in each.url]


@pytest.mark.parametrize("name", sorted(ENCRYPTED))
def test_a_site_shows_the_same_by_both_schemes(browsed: Browsed, name: str) -> None:
    assert browsed.pages[f"http {name}"].text == browsed.pages[f"https {name}"].text


def test_every_site_is_told_of() -> None:
    told = (FOLDER / "README.md").read_text()
    assert len(sites()) >= 30
    assert sum(scheme == "https" for scheme, _ in chosen()) >= 10
    assert [site.name for site in sites() if f"| `{site.name}`" not in told or site.about not in told] == []
