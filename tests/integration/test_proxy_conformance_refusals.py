"""Requests that the recording proxy must not pass on, by RFC 9112: what two readers could understand in two ways."""

from collections.abc import Iterator

import pytest
from long_recording import long_recording
from record_calls import RecordRun
from two_ends import Origin, client, status

GET, POST = b"GET http://ORIGIN/ HTTP/1.1\r\nHost: x\r\n", b"POST http://ORIGIN/ HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    with long_recording(tmp_path_factory.mktemp("refusals"), "--private") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


HEADS = {
    "2.2 a carriage return alone": GET + b"X: a\rb\r\n\r\n",
    "2.2 a line feed alone": GET + b"X: a\nY: b\r\n\r\n",
    "2.2 line feeds all over": b"GET http://ORIGIN/ HTTP/1.1\nHost: x\n\n",
    "2.2 space before the first field": b"GET http://ORIGIN/ HTTP/1.1\r\n Host: x\r\n\r\n",
    "3 two spaces": b"GET  http://ORIGIN/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3 a tab for a space": b"GET\thttp://ORIGIN/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3 a space in the target": b"GET http://ORIGIN/a b HTTP/1.1\r\nHost: x\r\n\r\n",
    "3 a space behind the version": b"GET http://ORIGIN/ HTTP/1.1 \r\nHost: x\r\n\r\n",
    "3 no version": b"GET http://ORIGIN/\r\nHost: x\r\n\r\n",
    "3 no target": b"GET HTTP/1.1\r\nHost: x\r\n\r\n",
    "2.3 a version in small letters": b"GET http://ORIGIN/ http/1.1\r\nHost: x\r\n\r\n",
    "2.3 a version of two digits": b"GET http://ORIGIN/ HTTP/1.10\r\nHost: x\r\n\r\n",
    "3.1 a method that is none": b"G(E)T http://ORIGIN/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2.1 authority form without CONNECT": b"GET ORIGIN HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2.2 a fragment": b"GET http://ORIGIN/#x HTTP/1.1\r\nHost: x\r\n\r\n",
    "9110 4.2.4 credentials in the target": b"GET http://u:p@ORIGIN/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2.2 another scheme": b"GET gopher://ORIGIN/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2.2 no host": b"GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2.2 a port that is none": b"GET http://127.0.0.1:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "3.2 no Host": b"GET http://ORIGIN/ HTTP/1.1\r\n\r\n",
    "3.2 Host twice": GET + b"Host: x\r\n\r\n",
    "3.2 Host with a space": b"GET http://ORIGIN/ HTTP/1.1\r\nHost: a b\r\n\r\n",
    "3.2 Host with a path": b"GET http://ORIGIN/ HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "3.2 Host that is a list": b"GET http://ORIGIN/ HTTP/1.1\r\nHost: a.test, b.test:1:2\r\n\r\n",
    "5.1 space before the colon": GET + b"X : 1\r\n\r\n",
    "5.1 a tab before the colon": GET + b"Content-Length\t: 1\r\n\r\nx",
    "5.1 a name with a space": GET + b"X Y: 1\r\n\r\n",
    "5.1 no name": GET + b": 1\r\n\r\n",
    "5.1 no colon": GET + b"nothing\r\n\r\n",
    "5.2 a folded line": GET + b"X: a\r\n b\r\n\r\n",
    "5.2 a folded length": POST + b"Content-Length:\r\n 5\r\n\r\nhello",
    "5.2 a folded coding": POST + b"Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n",
    "9110 5.5 a zero byte": GET + b"X: a\0b\r\n\r\n",
    "9110 5.5 a control character": GET + b"X: a\x08b\r\n\r\n",
    "6.1 a coding and a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "6.1 a length and a coding": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "6.1 chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "6.1 chunks by HTTP/1.0": (
        b"POST http://ORIGIN/ HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "6.2 two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "6.2 a list of lengths": POST + b"Content-Length: 5, 6\r\n\r\nhello",
    "6.2 a length with a sign": POST + b"Content-Length: +5\r\n\r\nhello",
    "6.2 less than nothing": POST + b"Content-Length: -5\r\n\r\nhello",
    "6.2 a length in hexadecimal": POST + b"Content-Length: 0x5\r\n\r\nhello",
    "6.2 a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\nhellohello",
    "6.2 a length with a point": POST + b"Content-Length: 5.0\r\n\r\nhello",
    "6.2 a length with a space within": POST + b"Content-Length: 5 5\r\n\r\nhello",
    "6.2 no length": POST + b"Content-Length:\r\n\r\nhello",
    "6.2 other digits": POST + "Content-Length: ٥\r\n\r\nhello".encode(),
    "6.2 more than can be counted": POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nhello",
    "bytes of another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a mail": b"EHLO mail.test\r\nMAIL FROM:<a@test>\r\n\r\n",
}


@pytest.mark.parametrize("request_bytes", HEADS.values(), ids=HEADS)
def test_heads_that_are_refused(run: RecordRun, origin: Origin, request_bytes: bytes) -> None:
    with client(run.port) as asking:
        asking.send(request_bytes.replace(b"ORIGIN", origin.name.encode()))
        answer = asking.rest()
    assert status(answer) == 400
    assert origin.is_alone


CODINGS = {
    "gzip alone": b"Transfer-Encoding: gzip",
    "gzip in chunks": b"Transfer-Encoding: gzip, chunked",
    "chunks in gzip": b"Transfer-Encoding: chunked, gzip",
    "chunks in chunks": b"Transfer-Encoding: chunked, chunked",
    "identity": b"Transfer-Encoding: identity",
    "a name that looks like it": b"Transfer-Encoding: xchunked",
    "a name in quotes": b'Transfer-Encoding: "chunked"',
    "a parameter": b"Transfer-Encoding: chunked;q=1",
    "nothing": b"Transfer-Encoding:",
}


@pytest.mark.parametrize("line", CODINGS.values(), ids=CODINGS)
def test_9112_6_1_transfer_codings_that_are_not_understood(run: RecordRun, origin: Origin, line: bytes) -> None:
    with client(run.port) as asking:
        asking.send(POST.replace(b"ORIGIN", origin.name.encode()) + line + b"\r\n\r\n0\r\n\r\n")
        assert status(asking.rest()) in (400, 501)
    assert origin.is_alone


def test_9112_6_1_a_vertical_tab_is_no_space(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(POST.replace(b"ORIGIN", origin.name.encode()) + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n")
        assert status(asking.rest()) in (400, 501)
    assert origin.is_alone


@pytest.mark.parametrize("version", ["HTTP/2.0", "HTTP/0.9", "HTTP/3.1", "HTTP/1.2"])
def test_9110_15_6_6_other_versions(run: RecordRun, origin: Origin, version: str) -> None:
    """By RFC 9110, 2.5 a recipient takes a higher minor version for its own; others are not spoken."""
    with client(run.port) as asking:
        asking.send(b"GET http://%s/ %s\r\nHost: x\r\n\r\n" % (origin.name.encode(), version.encode()))
        if version == "HTTP/1.2":
            server = origin.accept()
            assert server.head().startswith(b"GET / HTTP/1.1\r\n")
        else:
            assert status(asking.rest()) in (400, 505)
            assert origin.is_alone


BROKEN_CHUNKS = {
    "no size": b"\r\nhello\r\n0\r\n\r\n",
    "a word for a size": b"five\r\nhello\r\n0\r\n\r\n",
    "a size with 0x": b"0x5\r\nhello\r\n0\r\n\r\n",
    "a size with a sign": b"+5\r\nhello\r\n0\r\n\r\n",
    "less than nothing": b"-5\r\nhello\r\n0\r\n\r\n",
    "a space before the size": b" 5\r\nhello\r\n0\r\n\r\n",
    "an underscore in the size": b"0_5\r\nhello\r\n0\r\n\r\n",
    "more than can be counted": b"f" * 20 + b"\r\nhello\r\n0\r\n\r\n",
    "a size that ends in a line feed": b"5\nhello\r\n0\r\n\r\n",
    "a line feed in an extension": b"5;a\nb\r\nhello\r\n0\r\n\r\n",
    "a carriage return in an extension": b"5;a\rb\r\nhello\r\n0\r\n\r\n",
    "an extension without an end": b"5;" + b"a" * 100_000,
    "data that is too long": b"5\r\nhello!\r\n0\r\n\r\n",
    "data that ends in a line feed": b"5\r\nhello\n0\r\n\r\n",
    "trailers that end in line feeds": b"0\nX: 1\n\n",
    "a trailer without an end": b"0\r\nX: " + b"a" * 100_000,
}


@pytest.mark.parametrize("chunks", BROKEN_CHUNKS.values(), ids=BROKEN_CHUNKS)
def test_9112_7_1_broken_chunks_never_make_a_whole_request(run: RecordRun, origin: Origin, chunks: bytes) -> None:
    with client(run.port) as asking:
        asking.send(CHUNKED.replace(b"ORIGIN", origin.name.encode()) + chunks)
        assert status(asking.rest()) == 400
    while not origin.is_alone:
        assert not origin.last.rest().endswith(b"0\r\n\r\n"), "the server was told that the body is whole"


TRUNCATED = {
    "a length that is not reached": POST + b"Content-Length: 50\r\n\r\nhello",
    "chunks that do not end": CHUNKED + b"5\r\nhello\r\n",
    "a chunk that does not end": CHUNKED + b"50\r\nhello",
    "a last chunk without its empty line": CHUNKED + b"5\r\nhello\r\n0\r\n",
}


@pytest.mark.parametrize("request_bytes", TRUNCATED.values(), ids=TRUNCATED)
def test_9112_8_a_body_that_breaks_off_does_so_for_the_server(
    run: RecordRun, origin: Origin, request_bytes: bytes
) -> None:
    with client(run.port) as asking:
        asking.send(request_bytes.replace(b"ORIGIN", origin.name.encode()))
        server = origin.accept()
        head = server.head()
        asking.break_off()
    body = server.rest()
    assert b"hello" in body or body == b""
    assert not body.endswith(b"0\r\n\r\n")
    assert b"content-length: 5\r\n" not in head.lower()


def test_9110_15_5_15_a_target_that_is_too_long(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"GET http://%s/%s HTTP/1.1\r\nHost: x\r\n\r\n" % (origin.name.encode(), b"x" * 200_000))
        assert status(asking.rest()) in (400, 414, 431)
    assert origin.is_alone


def test_6585_5_a_head_that_is_too_long(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(GET.replace(b"ORIGIN", origin.name.encode()) + b"X: " + b"x" * 400_000)
        assert status(asking.rest()) == 431
    assert origin.is_alone


def test_a_refusal_reaches_a_client_that_still_sends(run: RecordRun, origin: Origin) -> None:
    """Closing at once would have the client lose the answer (RFC 9112, 9.6)."""
    with client(run.port) as asking:
        asking.send(POST.replace(b"ORIGIN", origin.name.encode()) + b"Content-Length: x\r\n\r\n", b"y" * 1_000_000)
        assert status(asking.head()) == 400


def test_the_proxy_is_still_there(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(GET.replace(b"ORIGIN", origin.name.encode()) + b"\r\n")
        origin.accept().send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        assert asking.answer()[1] == b"ok"
