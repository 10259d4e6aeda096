"""Ordinary requests go without libcurl after a while: what is sent and what is kept are the same either way."""

import asyncio
import gzip
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from fetcher_calls import fetch, wire
from raw_server import Cut, Held, RawServer

from fetch_settings import settings as usual_settings
from webkeep.clock import SystemClock
from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest, FetchResult
from webkeep.fetch.client import Fetcher, SpoolSink
from webkeep.fetch.client.plain_exchange import PlainConnection, PlainExchange, PlainOutcome

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
COOKIE = OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b\r\n\r\n")
BY_LIBCURL = usual_settings(plain_after=1_000_000)
PLAINLY = usual_settings(plain_after=1)


class Server(RawServer):
    """Talks with all who come at the same time."""

    def __init__(self, *answers: bytes) -> None:
        super().__init__(*answers)
        self._at_once = True
        self._open: list[socket.socket] = []

    def talk(self, connection: socket.socket) -> None:
        self._open.append(connection)
        super().talk(connection)

    def close_connections(self) -> None:
        for connection in self._open:
            connection.shutdown(socket.SHUT_RDWR)


def request(server: Server, path: str = "", limits: FetchLimits | None = None) -> FetchRequest:
    fields = (("Accept", "text/html, */*"), ("Accept-Encoding", "gzip"))
    return FetchRequest(server.url + path, headers=fields, private=True, limits=limits or FetchLimits())


def ask(
    tmp_path: Path, answers: list[bytes], *paths: str, plainly: bool, limits: FetchLimits | None = None
) -> tuple[list[FetchResult], list[bytes]]:
    """What becomes of requests for these paths, and what the server was sent, its own port apart."""
    with Server(*answers) as server:
        asked = [request(server, path, limits) for path in paths]
        results = fetch(tmp_path, *asked, settings=PLAINLY if plainly else BY_LIBCURL)
        port = str(server.port).encode()
    return results, [each.replace(port, b"PORT") for each in server.received]


def told(fetched: FetchResult) -> tuple[object, ...]:
    """All that is kept of a result, but for when it was and in which words it failed."""
    exchange = fetched.exchange
    kept: tuple[object, ...] = ()
    if exchange is not None:
        kept = (wire(exchange), exchange.truncated, exchange.protocols, exchange.address, exchange.via)
    return (*kept, fetched.failure, fetched.is_whole, fetched.request_count, len(fetched.parts), fetched.tls)


REGULAR = {
    "a length": OK,
    "nothing": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "not modified": b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 500\r\n\r\n',
    "not found": b"HTTP/1.1 404 Not Found, caf\xe9\r\nContent-Length: 3\r\n\r\nno!",
    "no words": b"HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nyes",
    "spaced": b"HTTP/1.1 200 OK\r\ncontent-length:   5 \r\nX-Odd:   spaced \r\nx-odd: again\r\n\r\nhello",
    "a redirect": b"HTTP/1.1 301 Gone on\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nthere",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n0\r\nTrailer: yes\r\n\r\n",
    "chunks and a length": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "packed": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b"
    % (len(packed := gzip.compress(b"hello" * 100, mtime=0)), packed),
    "much": b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + b"0123456789" * 300_000,
    "until the end": Cut(b"HTTP/1.1 200 OK\r\n\r\nuntil the end"),
    "closing": Cut(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"),
    "broken off": Cut(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
    "broken off within chunks": Cut(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
    "too much": Cut(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more"),
}
IRREGULAR = {
    "an interim answer": b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" + OK,
    "a folded field": b"HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\nContent-Length: 5\r\n\r\nhello",
    "no colon": Cut(b"HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 5\r\n\r\nhello"),
    "two lengths": Cut(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    "no chunks": Cut(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n"),
    "no head": Cut(b"<title>From the year 1991, without a head</title>"),
    "a cookie": COOKIE,
    "an older version": Cut(b"HTTP/1.0 200 Fine\r\n\r\nuntil the end"),
    "an older version that stays": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
    "line feeds": Cut(b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
}
REFUSED = ("no colon", "two lengths", "no chunks", "no head")
"""What libcurl does not take either, and is asked for leniently at last."""


@pytest.mark.parametrize("answer", REGULAR.values(), ids=REGULAR)
def test_the_same_is_sent_and_kept_either_way(tmp_path: Path, answer: bytes) -> None:
    answers = [OK, answer, OK]
    plain, sent_plainly = ask(tmp_path, answers, "", "a/b.html?c=%20d&e", "f", plainly=True)
    usual, sent = ask(tmp_path, answers, "", "a/b.html?c=%20d&e", "f", plainly=False)
    assert sent_plainly == sent
    assert list(map(told, plain)) == list(map(told, usual))
    assert sent[1].startswith(b"GET /a/b.html?c=%20d&e HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUser-Agent: ")
    assert not plain[1].is_reused_connection  # its way was the other one


def test_what_came_beyond_the_end_is_told_in_the_same_words(tmp_path: Path) -> None:
    answers = [OK, REGULAR["too much"]]
    (_, plain), _ = ask(tmp_path, answers, "", "", plainly=True)
    (_, usual), _ = ask(tmp_path, answers, "", "", plainly=False)
    assert plain.detail == usual.detail
    assert "9 bytes" in plain.detail


@pytest.mark.parametrize("name", IRREGULAR)
def test_what_is_irregular_is_asked_for_once_more_by_libcurl_in_its_turn(tmp_path: Path, name: str) -> None:
    answer = IRREGULAR[name]
    turns: list[int] = []

    async def run(server: Server) -> list[FetchResult]:
        async def wait() -> None:
            turns.append(len(server.received))

        async with Fetcher(PLAINLY, tmp_path) as door:
            asked = replace(request(server), before_next_request=wait)
            return [await door.fetch(request(server)), await door.fetch(asked)]

    by_libcurl = [answer] * (2 if name in REFUSED else 1)
    with Server(OK, answer, *by_libcurl) as server:
        _, plain = asyncio.run(run(server))
    (_, usual), _ = ask(tmp_path, [OK, *by_libcurl], "", "", plainly=False)
    assert turns[0] == 2
    assert plain.exchange is not None
    assert usual.exchange is not None
    assert wire(plain.exchange) == wire(usual.exchange)
    assert plain.failure is usual.failure
    assert plain.request_count == usual.request_count + 1 == len(server.received) - 1


def test_a_server_with_irregular_answers_is_asked_by_libcurl_from_then_on(tmp_path: Path) -> None:
    folded = IRREGULAR["a folded field"]
    results, sent = ask(tmp_path, [OK, folded, folded, folded, folded], "", "", "", "", plainly=True)
    assert [each.request_count for each in results] == [1, 2, 1, 1]
    assert len(sent) == 5


def test_cookies_are_sent_to_whoever_set_them(tmp_path: Path) -> None:
    results, sent = ask(tmp_path, [OK, COOKIE, COOKIE, OK, OK], "", "", "", "", plainly=True)
    assert [each.is_whole for each in results] == [True] * 4
    assert [b"\r\nCookie: a=b\r\n" in each for each in sent] == [False, False, False, True, True]


def test_cookies_that_libcurl_was_given_are_sent(tmp_path: Path) -> None:
    _, sent = ask(tmp_path, [OK, COOKIE.replace(b"OK", b"No")] + [OK] * 2, "", plainly=True)
    assert len(sent) == 1
    jar = tmp_path / "cookies.txt"
    jar.write_text("127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\tyes\n")
    with Server(OK, OK) as server:
        fetch(tmp_path, request(server), request(server), settings=replace(PLAINLY, cookies=str(jar)))
    assert all(b"\r\nCookie: mine=yes\r\n" in each for each in server.received)


def test_connections_are_used_again(tmp_path: Path) -> None:
    results, _ = ask(tmp_path, [OK] * 4, *[""] * 4, plainly=True)
    assert [each.is_reused_connection for each in results] == [False, False, True, True]


def test_a_request_that_nobody_saw_is_sent_again(tmp_path: Path) -> None:
    with Server(OK, OK, OK) as server:

        async def run() -> FetchResult:
            async with Fetcher(PLAINLY, tmp_path) as door:
                for _ in range(2):
                    await door.fetch(request(server))
                server.close_connections()
                return await door.fetch(request(server))

        fetched = asyncio.run(run())
    assert fetched.is_whole
    assert fetched.request_count == 1
    assert len(server.received) == 3


def test_what_nobody_asked_for_answers_nothing(tmp_path: Path) -> None:
    unasked = OK + OK.replace(b"hello", b"false")
    (_, first, second), _ = ask(tmp_path, [OK, unasked, OK.replace(b"hello", b"right")], "", "", "", plainly=True)
    assert wire(first.exchange) == unasked
    assert wire(second.exchange).endswith(b"right")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Le"], ids=["nothing", "a part of a head"])
def test_an_answer_that_breaks_off_before_its_body_is_told_as_such(tmp_path: Path, answer: bytes) -> None:
    (_, plain), sent_plainly = ask(tmp_path, [OK, Cut(answer)], "", "", plainly=True)
    (_, usual), sent = ask(tmp_path, [OK, Cut(answer)], "", "", plainly=False)
    assert plain.failure is usual.failure is FetchFailure.DISCONNECTED
    assert len(sent_plainly) == len(sent) == 2
    assert (plain.exchange is None) == (not answer)
    assert plain.exchange is None or wire(plain.exchange) == answer


@pytest.mark.parametrize("name", [name for name in REGULAR if name not in ("much", "too much")])
def test_an_answer_may_come_byte_by_byte(tmp_path: Path, name: str) -> None:
    answer = REGULAR[name]

    async def run() -> tuple[PlainOutcome, PlainExchange]:
        near, far = socket.socketpair()
        with far:
            connection = PlainConnection(near)
            asked = FetchRequest("http://a.example/")
            now = SystemClock().now()
            exchange = PlainExchange(asked, b"GET / HTTP/1.1\r\n\r\n", now, now, connection, SpoolSink(tmp_path))
            assert connection.send(exchange)
            for at in range(len(answer)):
                if connection.exchange is exchange:
                    far.send(answer[at : at + 1])
                    await asyncio.sleep(0)
            far.shutdown(socket.SHUT_WR)
            outcome = await exchange.outcome
            connection.close()
            return outcome, exchange

    outcome, exchange = asyncio.run(run())
    assert outcome is PlainOutcome.ENDED
    kept = exchange.head + b"".join(exchange.sink.take_body().chunks())
    assert kept == answer
    assert (exchange.failure is not None) == name.startswith("broken off")


@pytest.mark.parametrize("plainly", [True, False])
def test_limits_hold_either_way(tmp_path: Path, plainly: bool) -> None:
    (_, large), _ = ask(tmp_path, [OK, REGULAR["much"]], "", "", plainly=plainly, limits=FetchLimits(size=1000))
    assert large.failure is FetchFailure.TOO_LARGE
    assert large.detail == "more than 1000 bytes"
    assert len(wire(large.exchange).partition(b"\r\n\r\n")[2]) == 1000
    held = Held(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    (_, late), _ = ask(tmp_path, [OK, held], "", "", plainly=plainly, limits=FetchLimits(seconds=0.6))
    assert late.failure is FetchFailure.TIMEOUT
    slow = FetchLimits(max_stall_seconds=1, min_rate=1000)
    (_, stalled), _ = ask(tmp_path, [OK, held], "", "", plainly=plainly, limits=slow)
    assert stalled.failure is FetchFailure.STALLED
    assert wire(late.exchange) == wire(stalled.exchange) == held
    assert late.exchange is not None
    assert late.exchange.truncated == "time"


@pytest.mark.parametrize("plainly", [True, False])
def test_a_head_that_is_unwanted_ends_it_either_way(tmp_path: Path, plainly: bool) -> None:
    with Server(OK, OK) as server:
        filtered = replace(request(server), head_filter=lambda head: "plain text" if b"text/plain" in head else "")
        settings = PLAINLY if plainly else BY_LIBCURL
        _, unwanted = fetch(tmp_path, request(server), filtered, settings=settings)
    assert unwanted.failure is FetchFailure.UNWANTED
    assert unwanted.detail == "plain text"
    assert wire(unwanted.exchange) == OK.removesuffix(b"hello")


def test_only_what_may_be_private_goes_to_private_addresses(tmp_path: Path) -> None:
    with Server(OK, OK) as server:
        public = replace(request(server), private=False)
        first, second, refused = fetch(tmp_path, request(server), request(server), public, settings=PLAINLY)
    assert first.is_whole
    assert second.is_whole
    assert refused.failure is FetchFailure.FORBIDDEN_ADDRESS


def test_one_that_is_let_go_leaves_nothing_behind(tmp_path: Path) -> None:
    with Server(OK, Held(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), OK) as server:

        async def run() -> FetchResult:
            async with Fetcher(PLAINLY, tmp_path) as door:
                await door.fetch(request(server))
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(door.fetch(request(server)), 0.3)
                return await door.fetch(request(server))

        assert wire(asyncio.run(run()).exchange) == OK
    assert len(server.received) == 3


def test_an_error_of_ours_is_raised_where_the_answer_is_awaited(tmp_path: Path) -> None:
    def fail(head: bytes) -> str:
        raise ValueError(head)

    with Server(OK, OK) as server, pytest.raises(ValueError, match="200 OK"):
        fetch(tmp_path, request(server), replace(request(server), head_filter=fail), settings=PLAINLY)
