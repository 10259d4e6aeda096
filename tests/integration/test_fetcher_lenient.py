"""What libcurl refuses or drops is recorded all the same: by what it has shown of it, or by a plain second request."""

import asyncio
import ssl
from pathlib import Path

import pytest
from fetcher_calls import TLS, fetch, wire
from raw_server import Cut, Endless, Held, RawServer

from fetch_settings import settings as usual_settings
from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest
from webkeep.fetch.client import Fetcher
from webkeep.model import BytesBody

REFUSED = {
    "a line without a colon": b"HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 5\r\n\r\nhello",
    "a NUL in a header": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 5\r\n\r\nhello",
    "a bare CR in a header": b"HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 5\r\n\r\nhello",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "a length below nothing": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
    "a length in words": b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
    "a line of 120 KB": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 120_000 + b"\r\nContent-Length: 5\r\n\r\nhello",
    "400 KB of headers": b"HTTP/1.1 200 OK\r\n" + b"X: %s\r\n" % (b"y" * 90) * 4200 + b"\r\nhello",
    "a status that is no number": b"HTTP/1.1 abc\r\nContent-Length: 5\r\n\r\nhello",
    "a version of the future": b"HTTP/1.7 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "another protocol's name": b"ICY 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "empty lines first": b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "broken chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nXYZ\r\n<p>and more",
}
HEADLESS = {
    "no head at all": b"<html>as in 1991</html>",
    "next to nothing": b"hi",
    "garbage before the status line": b"junk\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
}


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_a_refused_answer_is_taken_plainly(tmp_path: Path, answer: bytes) -> None:
    with RawServer(Cut(answer), Cut(answer)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url + "page?q=1", private=True))
    assert fetched.is_whole
    assert fetched.is_lenient
    assert fetched.request_count == 2
    assert fetched.exchange is not None
    assert wire(fetched.exchange) == answer
    assert fetched.exchange.response.endswith((b"\r\n\r\n", b"\n\n"))
    assert not fetched.exchange.truncated
    assert fetched.exchange.address == "127.0.0.1"
    assert fetched.detail.startswith("taken plainly: ")
    assert fetched.exchange.request == server.received[1]
    assert server.received[1] == server.received[0][:-2] + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize("answer", HEADLESS.values(), ids=HEADLESS)
def test_an_answer_without_a_head_is_kept_raw_with_its_failure(tmp_path: Path, answer: bytes) -> None:
    with RawServer(Cut(answer), Cut(answer)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.PROTOCOL
    assert fetched.exchange is not None
    assert fetched.exchange.response == b""
    assert wire(fetched.exchange) == answer


@pytest.mark.parametrize("answer", HEADLESS.values(), ids=HEADLESS)
def test_an_answer_without_a_head_has_none_where_the_plain_request_brings_nothing(
    tmp_path: Path, answer: bytes
) -> None:
    """As on a busy machine, where the second request may come too late; no reader would find a head there."""
    with RawServer(Cut(answer), Cut(b"")) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is not None
    assert fetched.exchange is None or fetched.exchange.response == b""
    assert fetched.exchange is None or answer.startswith(wire(fetched.exchange))


def test_an_answer_over_a_connection_used_before_is_not_mixed_up(tmp_path: Path) -> None:
    good = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"
    bad = b"HTTP/1.1 200 OK\r\nBad line\r\nContent-Length: 3\r\n\r\nbad"
    with RawServer(good, Cut(bad), bad, good) as server:
        first, second, third = fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 3)
    assert [wire(each.exchange) for each in (first, second, third)] == [good, bad, good]
    assert not second.is_reused_connection


@pytest.mark.parametrize(
    ("answer", "whole"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloEXTRA", b"helloEXTRA"),
        (b"HTTP/1.1 204 No Content\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
    ],
)
def test_bytes_beyond_the_end_are_kept_without_asking_again(tmp_path: Path, answer: bytes, whole: bytes) -> None:
    with RawServer(answer, Cut(answer)) as server:
        fetched, again = fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 2)
    for each in (fetched, again):
        assert each.is_whole
        assert each.request_count == 1
        assert wire(each.exchange) == answer
        assert "5 bytes came beyond" in each.detail
    assert server.connections == 2


def test_what_is_not_a_plain_question_is_not_asked_twice(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 200 OK\r\nX-Before: 1\r\nNo colon here\r\n\r\n"
    with RawServer(Cut(answer), Cut(answer)) as server:
        form = FetchRequest(server.url, "POST", (("Expect", ""),), BytesBody(b"k=v"), private=True)
        (fetched,) = fetch(tmp_path, form)
    assert len(server.received) == 1
    assert fetched.failure is FetchFailure.PROTOCOL
    assert not fetched.is_lenient
    assert fetched.exchange is not None
    assert fetched.exchange.response == b"HTTP/1.1 200 OK\r\nX-Before: 1\r\n"
    assert fetched.exchange.truncated == "unspecified"


def test_a_head_that_breaks_off_is_kept_with_its_failure(tmp_path: Path) -> None:
    with RawServer(Cut(b"HTTP/1.1 200 OK\r\nContent-Le")) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert fetched.exchange is not None
    assert fetched.exchange.response == b"HTTP/1.1 200 OK\r\nContent-Le"
    assert fetched.exchange.truncated == "disconnect"


def test_a_flood_of_headers_is_cut_off(tmp_path: Path) -> None:
    flood = Endless(b"HTTP/1.1 200 OK\r\n" + b"X-Flood: %s\r\n" % (b"y" * 4000))
    with RawServer(flood, flood) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.TOO_LARGE
    assert fetched.exchange is not None
    assert len(fetched.exchange.response) == 1 << 20
    assert fetched.exchange.truncated == "length"


LYING = b"HTTP/1.1 200 OK\r\nNo colon here\r\n"


def test_limits_hold_for_the_plain_request_too(tmp_path: Path) -> None:
    endless = Endless(LYING + b"\r\n" + b"x" * 70_000)
    with RawServer(endless, endless) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(size=100_000)))
    assert fetched.failure is FetchFailure.TOO_LARGE
    assert fetched.exchange is not None
    assert fetched.exchange.body.size == 100_000
    assert fetched.exchange.truncated == "length"


@pytest.mark.parametrize(
    ("limits", "failure"),
    [(FetchLimits(max_stall_seconds=0.2), FetchFailure.STALLED), (FetchLimits(seconds=0.5), FetchFailure.TIMEOUT)],
)
def test_a_silent_server_is_given_up_on(tmp_path: Path, limits: FetchLimits, failure: FetchFailure) -> None:
    held = Held(LYING + b"Content-Length: 100\r\n\r\nonly this")
    with RawServer(held, held) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=limits))
    assert fetched.failure is failure
    assert wire(fetched.exchange) == held
    assert fetched.exchange is not None
    assert fetched.exchange.truncated == "time"


def test_the_end_is_found_where_the_connection_stays_open(tmp_path: Path) -> None:
    for rest in (
        b"Content-Length: 5\r\n\r\nhello",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: 1\r\n\r\n",
    ):
        answer = Held(LYING + rest)
        with RawServer(answer, answer) as server:
            (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
        assert fetched.is_whole
        assert wire(fetched.exchange) == answer


def test_it_goes_over_tls_with_the_same_trust(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "site.pem")
    answer = Cut(LYING + b"\r\nhello")
    settings = usual_settings(certificate_authorities=str(TLS / "ca.pem"))
    with RawServer(answer, answer, tls=context) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True), settings=settings)
    assert fetched.is_whole
    assert fetched.is_lenient
    assert wire(fetched.exchange) == answer
    assert fetched.exchange is not None
    assert fetched.exchange.protocols == ("http/1.1", "tls/1.3")


def test_a_listener_hears_of_the_plain_answer_alone(tmp_path: Path) -> None:
    heard: list[bytes] = []

    class Ear:
        def on_head(self, head: bytes) -> None:
            heard.append(head)

        def on_data(self, chunk: bytes) -> None:
            heard.append(chunk)

    async def run(url: str) -> None:
        async with Fetcher(usual_settings(), tmp_path) as door:
            await door.fetch(FetchRequest(url, private=True), Ear())

    answer = Cut(LYING + b"\r\nhello")
    with RawServer(answer, answer) as server:
        asyncio.run(run(server.url))
    assert b"".join(heard) == answer
