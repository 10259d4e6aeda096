"""HTTP heads, the ordinary and the odd."""

import pytest

from webkeep.formats.http import (
    MAX_HTTP_HEAD_BYTES,
    ResponseHead,
    head_length,
    parse_request,
    parse_response,
    split_request,
    split_response,
    take_head,
    take_response_head,
)
from webkeep.formats.http.http1 import RequestHead
from webkeep.model import Headers

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n"


def test_an_ordinary_response() -> None:
    head, offset = split_response(PLAIN + b"body\r\n\r\nmore")
    assert offset == len(PLAIN)
    assert (head.version, head.status, head.reason) == ("HTTP/1.1", 200, "OK")
    assert head.headers.all("Set-Cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"HTTP/1.1 200 OK", ("HTTP/1.1", 200, "OK")),
        (b"HTTP/1.1 200", ("HTTP/1.1", 200, "")),
        (b"HTTP/1.1 200 ", ("HTTP/1.1", 200, "")),
        (b"HTTP/2 200", ("HTTP/2", 200, "")),
        (b"http/1.0  404  Not  Found ", ("http/1.0", 404, "Not  Found")),
        (b"HTTP/1.1 999 Request denied", ("HTTP/1.1", 999, "Request denied")),
        (b"HTTP/1.1 2000 Odd", ("HTTP/1.1", None, "2000 Odd")),
        (b"HTTP/1.1", ("HTTP/1.1", None, "")),
        (b"HTTP/1.1 abc", ("HTTP/1.1", None, "abc")),
        (b"ICY 200 OK", ("ICY", 200, "OK")),
        (b"HTTP/1.1 200 Tr\xe8s bien", ("HTTP/1.1", 200, "Très bien")),
        ("HTTP/1.1 200 Très bien".encode(), ("HTTP/1.1", 200, "Très bien")),
        (b"HTTP/1.1 200 O\0K", ("HTTP/1.1", 200, "O\0K")),
    ],
)
def test_status_lines(line: bytes, expected: tuple[str, int | None, str]) -> None:
    head = parse_response(line + b"\r\n\r\n")
    assert (head.version, head.status, head.reason) == expected


@pytest.mark.parametrize("junk", [b"", b"<html>\n\n</html>", b"\0\0\0", b"https://example.com/\n\n", b"\n\n\n"])
def test_what_has_no_status_line_is_all_body(junk: bytes) -> None:
    assert split_response(junk) == (ResponseHead(), 0)


def test_odd_fields_are_read_as_far_as_they_go() -> None:
    head = parse_response(
        b"HTTP/1.1 200 OK\nFolded: one\n  two\n\tthree\nno colon here\nSpaced : x \n: nameless\nLate\xe9: \xc3\xa9\n"
        b"Nul\0: \0\nEmpty:\n\nBeyond: the end\n"
    )
    assert head.headers == Headers(
        (
            ("Folded", "one two three"),
            ("Spaced", "x"),
            ("", "nameless"),
            # A line is UTF-8 or it is Latin-1: this one is not UTF-8.
            ("Lateé", "Ã©"),
            ("Nul\0", "\0"),
            ("Empty", ""),
        )
    )


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nbody", 19),
        (b"HTTP/1.1 200 OK\n\nbody", 17),
        (b"HTTP/1.1 200 OK\nA: b\r\n\r\nbody", 24),
        (b"HTTP/1.1 200 OK\r\nA: b\n\nbody\r\n\r\n", 23),
        (b"HTTP/1.1 200 OK\n\n\r\nbody", 17),
        (b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody", 23),
        (b"HTTP/1.1 304 Not Modified\r\nA: b\r\n", 33),
    ],
)
def test_the_head_ends_at_the_first_empty_line(data: bytes, length: int) -> None:
    assert head_length(data) == length


def test_a_head_without_end_is_cut_at_the_limit() -> None:
    data = b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 300_000
    assert head_length(data) == MAX_HTTP_HEAD_BYTES
    head, rest = take_head([data])
    assert len(head) == MAX_HTTP_HEAD_BYTES
    assert head + b"".join(rest) == data


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"GET / HTTP/1.1", ("GET", "/", "HTTP/1.1")),
        (b"GET /a b c HTTP/1.0", ("GET", "/a b c", "HTTP/1.0")),
        (b"GET /", ("GET", "/", "")),
        (b"GET /two words", ("GET", "/two words", "")),
        (b"", ("", "", "")),
    ],
)
def test_request_lines(line: bytes, expected: tuple[str, str, str]) -> None:
    data = line + b"\r\nHost: example.com\r\n\r\n"
    head, offset = split_request(data + b"a=b") if line else (parse_request(b""), 0)
    assert (head.method, head.target, head.version) == expected
    assert offset == (len(data) if line else 0)
    assert head == RequestHead(*expected, head.headers)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_a_streamed_head_is_the_same_whatever_the_pieces(step: int) -> None:
    message = b"\r\n" + PLAIN + b"body\n\nmore"
    pieces = [message[at : at + step] for at in range(0, len(message), step)]
    head, rest = take_response_head(pieces)
    assert head == b"\r\n" + PLAIN
    assert b"".join(rest) == b"body\n\nmore"


def test_a_streamed_response_without_a_head_is_all_body() -> None:
    head, rest = take_response_head([b"<html>\n\n", b"text"])
    assert head == b""
    assert b"".join(rest) == b"<html>\n\ntext"
