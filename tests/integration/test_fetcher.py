"""The fetcher: what comes is kept byte for byte, and what goes wrong is told for what it is."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from raw_server import RawServer

from fetch_settings import settings as usual_settings
from webkeep.errors import UsageError
from webkeep.fetch import (
    Credentials,
    FetchFailure,
    FetchLimits,
    FetchRequest,
    FetchResult,
    FetchSettings,
    is_public,
    parse_resolve,
)
from webkeep.fetch.client import Fetcher
from webkeep.model import BytesBody

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"


def run(
    tmp_path: Path, work: Callable[[Fetcher], Awaitable[list[FetchResult]]], settings: FetchSettings | None = None
) -> list[FetchResult]:
    async def opened() -> list[FetchResult]:
        async with Fetcher(settings or usual_settings(), tmp_path) as door:
            return await work(door)

    return asyncio.run(opened())


def fetch(tmp_path: Path, *requests: FetchRequest, settings: FetchSettings | None = None) -> list[FetchResult]:
    async def work(door: Fetcher) -> list[FetchResult]:
        return [await door.fetch(request) for request in requests]

    return run(tmp_path, work, settings)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Odd:   spaced \r\nx-odd: again\r\n\r\n", b"hello"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"5;ext=1\r\nhello\r\n0\r\nTrailer: yes\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n",
            gzip.compress(b"hello" * 100, mtime=0),
        ),
        (b"HTTP/1.1 404 Not Found, caf\xe9\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.0 200 Fine\r\n\r\n", b"until the end"),
    ],
)
def test_bytes_are_kept_as_they_came(tmp_path: Path, head: bytes, body: bytes) -> None:
    with RawServer(head + body) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.is_whole
    assert fetched.exchange is not None
    assert fetched.exchange.response == head
    assert b"".join(fetched.exchange.body.chunks()) == body
    assert fetched.exchange.address == "127.0.0.1"


def test_the_request_is_kept_as_it_was_sent(tmp_path: Path) -> None:
    with RawServer(OK, OK) as server:
        plain = FetchRequest(server.url + "a?b=c", headers=(("X-Asked", "yes"),), private=True)
        form = FetchRequest(
            server.url, "POST", (("Content-Type", "text/plain"), ("Expect", "")), BytesBody(b"k=v"), private=True
        )
        first, second = fetch(tmp_path, plain, form)
    assert first.exchange is not None
    assert second.exchange is not None
    assert first.exchange.request == server.received[0]
    assert second.exchange.request + b"k=v" == server.received[1]
    assert first.exchange.request.startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"User-Agent: webkeep/" in first.exchange.request
    assert second.exchange.request.startswith(b"POST / HTTP/1.1\r\n")


def test_a_long_request_is_kept_whole(tmp_path: Path) -> None:
    with RawServer(OK) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url + "x" * 500_000, private=True))
    assert fetched.exchange is not None
    assert fetched.exchange.request == server.received[0]
    assert fetched.request_count == 1


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "http://",
        "http://[::1",
        "http://exa mple/",
        "http://a:99999/",
        "http://127.0.0.1:9/\0",
        "http://127.0.0.1:9/a\r\nHost: b",
        "mailto:a@b.example",
        "javascript:alert(1)",
        "about:blank",
        "file:",
    ],
)
def test_what_is_no_url_is_a_failure_like_others(tmp_path: Path, url: str) -> None:
    (fetched,) = fetch(tmp_path, FetchRequest(url, private=True))
    assert fetched.failure is FetchFailure.SCHEME
    assert fetched.detail
    assert fetched.request_count == 0


def test_connections_are_used_again(tmp_path: Path) -> None:
    with RawServer(OK, OK) as server:
        first, second = fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 2)
    assert not first.is_reused_connection
    assert second.is_reused_connection


def test_a_body_beyond_the_limit_is_cut_off_and_kept(tmp_path: Path) -> None:
    with RawServer(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(size=1000)))
    assert fetched.failure is FetchFailure.TOO_LARGE
    assert fetched.exchange is not None
    assert fetched.exchange.truncated == "length"
    assert fetched.exchange.body.size == 1000


def test_a_connection_that_breaks_leaves_what_came(tmp_path: Path) -> None:
    with RawServer(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this") as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert fetched.exchange is not None
    assert fetched.exchange.truncated == "disconnect"
    assert b"".join(fetched.exchange.body.chunks()) == b"only this"


def test_a_large_body_is_spooled(tmp_path: Path) -> None:
    body = bytes(range(256)) * 20_000
    with RawServer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.exchange is not None
    assert not isinstance(fetched.exchange.body, BytesBody)
    assert b"".join(fetched.exchange.body.chunks()) == body
    assert b"".join(fetched.exchange.body.chunks(5_000_000)) == body[5_000_000:]


def test_a_public_page_leads_to_no_private_address(tmp_path: Path) -> None:
    with RawServer(OK, OK) as server:
        kept_open, refused = fetch(tmp_path, FetchRequest(server.url, private=True), FetchRequest(server.url))
    assert kept_open.is_whole
    assert refused.failure is FetchFailure.FORBIDDEN_ADDRESS
    assert refused.exchange is None
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2606:2800:220:1::1", True),
        ("nonsense", False),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_failures_are_told_apart(tmp_path: Path) -> None:
    with RawServer(OK) as server:
        closed = server.port
    nowhere, unnamed, strange = fetch(
        tmp_path,
        FetchRequest(f"http://127.0.0.1:{closed}/", private=True),
        FetchRequest("http://no-such-host.invalid/"),
        FetchRequest("gopher://127.0.0.1/", private=True),
    )
    assert nowhere.failure is FetchFailure.CONNECT
    assert unnamed.failure is FetchFailure.NAME
    assert strange.failure is FetchFailure.SCHEME
    assert all(fetched.detail for fetched in (nowhere, unnamed, strange))


def test_names_are_resolved_as_told(tmp_path: Path) -> None:
    with RawServer(OK) as server:
        settings = usual_settings(resolve=(f"site.example:{server.port}:127.0.0.1",))
        (fetched,) = fetch(
            tmp_path, FetchRequest(f"http://site.example:{server.port}/", private=True), settings=settings
        )
    assert fetched.is_whole
    assert b"Host: site.example:%d\r\n" % server.port in server.received[0]


@pytest.mark.parametrize(
    "wrong",
    ["", "host", "host:80", "host:x:127.0.0.1", "host:99999:127.0.0.1", ":80:127.0.0.1", "host:80:127.0.0.1:8080",
     "host:80:other", "host:80:127.0.0.1,", "host:²:127.0.0.1"],
)  # fmt: skip
def test_a_wrong_resolve_is_a_wrong_call(wrong: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT:ADDRESS"):
        parse_resolve(wrong)


@pytest.mark.parametrize("right", ["host:80:127.0.0.1", "host:80:::1", "host:80:[::1]", "host:80:127.0.0.1,[::1]"])
def test_addresses_are_taken_as_curl_takes_them(right: str) -> None:
    assert parse_resolve(right) == right


def test_cookies_are_kept_and_saved(tmp_path: Path) -> None:
    jar = tmp_path / "cookies.txt"
    answer = b"HTTP/1.1 200 OK\r\nSet-Cookie: taste=sweet; Path=/; Max-Age=600\r\nContent-Length: 0\r\n\r\n"
    with RawServer(answer, OK) as server:
        fetch(tmp_path, *[FetchRequest(server.url, private=True)] * 2, settings=usual_settings(save_cookies=str(jar)))
    assert b"Cookie: taste=sweet\r\n" in server.received[1]
    assert "taste\tsweet" in jar.read_text()


def test_credentials_go_to_their_host_alone_and_are_not_shown(tmp_path: Path) -> None:
    secret = Credentials("reader", "open sesame")
    settings = usual_settings(credentials={"127.0.0.1": secret})
    challenge = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    with RawServer(challenge, OK) as server, RawServer(OK) as other:
        known, unknown = fetch(
            tmp_path,
            FetchRequest(server.url, private=True),
            FetchRequest(other.url.replace("127.0.0.1", "localhost"), private=True),
            settings=settings,
        )
    assert known.is_whole
    assert b"Authorization: Basic " in server.received[-1]
    assert unknown.is_whole
    assert b"Authorization" not in other.received[0]
    assert "open sesame" not in repr(settings)
