"""Answers through the recording proxy as RFC 9110 and 9112 have them: what a client gets of what a server said."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from long_recording import long_recording
from record_calls import RecordRun
from two_ends import Line, Origin, client, status

NEXT = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    with long_recording(tmp_path_factory.mktemp("answers"), "--private") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


def ask(asking: Line, origin: Origin, method: bytes = b"GET", path: bytes = b"", version: bytes = b"1.1") -> None:
    asking.send(b"%s http://%s/%s HTTP/%s\r\nHost: x\r\n\r\n" % (method, origin.name.encode(), path, version))


def answered(asking: Line, origin: Origin, answer: bytes, method: bytes = b"GET") -> Line:
    """Ask for something and have it answered; gives the server's side."""
    ask(asking, origin, method)
    server = origin.accept()
    server.head()
    return server.send(answer)


def next_works(asking: Line, origin: Origin) -> None:
    """The same connection takes another request, and it gets its own answer."""
    ask(asking, origin, path=b"next")
    assert origin.next_head().startswith(b"GET /next ")
    origin.spoken.send(NEXT)
    assert asking.exactly(len(NEXT)) == NEXT


UNCHANGED = {
    "9112 6.2 a length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "9112 6.2 a length of nothing": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "9112 7.1 chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "9112 7.1 chunks as they were cut": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n00a\r\nello world\r\n000\r\n\r\n"
    ),
    "9112 7.1.1 extensions of chunks": (
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=1;b="c"\r\nhello\r\n0;z\r\n\r\n'
    ),
    "9112 7.1.2 trailers": (
        b"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 5d41\r\n\r\n"
    ),
    "9112 7.2 other transfer codings": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\n\x1f\x8bbad\r\n0\r\n\r\n"
    ),
    "9112 4 a phrase of one's own": b"HTTP/1.1 200 Very Well, Thank You\r\nContent-Length: 2\r\n\r\nok",
    "9112 4 no phrase": b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok",
    "9110 15 an unknown status": b"HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok",
    "9110 15 an unknown error": b"HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nno",
    "9110 5.3 the order and case of fields": (
        b"HTTP/1.1 200 OK\r\nserver: a\r\nX-B: 1\r\nCONTENT-length: 2\r\nX-A: 2\r\nX-B: 3\r\n\r\nok"
    ),
    "9110 5.5 bytes beyond ASCII": b"HTTP/1.1 200 OK\r\nX: gr\xc3\xbc\xdf\r\nContent-Length: 2\r\n\r\nok",
    "9112 5.1 space around values": b"HTTP/1.1 200 OK\r\nX:a\r\nY:  b \t\r\nZ:\r\nContent-Length:2\r\n\r\nok",
    "6265 cookies stay apart": (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok"
    ),
    "9110 8.4 codings stay": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n\x1f\x8bbad!",
    "9110 15.4.3 redirects are the client's affair": (
        b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    ),
    "9110 15.5.2 so are logins": (
        b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm="a"\r\n'
        b"Content-Length: 2\r\n\r\nno"
    ),
    "9110 15.5.8 a login at another proxy": (
        b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="a"\r\n'
        b"Content-Length: 2\r\n\r\nno"
    ),
    "9110 15.3.7 a range": b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1-2/9\r\nContent-Length: 2\r\n\r\nok",
    "9110 14.6 several ranges": (
        b"HTTP/1.1 206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=B\r\nContent-Length: 85\r\n\r\n"
        b"--B\r\nContent-Range: bytes 0-1/9\r\n\r\nab\r\n--B\r\nContent-Range: bytes 3-4/9\r\n\r\nde\r\n--B--\r\n"
    ),
    "9110 15.5.17 no such range": (
        b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */9\r\nContent-Length: 0\r\n\r\n"
    ),
    "9110 15.3.6 Reset Content": b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
    "9110 7.6.3 Via of others": b"HTTP/1.1 200 OK\r\nVia: 1.1 fred\r\nContent-Length: 2\r\n\r\nok",
    "9111 5.1 Age": b"HTTP/1.1 200 OK\r\nAge: 7\r\nCache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nok",
    "6797 what concerns later visits": (
        b'HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=9\r\nAlt-Svc: h3=":443"\r\nContent-Length: 2\r\n\r\nok'
    ),
    "a large field": b"HTTP/1.1 200 OK\r\nX: " + b"v" * 60_000 + b"\r\nContent-Length: 2\r\n\r\nok",
    "many fields": (
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: 1\r\n" % at for at in range(1000)) + b"Content-Length: 2\r\n\r\nok"
    ),
    "every byte there is": b"HTTP/1.1 200 OK\r\nContent-Length: 256\r\n\r\n" + bytes(range(256)),
    "a body that looks like an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
}


@pytest.mark.parametrize("answer", UNCHANGED.values(), ids=UNCHANGED)
def test_answers_that_pass_unchanged(run: RecordRun, origin: Origin, answer: bytes) -> None:
    with client(run.port) as asking:
        answered(asking, origin, answer)
        assert asking.exactly(len(answer)) == answer
        next_works(asking, origin)


BODILESS = {
    "9110 9.3.2 HEAD with a length": (b"HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
    "9110 9.3.2 HEAD with chunks": (b"HEAD", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "9110 9.3.2 HEAD without either": (b"HEAD", b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n"),
    "9110 9.3.2 HEAD of what is missing": (b"HEAD", b"HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\n"),
    "9110 15.3.5 No Content": (b"GET", b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n"),
    "9110 15.3.5 No Content after DELETE": (b"DELETE", b"HTTP/1.1 204 No Content\r\n\r\n"),
    "9110 15.4.5 Not Modified": (b"GET", b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'),
    "9110 15.4.5 Not Modified with a length": (b"GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"),
}


@pytest.mark.parametrize(("method", "answer"), BODILESS.values(), ids=BODILESS)
def test_answers_without_a_body(run: RecordRun, origin: Origin, method: bytes, answer: bytes) -> None:
    with client(run.port) as asking:
        answered(asking, origin, answer, method)
        assert asking.head() == answer
        next_works(asking, origin)


@dataclass(frozen=True)
class Changed:
    """An answer, and what the client gets of it."""

    said: bytes
    seen: bytes


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
HOPS = {
    "Connection: close": Changed(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", OK),
    "Keep-Alive": Changed(
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok", OK
    ),
    "what Connection names": Changed(
        b"HTTP/1.1 200 OK\r\nX-Hop: 1\r\nConnection: x-hop, close\r\nContent-Length: 2\r\n\r\nok", OK
    ),
    "an offer to upgrade": Changed(
        b"HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nok", OK
    ),
    "Proxy-Connection": Changed(b"HTTP/1.1 200 OK\r\nProxy-Connection: close\r\nContent-Length: 2\r\n\r\nok", OK),
    "framing that Connection names stays": Changed(
        b"HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 2\r\n\r\nok", OK
    ),
}


@pytest.mark.parametrize("case", HOPS.values(), ids=HOPS)
def test_9110_7_6_1_what_concerns_one_connection_stays_there(run: RecordRun, origin: Origin, case: Changed) -> None:
    with client(run.port) as asking:
        server = answered(asking, origin, case.said)
        assert asking.exactly(len(case.seen)) == case.seen
        server.close()
        next_works(asking, origin)


INTERIM = {
    "100 unasked": b"HTTP/1.1 100 Continue\r\n\r\n",
    "102": b"HTTP/1.1 102 Processing\r\n\r\n",
    "103 with links": b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>; rel=preload\r\n\r\n",
    "103 twice": b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <b>\r\n\r\n",
    "one nobody knows": b"HTTP/1.1 199 Odd\r\nX: y\r\n\r\n",
}


@pytest.mark.parametrize("interim", INTERIM.values(), ids=INTERIM)
def test_9110_15_2_interim_answers_pass_before_the_final_one_is_there(
    run: RecordRun, origin: Origin, interim: bytes
) -> None:
    with client(run.port) as asking:
        server = answered(asking, origin, interim)
        assert asking.exactly(len(interim)) == interim
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
        next_works(asking, origin)


def test_9110_15_2_interim_answers_are_not_for_clients_of_http_1_0(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        ask(asking, origin, version=b"1.0")
        server = origin.accept()
        server.head()
        server.send(b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + OK)
        assert asking.rest() == OK


def test_9112_6_3_a_body_that_ends_with_the_connection(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        answered(asking, origin, b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello").close()
        assert asking.rest() == b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello"


def test_9112_6_3_a_server_of_http_1_0(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        answered(asking, origin, b"HTTP/1.0 200 OK\r\nX: y\r\n\r\nhello").close()
        answer = asking.rest()
    assert status(answer) == 200
    assert answer.endswith(b"\r\nX: y\r\n\r\nhello")


def test_9112_7_1_chunks_are_undone_for_clients_of_http_1_0(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        ask(asking, origin, version=b"1.0")
        server = origin.accept()
        server.head()
        server.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n")
        assert asking.rest() == b"HTTP/1.1 200 OK\r\n\r\nhello"


TWO_READINGS = {
    "6.3 two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhello",
    "6.3 a list of lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2, 5\r\n\r\nhello",
    "6.3 a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
    "6.3 a length with a sign": b"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
    "6.3 less than nothing": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
    "9110 5.5 a zero byte": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
    "6.1 chunks by HTTP/1.0": b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "6.3 chunked is not the last coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nhello",
    "9110 15.2.2 a switch that nobody asked for": (
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nwhatever"
    ),
    "7.1 a broken chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nto\r\n0\r\n\r\n",
    "4 no HTTP": b"hello, is this HTTP?\r\n\r\n",
    "4 HTTP/0.9": b"<html>hello</html>",
    "4 another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "4 a status of two digits": b"HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok",
    "4 a status that is none": b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok",
    "nothing at all": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
}


@pytest.mark.parametrize("said", TWO_READINGS.values(), ids=TWO_READINGS)
def test_9112_answers_that_can_be_read_in_two_ways(run: RecordRun, origin: Origin, said: bytes) -> None:
    """The client is told that this is no answer (502), or gets what the server sent and the end of the connection.

    RFC 9112 would have the first alone; but a recording changes nothing, and a browser shows a person why it fails.
    Either way nothing that follows can be taken for the answer to another request.
    """
    with client(run.port) as asking:
        ask(asking, origin)
        server = origin.accept()
        while server is not None:  # an answer that cannot be read may be asked for again
            server.head()
            server.send(said).close()
            server = origin.came_again(asking)
        seen = asking.rest()
    assert seen == said or status(seen) == 502


UNCLEAN = {
    "5.1 space before a colon": Changed(b"X-A : 1\r\nContent-Length: 2\r\n\r\nok", b"X-A : "),
    "5.2 a folded line": Changed(b"X-A: a\r\n  b\r\nContent-Length: 2\r\n\r\nok", b"\r\n "),
    "6.3 a coding and a length": Changed(
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", b"Content-Length"
    ),
}


@pytest.mark.parametrize("case", UNCLEAN.values(), ids=UNCLEAN)
def test_9112_answers_that_are_cleaned_or_end_the_connection(run: RecordRun, origin: Origin, case: Changed) -> None:
    """Where `seen` is still in the head, nothing may follow on the same connection."""
    with client(run.port) as asking:
        answered(asking, origin, b"HTTP/1.1 200 OK\r\n" + case.said)
        head = asking.head()
        if status(head) == 502:
            return
        assert b"ok" in asking.until(b"ok")
        if case.seen in head:
            asking.rest()  # the proxy ends it, or this fails for want of patience
        elif b"Transfer-Encoding" in head:
            assert asking.until(b"0\r\n\r\n")


BROKEN_OFF = {
    "before its length": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
    "within a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhello",
    "before the last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "before the last empty line": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
}


@pytest.mark.parametrize("said", BROKEN_OFF.values(), ids=BROKEN_OFF)
def test_9112_8_an_answer_that_breaks_off_breaks_off_for_the_client(
    run: RecordRun, origin: Origin, said: bytes
) -> None:
    with client(run.port) as asking:
        server = answered(asking, origin, said)
        assert asking.exactly(len(said)) == said
        server.close()
        assert asking.rest() == b""


def test_9112_6_3_what_comes_beyond_the_length_is_not_passed_on(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        answered(asking, origin, OK + b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nevil!!!")
        assert asking.exactly(len(OK)) == OK
        next_works(asking, origin)


def test_9112_9_2_an_answer_nobody_asked_for_answers_nothing(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        server = answered(asking, origin, OK)
        assert asking.exactly(len(OK)) == OK
        server.send(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nevil!!!")
        ask(asking, origin, path=b"next")
        again = origin.accept()
        assert again.head().startswith(b"GET /next ")
        again.send(NEXT)
        assert asking.exactly(len(NEXT)) == NEXT


def test_a_head_without_an_end_does_not_fill_the_memory(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        ask(asking, origin)
        server: Line | None = origin.accept()
        while server is not None:
            server.head()
            server.send_until_refused(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 60_000 + b"\r\n")
            server = origin.came_again(asking)
        seen = asking.rest()
    assert status(seen) == 502 or b"\r\n\r\n" not in seen
