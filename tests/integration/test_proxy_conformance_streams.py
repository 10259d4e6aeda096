"""Streams through the recording proxy, by causality: each side speaks only after what the other said has arrived."""

from collections.abc import Iterator

import pytest
from long_recording import LongRun, long_recording
from record_calls import requests, responses
from two_ends import Line, Origin, client, status

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
PIECE = bytes(range(256)) * 64
FINAL = {
    "expectation failed": b"HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno",
    "not allowed": b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno",
    "too large": b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongRun]:
    with long_recording(tmp_path_factory.mktemp("streams"), "--private") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


def get(origin: Origin, path: bytes = b"") -> bytes:
    return b"GET http://%s/%s HTTP/1.1\r\nHost: x\r\n\r\n" % (origin.name.encode(), path)


def post(origin: Origin, *lines: bytes) -> bytes:
    head = b"POST http://%s/ HTTP/1.1\r\nHost: x\r\n" % origin.name.encode()
    return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def begun(asking: Line, origin: Origin, request: bytes) -> Line:
    asking.send(request)
    server = origin.accept()
    server.head()
    return server


STREAMS = {
    "chunks": (b"Transfer-Encoding: chunked\r\n", b"9\r\ndata: %d\n\n\r\n", b"0\r\n\r\n"),
    "until the connection ends": (b"Cache-Control: no-store\r\n", b"data: %d\n\n", b""),
    "a length": (b"Content-Length: 45\r\n", b"data: %d\n\n", b""),
}


@pytest.mark.parametrize(("line", "event", "end"), STREAMS.values(), ids=STREAMS)
def test_every_event_arrives_before_the_next_is_sent(
    run: LongRun, origin: Origin, line: bytes, event: bytes, end: bytes
) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, get(origin))
        server.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + line + b"\r\n")
        assert status(asking.head()) == 200
        for number in range(5):
            server.send(event % number)
            assert asking.exactly(len(event) - 1) == event % number
        server.send(end).close()
        assert asking.exactly(len(end)) == end


def test_an_event_that_comes_byte_by_byte_goes_on_byte_by_byte(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, get(origin))
        for byte in b"HTTP/1.1 200 OK\r\n\r\n":
            server.send(bytes([byte]))
        asking.head()
        for byte in b"data: one\n\n":
            server.send(bytes([byte]))
            assert asking.exactly(1) == bytes([byte])


def test_long_polls_wait_without_holding_anyone_up(run: LongRun, origin: Origin) -> None:
    """As many as two hundred clients wait for an answer, and one who comes after them is answered first."""
    waiting = [client(run.port).send(get(origin, b"poll")) for _ in range(200)]
    held = [origin.accept() for _ in waiting]
    with Origin() as other, client(run.port) as asking:
        begun(asking, other, get(other)).send(OK)
        assert asking.exactly(len(OK)) == OK
    with client(run.port) as asking:
        begun(asking, origin, get(origin)).send(OK)
        assert asking.exactly(len(OK)) == OK
    for server in held:
        server.head()
        server.send(OK)
    for each in waiting:
        assert each.exactly(len(OK)) == OK
        each.close()


def test_an_upload_arrives_piece_by_piece(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: %d" % (len(PIECE) * 20)))
        for _ in range(20):
            asking.send(PIECE)
            assert server.exactly(len(PIECE)) == PIECE
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_chunks_of_an_upload_arrive_one_by_one(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Transfer-Encoding: chunked"))
        for number in range(10):
            word = b"word %d;" % number
            asking.send(b"%x\r\n%s\r\n" % (len(word), word))
            assert word in server.until(word)
        asking.send(b"0\r\n\r\n")
        server.until(b"0\r\n\r\n")
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_both_directions_at_once(run: LongRun, origin: Origin) -> None:
    """A server that answers while it still reads, as an echo does."""
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: 50"))
        server.send(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
        for number in range(5):
            word = b"word %d ok!" % number
            asking.send(word)
            assert server.exactly(10) == word
            server.send(word)
            assert (asking.head() if number == 0 else b"") in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
            assert asking.exactly(10) == word


def test_large_bodies_both_ways(run: LongRun, origin: Origin) -> None:
    count = 512
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: %d" % (len(PIECE) * count)))
        for _ in range(count):
            asking.send(PIECE)
            assert server.exactly(len(PIECE)) == PIECE
        server.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(PIECE) * count))
        asking.head()
        for _ in range(count):
            server.send(PIECE)
            assert asking.exactly(len(PIECE)) == PIECE


# Expectations (RFC 9110, 10.1.1)


def test_9110_10_1_1_the_body_comes_once_the_server_wants_it(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(post(origin, b"Content-Length: 5", b"Expect: 100-continue"))
        server = origin.accept()
        assert b"expect: 100-continue\r\n" in server.head().lower()
        server.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert asking.head() == b"HTTP/1.1 100 Continue\r\n\r\n"
        asking.send(b"hello")
        assert server.exactly(5) == b"hello"
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


@pytest.mark.parametrize("answer", FINAL.values(), ids=FINAL)
def test_9110_10_1_1_a_server_that_does_not_want_the_body(run: LongRun, origin: Origin, answer: bytes) -> None:
    with client(run.port) as asking:
        asking.send(post(origin, b"Content-Length: 5", b"Expect: 100-continue"))
        server = origin.accept()
        server.head()
        server.send(answer)
        head = asking.head()
        assert status(head) == status(answer)
        assert asking.exactly(2) == b"no"


def test_9110_10_1_1_a_client_that_does_not_wait(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(post(origin, b"Content-Length: 5", b"Expect: 100-continue") + b"hello")
        server = origin.accept()
        server.head()
        server.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert server.exactly(5) == b"hello"
        server.send(OK)
        assert b"".join(asking.answer()) == OK


def test_9110_10_1_1_a_server_that_knows_no_expectations(run: LongRun, origin: Origin) -> None:
    """It waits for the body and says nothing; after a while the body is sent to it all the same."""
    with client(run.port) as asking:
        asking.send(post(origin, b"Content-Length: 5", b"Expect: 100-continue"))
        server = origin.accept()
        server.head()
        assert asking.head() == b"HTTP/1.1 100 Continue\r\n\r\n"
        asking.send(b"hello")
        assert server.exactly(5) == b"hello"
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_9110_10_1_1_an_expectation_that_is_not_known(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(post(origin, b"Content-Length: 5", b"Expect: miracles") + b"hello")
        ready = origin.came_again(asking)
        if ready is None:
            assert status(asking.head()) == 417
        else:
            assert b"expect: 100-continue" not in ready.head().lower()
            assert ready.exactly(5) == b"hello"


def test_9110_10_1_1_expectations_of_http_1_0_are_none(run: LongRun, origin: Origin) -> None:
    request = (
        b"POST http://%s/ HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello" % origin.name.encode()
    )
    with client(run.port) as asking:
        server = begun(asking, origin, request)
        assert server.exactly(5) == b"hello"
        server.send(OK)
        assert asking.rest() == OK


def test_a_server_that_answers_before_it_has_read_all(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: 1000000"))
        asking.send(PIECE)
        server.exactly(len(PIECE))
        server.send(FINAL["too large"])
        head = asking.head()
        assert status(head) == 413
        assert asking.exactly(2) == b"no"


def test_a_server_that_closes_in_the_middle_of_an_upload(run: LongRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: 1000000"))
        asking.send(PIECE)
        server.exactly(len(PIECE))
        server.break_off()
        assert status(asking.rest()) == 502


def test_what_passed_is_recorded(run: LongRun, origin: Origin) -> None:
    """An answer is in the archive before the session ends: the event that tells of it comes after the record."""
    url = f"http://{origin.name}/"
    with client(run.port) as asking:
        server = begun(asking, origin, post(origin, b"Content-Length: 5", b"Content-Type: a/b"))
        asking.send(b"hello")
        server.exactly(5)
        server.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nok\r\n0\r\nT: 1\r\n\r\n")
        asking.until(b"T: 1\r\n\r\n")
    run.wait_for(url)
    (request,), (response,) = requests(run.archive, url), responses(run.archive, url)
    assert request.body == b"hello"
    assert response.body == b"2;x\r\nok\r\n0\r\nT: 1\r\n\r\n"
