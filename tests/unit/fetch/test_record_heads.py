"""Requests of proxy clients: what is taken, what it means, and what is refused."""

import pytest

from webkeep.fetch.proxy import ClientHead, parse_host_port
from webkeep.fetch.proxy.forwarded_head import ForwardedHead
from webkeep.fetch.proxy.forwarded_request import forwarded_header_lines
from webkeep.fetch.proxy.request_head import HeadRefusal, parse_head, target_url


def head(*lines: str, first: str = "GET http://a.test/b HTTP/1.1") -> ClientHead:
    parsed = parse_head("\r\n".join([first, "Host: a.test", *lines, "", ""]).encode("latin-1"))
    assert isinstance(parsed, ClientHead), parsed
    return parsed


def refused(data: bytes) -> int:
    parsed = parse_head(data)
    assert isinstance(parsed, HeadRefusal)
    return parsed.status


def test_a_head_is_taken_apart() -> None:
    parsed = head("X-A:  one ", "X-Empty:", "Content-Length: 12")
    assert (parsed.method, parsed.target, parsed.version, parsed.length) == ("GET", "http://a.test/b", "HTTP/1.1", 12)
    assert parsed.fields == (("Host", "a.test"), ("X-A", "one"), ("X-Empty", ""), ("Content-Length", "12"))
    assert head("Transfer-Encoding: Chunked").length is None


@pytest.mark.parametrize(
    ("lines", "first", "stays"),
    [
        ((), "GET http://a.test/ HTTP/1.1", True),
        (("Connection: foo, Close",), "GET http://a.test/ HTTP/1.1", False),
        (("Proxy-Connection: close",), "GET http://a.test/ HTTP/1.1", False),
        ((), "GET http://a.test/ HTTP/1.0", False),
        (("Connection: keep-alive",), "GET http://a.test/ HTTP/1.0", True),
    ],
)
def test_clients_say_whether_they_stay(lines: tuple[str, ...], first: str, stays: bool) -> None:
    assert head(*lines, first=first).keeps_alive is stays


@pytest.mark.parametrize(
    ("target", "within", "url"),
    [
        ("http://a.test/b?c", "", "http://a.test/b?c"),
        ("HTTP://A.Test:80?c", "", "http://a.test/?c"),
        ("http://a.test:8080", "", "http://a.test:8080/"),
        ("/b/../c?d=%20", "https://a.test", "https://a.test/b/../c?d=%20"),
        ("https://a.test:443/b", "https://a.test", "https://a.test/b"),
        ("http://[::1]:81/", "", "http://[::1]:81/"),
    ],
)
def test_targets_become_urls(target: str, within: str, url: str) -> None:
    assert target_url(head(first=f"GET {target} HTTP/1.1"), within) == url


@pytest.mark.parametrize(
    ("target", "within", "status"),
    [
        ("/b", "", 400),
        ("http:///b", "", 400),
        ("http://a.test:99999/", "", 400),
        ("http://me@a.test/", "", 400),
        ("ws://a.test/", "", 400),
        ("a.test:80", "", 400),
        ("*", "", 501),
        ("/b", "https://b.test", 421),
        ("https://b.test/", "https://a.test", 421),
        ("http://a.test/", "https://a.test", 421),
    ],
)
def test_targets_that_lead_elsewhere_are_refused(target: str, within: str, status: int) -> None:
    url = target_url(head(first=f"GET {target} HTTP/1.1"), within)
    assert isinstance(url, HeadRefusal)
    assert url.status == status


def test_authorities_have_a_host_and_a_port() -> None:
    assert parse_host_port("A.test:443") == parse_host_port("a.test", 443)
    assert [parse_host_port(text) for text in ("a.test", "a.test:", ":80", "a.test:0", "a b:1", "a.test:65536")] == [
        None
    ] * 6


def test_a_long_hostile_head_is_judged_at_once() -> None:
    assert refused(b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 40_000 + b"bad line\r\n\r\n") == 400
    assert refused(b"A" * 250_000 + b"\r\n\r\n") == 400


def test_only_what_concerns_the_server_goes_out() -> None:
    lines = forwarded_header_lines(
        head("Connection: keep-alive, X-Hop", "X-Hop: 1", "Proxy-Authorization: Basic eA==", "TE: trailers", "X-Empty:")
    )
    assert lines == ["Expect:", "X-Empty;", "User-Agent:", "Accept:"]
    kept = forwarded_header_lines(head("User-Agent: me", "Accept: a/b", "Cookie: c=d", "Cookie: e=f"))
    assert kept == ["Expect:", "User-Agent: me", "Accept: a/b", "Cookie: c=d", "Cookie: e=f"]


@pytest.mark.parametrize(
    ("answer", "method", "is_delimited"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "GET", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "GET", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "GET", False),
        (b"HTTP/1.1 200 OK\r\n\r\n", "GET", False),
        (b"HTTP/1.1 200 OK\r\n\r\n", "HEAD", True),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", "GET", True),
    ],
)
def test_answers_that_end_by_themselves_are_known(answer: bytes, method: str, is_delimited: bool) -> None:
    returned = ForwardedHead(answer, method)
    assert returned.is_delimited is is_delimited
    assert returned.bytes == answer


def test_what_concerns_the_servers_connection_is_not_passed_on() -> None:
    answer = b"HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nA: b\r\n\r\n"
    assert ForwardedHead(answer, "GET").bytes == b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "returned"),
    [
        (b"HTTP/2 404 \r\ncontent-length: 3\r\n\r\n", b"HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\n"),
        (b"HTTP/2 204 \r\nA: b\r\n\r\n", b"HTTP/1.1 204 No Content\r\nA: b\r\n\r\n"),
        (b"HTTP/2 299 \r\nA: b\r\n\r\n", b"HTTP/1.1 299 \r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ],
)
def test_an_answer_of_http2_is_told_in_http1(answer: bytes, returned: bytes) -> None:
    assert ForwardedHead(answer, "GET").bytes == returned
    assert ForwardedHead(answer, "GET").is_delimited


def test_what_is_not_ascii_goes_out_as_it_came() -> None:
    assert b"X-Name: J\xe9" in forwarded_header_lines(head("X-Name: J\xe9"))
    assert target_url(head(first="GET http://a.test/caf\xc3\xa9 HTTP/1.1")) == "http://a.test/caf\u00e9"
    assert target_url(head(first="GET http://a.test/caf\xe9 HTTP/1.1")) == "http://a.test/caf%E9"
