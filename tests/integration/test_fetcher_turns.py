"""Whoever makes a request is asked before anything more is sent for it."""

import asyncio
from pathlib import Path

import pytest
from fetcher_calls import fetch, wire
from raw_server import Cut, RawServer

from fetch_settings import settings as usual_settings
from webkeep.clock import SystemClock
from webkeep.fetch import Credentials, FetchFailure, FetchRequest
from webkeep.model import Moment

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
BROKEN = b'HTTP/1.1 200 OK\r\nETag: "v1"\r\nContent-Length: 10\r\n\r\n01234'
REST = b'HTTP/1.1 206 Rest\r\nETag: "v1"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\n56789'
ODD = b"HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 5\r\n\r\nhello"
BASIC = b'HTTP/1.1 401 Who?\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 4\r\n\r\nwho?'
DIGEST = BASIC.replace(b'Basic realm="x"', b'Digest realm="r", nonce="n0", qop="auth", algorithm=MD5')
STALE = DIGEST.replace(b"qop", b"stale=true, qop")
LOGIN = usual_settings(credentials={"127.0.0.1": Credentials("reader", "open sesame")})


class Turns:
    """Notes how many requests the server had seen whenever it was asked."""

    def __init__(self, server: RawServer) -> None:
        self._server = server
        self.seen: list[int] = []

    async def __call__(self) -> None:
        self.seen.append(len(self._server.received))


@pytest.mark.parametrize(
    ("answers", "turns"),
    [
        ([OK], []),
        ([Cut(BROKEN), REST], [1]),
        ([Cut(ODD), Cut(ODD)], [1]),
        ([BASIC, OK], [1]),
        ([DIGEST, OK], [1]),
        ([DIGEST, STALE, OK], [1, 2]),
        ([BASIC, BASIC], [1]),
        ([BASIC, Cut(BROKEN), REST], [1, 2]),
        ([BASIC, Cut(ODD), Cut(ODD)], [1, 2]),
    ],
    ids=["none", "the rest", "plainly", "basic", "digest", "stale", "refused", "both", "basic and plainly"],
)
def test_every_further_request_waits_for_its_turn(tmp_path: Path, answers: list[bytes], turns: list[int]) -> None:
    with RawServer(*answers) as server:
        asked = Turns(server)
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, before_next_request=asked), settings=LOGIN)
    assert asked.seen == turns
    assert fetched.is_whole
    assert fetched.request_count == len(server.received) == len(answers)
    assert wire(fetched.parts[-1]) == answers[-1]
    assert all(start <= end for start, end in fetched.spans)
    assert all(one[1] <= other[0] for one, other in zip(fetched.spans, fetched.spans[1:], strict=False))


def test_the_time_waited_belongs_to_no_request(tmp_path: Path) -> None:
    waited: list[Moment] = []

    async def note() -> None:
        waited.append(SystemClock().now())

    with RawServer(DIGEST, OK) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, before_next_request=note), settings=LOGIN)
    (_, first_ended), (second_sent, _) = fetched.spans
    assert first_ended <= waited[0] <= second_sent
    assert fetched.challenge.startswith("Digest")


def test_credentials_that_were_asked_for_are_remembered(tmp_path: Path) -> None:
    with RawServer(DIGEST, OK, OK) as server:
        asked = Turns(server)
        fetch(tmp_path, *[FetchRequest(server.url, private=True, before_next_request=asked)] * 2, settings=LOGIN)
    assert asked.seen == [1]
    assert b"Authorization: Digest " in server.received[2]


@pytest.mark.parametrize("waits", [True, False])
def test_a_server_that_never_stops_asking_is_given_up(tmp_path: Path, waits: bool) -> None:
    with RawServer(DIGEST, *[STALE] * 10) as server:
        asked = Turns(server) if waits else None
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, before_next_request=asked), settings=LOGIN)
    assert fetched.failure is FetchFailure.PROTOCOL
    assert fetched.request_count == len(server.received) == 4


def test_a_caller_that_gives_up_waiting_ends_the_request(tmp_path: Path) -> None:
    async def never() -> None:
        raise asyncio.CancelledError

    for answer in (Cut(BROKEN), Cut(ODD), DIGEST):
        with RawServer(answer) as server, pytest.raises(asyncio.CancelledError):
            fetch(tmp_path, FetchRequest(server.url, private=True, before_next_request=never), settings=LOGIN)
        assert len(server.received) == 1
