"""Held answers: given again for the n-th request only, from memory or from the archive."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from webkeep.crawl.browsing.held_responses import HeldResponses, RequestKey, replayable_response
from webkeep.fetch.proxy import LocalResponse
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

URL = "http://example.org/next"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n\r\n"


def exchange(text: bytes, moment: int = 0, head: bytes = HEAD) -> Exchange:
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(text), text) if b"chunked" in head else text
    return Exchange(URL, Moment(10**15 + moment), head, BytesBody(body), b"GET /next HTTP/1.1\r\n\r\n")


def content(answer: LocalResponse | None) -> bytes:
    assert answer is not None
    return b"".join(answer.body.chunks())


def test_an_answer_is_given_without_its_codings_and_with_its_length() -> None:
    answer = replayable_response(URL, HEAD, exchange(b"text").body)
    assert content(answer) == b"text"
    lines = answer.head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 200 OK"
    assert {"Content-Type: text/plain", "Set-Cookie: a=b", "Content-Length: 4"} <= set(lines)
    assert "chunked" not in answer.head.decode()


def test_an_answer_to_head_tells_the_length_of_what_get_would_give(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 532\r\nConnection: close\r\n\r\n"
    request = b"HEAD /next HTTP/1.1\r\n\r\n"
    asked = Exchange(URL, Moment(10**15), head, BytesBody(b""), request)
    key = RequestKey("HEAD", URL)

    async def run() -> None:
        held = HeldResponses(archive, capture.id)
        slot = held.reserve(key, 1)
        assert slot is not None
        held.fill(slot, asked)
        answer = await held.find(key, 1)
        assert content(answer) == b""
        assert answer is not None
        assert answer.head.split(b"\r\n") == [
            b"HTTP/1.1 200 OK", b"Content-Encoding: gzip", b"Content-Length: 532", b"", b"",
        ]  # fmt: skip

    with WritableArchive.create(tmp_path / "kept") as archive:
        capture = archive.begin("capture")
        asyncio.run(run())


def test_what_the_capture_has_stored_is_held_by_its_order(tmp_path: Path) -> None:
    async def run() -> None:
        held = HeldResponses(archive, capture.id)
        assert content(await held.find(RequestKey("GET", URL), 1)) == b"first"
        assert content(await held.find(RequestKey("GET", URL), 2)) == b"second"
        assert await held.find(RequestKey("GET", URL), 3) is None
        assert await held.find(RequestKey("HEAD", URL), 1) is None
        assert await held.find(RequestKey("GET", URL, "bytes=0-5"), 1) is None
        assert not held.is_asked_before(RequestKey("GET", "http://example.org/other"))

    with WritableArchive.create(tmp_path / "kept") as archive:
        with archive.begin("capture") as other:
            other.append(exchange(b"of another capture"))
        capture = archive.begin("capture")
        capture.append(exchange(b"first", 1))
        capture.append(exchange(b"second", 2))
        asyncio.run(run())


@pytest.mark.parametrize("status", ["503 Busy", "429 Slowly", "502 Bad", "504 Late"])
def test_what_was_asked_again_after_is_held_and_not_what_stood_in_for_it(status: str, tmp_path: Path) -> None:
    async def run() -> LocalResponse | None:
        return await HeldResponses(archive, capture.id).find(RequestKey("GET", URL), 1)

    passing = f"HTTP/1.1 {status}\r\n\r\n".encode()
    with WritableArchive.create(tmp_path / "kept") as archive:
        capture = archive.begin("capture")
        capture.append(exchange(b"busy", 1, passing))
        assert content(asyncio.run(run())) == b"busy", "all there is so far"
        capture.append(exchange(b"the page", 2))
        assert content(asyncio.run(run())) == b"the page"


def test_tabs_wait_for_an_answer_that_another_has_asked_for(tmp_path: Path) -> None:
    async def run() -> None:
        held = HeldResponses(archive, "none")
        slot = held.reserve(RequestKey("GET", URL), 1)
        assert slot is not None
        assert held.reserve(RequestKey("GET", URL), 1) is None, "it is asked for already"
        waiting = asyncio.ensure_future(held.find(RequestKey("GET", URL), 1))
        await asyncio.sleep(0)
        assert not waiting.done()
        held.fill(slot, exchange(b"there"))
        assert content(await waiting) == b"there"

    with WritableArchive.create(tmp_path / "kept") as archive:
        asyncio.run(run())


def test_an_answer_that_never_came_is_asked_for_again(tmp_path: Path) -> None:
    async def run() -> None:
        held = HeldResponses(archive, "none")
        slot = held.reserve(RequestKey("GET", URL), 1)
        assert slot is not None
        held.fill(slot, None)
        assert await held.find(RequestKey("GET", URL), 1) is None

    with WritableArchive.create(tmp_path / "kept") as archive:
        asyncio.run(run())


@pytest.mark.parametrize("conditional", [True, False], ids=["asked", "not asked"])
def test_that_something_was_not_modified_is_said_to_who_asked(tmp_path: Path, conditional: bool) -> None:
    async def run() -> LocalResponse | None:
        held = HeldResponses(archive, "none")
        slot = held.reserve(RequestKey("GET", URL), 1)
        assert slot is not None
        held.fill(slot, exchange(b"", 0, b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"))
        return await held.find(RequestKey("GET", URL), 1, conditional)

    with WritableArchive.create(tmp_path / "kept") as archive:
        assert (asyncio.run(run()) is not None) is conditional


def test_a_request_that_is_withdrawn_leaves_nothing_behind(tmp_path: Path) -> None:
    async def run() -> None:
        held = HeldResponses(archive, "none")
        slot = held.reserve(RequestKey("GET", URL), 1)
        waiting = asyncio.ensure_future(held.find(RequestKey("GET", URL), 1))
        await asyncio.sleep(0)
        held.release(RequestKey("GET", URL), slot)
        assert await waiting is None, "whoever waited asks by itself"
        assert held.reserve(RequestKey("GET", URL), 1) is not None

    with WritableArchive.create(tmp_path / "kept") as archive:
        asyncio.run(run())


@pytest.mark.parametrize(
    ("url", "head", "lasts"),
    [
        ("http://site.test/a.css", "Content-Type: text/css", True),
        ("http://site.test/a.png", "Content-Type: image/png\r\nExpires: 0\r\nVary: Accept", True),
        ("http://site.test/a.png?turn=1", "Content-Type: image/png", False),
        ("http://site.test/a.css", "Content-Type: text/css\r\nCache-Control: no-cache", False),
        ("http://site.test/a.js", "Content-Type: text/javascript\r\nSet-Cookie: a=b", False),
        ("http://site.test/a", "Content-Type: application/json", False),
        ("http://site.test/a", "Content-Type: text/html", False),
    ],
)
def test_the_browser_keeps_by_itself_what_will_be_the_same(url: str, head: str, lasts: bool) -> None:
    answer = replayable_response(url, f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode(), exchange(b"text").body)
    assert (b"max-age=31536000" in answer.head) is lasts
    assert (b"Expires" in answer.head or b"Vary" in answer.head) is False


def test_a_cookie_that_was_left_out_of_a_record_is_not_given_to_a_browser() -> None:
    head = HEAD.replace(b"Set-Cookie: a=b", b"Set-Cookie: [redacted]\r\nX-Csrf-Token: [redacted]")
    answer = replayable_response(URL, head, exchange(b"text").body)
    assert b"redacted" not in answer.head


def test_a_redirect_whose_secret_was_left_out_is_asked_for_again(tmp_path: Path) -> None:
    async def run() -> None:
        held = HeldResponses(archive, capture.id)
        assert await held.find(RequestKey("GET", URL), 1) is None

    with WritableArchive.create(tmp_path / "kept") as archive:
        capture = archive.begin("capture")
        head = b"HTTP/1.1 302 Found\r\nLocation: /in?token=redacted\r\nContent-Length: 0\r\n\r\n"
        capture.append(exchange(b"", 1, head))
        asyncio.run(run())
