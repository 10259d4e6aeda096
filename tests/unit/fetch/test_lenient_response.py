"""Answers read plainly: head, body and end are told apart, however the bytes are cut."""

import pytest

from webkeep.fetch import FetchFailure
from webkeep.fetch.client.chunk_scanner import ChunkScanner
from webkeep.fetch.client.lenient_response import LenientResponse
from webkeep.formats.http import MAX_HTTP_HEAD_BYTES


def fed(data: bytes, size: int, has_body: bool = True) -> tuple[LenientResponse, bytes]:
    reply, body = LenientResponse(has_body), b""
    for at in range(0, len(data), size):
        body += reply.feed(data[at : at + size])
        if reply.is_done:
            break
    return reply, body


CASES = [
    (b"HTTP/1.1 200 OK\r\nbad\r\nContent-Length: 5\r\n\r\n", b"hello"),
    (b"HTTP/1.1 200 OK\nContent-Length: 5\n\n", b"hello"),
    (b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"hello"),
    (b"HTTP/1.1 204 No\r\n\r\n", b""),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 05\r\ncontent-length: 05\r\n\r\n", b"hello"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"5;x\r\nhello\r\n0\r\nT: 1\r\n\r\n"),
    (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 1\r\n\r\n",
        b"A\r\n0123456789\r\n000\r\n\r\n",
    ),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(("head", "body"), CASES)
def test_the_end_is_found(head: bytes, body: bytes, size: int) -> None:
    reply, came = fed(head + body, size)
    assert reply.head == head
    assert came == body
    assert reply.is_done
    assert reply.failure == (None, "")


def test_interim_answers_are_passed_over() -> None:
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    for size in (1, 5, 1000):
        reply, came = fed(b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 100 C\r\n\r\n" + final + b"hi", size)
        assert (reply.head, came) == (final, b"hi")


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_without_a_plain_length_the_body_goes_on_until_it_is_closed(head: bytes) -> None:
    reply, came = fed(head + b"x" * 100, 9)
    assert not reply.is_done
    assert reply.close() == b""
    assert came == b"x" * 100
    assert reply.failure == (None, "")


def test_broken_chunks_go_on_until_they_are_closed() -> None:
    reply, came = fed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nrest\r\n0\r\n\r\n", 4)
    assert not reply.is_done
    assert came.endswith(b"0\r\n\r\n")
    assert reply.failure == (None, "")


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Le", FetchFailure.DISCONNECTED),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", FetchFailure.DISCONNECTED),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", FetchFailure.DISCONNECTED),
        (b"no head here, and nothing like it", FetchFailure.PROTOCOL),
        (b"hi", FetchFailure.PROTOCOL),
        (b"", FetchFailure.PROTOCOL),
    ],
)
def test_what_is_closed_too_early_or_is_no_answer(data: bytes, failure: FetchFailure) -> None:
    reply, came = fed(data, 6)
    came += reply.close()
    assert reply.failure[0] is failure
    assert reply.head + came == data


def test_a_head_without_end_is_given_up_on() -> None:
    reply, came = fed(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300_000, 65536)
    assert reply.is_done
    assert len(reply.head) == MAX_HTTP_HEAD_BYTES
    assert came == b""
    assert reply.failure[0] is FetchFailure.TOO_LARGE


def test_no_body_is_waited_for_where_none_was_asked_for() -> None:
    reply, _ = fed(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", 1000, has_body=False)
    assert reply.is_done


def test_a_size_without_end_is_no_chunk() -> None:
    chunks = ChunkScanner()
    for _ in range(40):
        assert not chunks.feed(b"1" * 1000)
    assert chunks.is_broken


HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"


@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_a_thousand_interim_answers_are_passed_over(size: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    reply, body = fed(HINTS * 5000 + head + b"hello", size)
    assert (reply.head, body, reply.is_done) == (head, b"hello", True)


@pytest.mark.parametrize("size", [1000, 4 << 20])
def test_interim_answers_without_end_are_given_up(size: int) -> None:
    reply, body = fed(HINTS * (2 * MAX_HTTP_HEAD_BYTES // len(HINTS)), size)
    assert (body, reply.is_done, reply.failure[0]) == (b"", True, FetchFailure.TOO_LARGE)
