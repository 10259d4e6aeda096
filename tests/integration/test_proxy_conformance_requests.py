"""Requests through the recording proxy as RFC 9110 and 9112 have them: what a server gets of what a client said."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from long_recording import long_recording
from record_calls import RecordRun
from two_ends import Origin, client, field_names, fields, status

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
FRAMING = (b"host", b"content-length", b"transfer-encoding")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    with long_recording(tmp_path_factory.mktemp("requests"), "--private") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


def reached(run: RecordRun, origin: Origin, request: bytes) -> bytes:
    """The head that a server gets of a request; ORIGIN in it stands for the server's host and port."""
    with client(run.port) as asking:
        asking.send(request.replace(b"ORIGIN", origin.name.encode()))
        server = origin.accept()
        head = server.head()
        server.send(OK)
        assert asking.head() + asking.exactly(2) == OK
    return head


@dataclass(frozen=True)
class Target:
    """A request's first line, and the one the server gets."""

    said: bytes
    becomes: bytes


TARGETS = {
    "9112 3.2.2 absolute form": Target(b"GET http://ORIGIN/a/b?c=d", b"GET /a/b?c=d"),
    "9112 3.2.2 absolute form without a path": Target(b"GET http://ORIGIN", b"GET /"),
    "9110 4.2.3 an empty path before a query": Target(b"GET http://ORIGIN?x=1", b"GET /?x=1"),
    "9110 4.2.3 the scheme in capitals": Target(b"GET HTTP://ORIGIN/", b"GET /"),
    "9112 3.2 dots and doubled slashes stay": Target(b"GET http://ORIGIN/a/../b/./c//d", b"GET /a/../b/./c//d"),
    "9112 3.2 escapes stay as they are": Target(b"GET http://ORIGIN/%7e%2F%2f%41%zz", b"GET /%7e%2F%2f%41%zz"),
    "9112 3.2 odd signs stay": Target(b"GET http://ORIGIN/[]{}|^`\"<>;:@!$&'()*+,=", b"GET /[]{}|^`\"<>;:@!$&'()*+,="),
    "9112 3.2 bytes beyond ASCII stay": Target(b"GET http://ORIGIN/gr\xc3\xbc\xdf", b"GET /gr\xc3\xbc\xdf"),
    "9112 3.2 an empty query stays": Target(b"GET http://ORIGIN/?", b"GET /?"),
    "9112 3.2 a question mark in the query": Target(b"GET http://ORIGIN/?a?b=//c", b"GET /?a?b=//c"),
    "9112 3 a long target": Target(b"GET http://ORIGIN/" + b"x" * 60_000, b"GET /" + b"x" * 60_000),
    "9112 3.2.4 OPTIONS of the whole server": Target(b"OPTIONS http://ORIGIN", b"OPTIONS *"),
    "9112 3.2.4 OPTIONS of a path": Target(b"OPTIONS http://ORIGIN/", b"OPTIONS /"),
    "9110 9.1 an unknown method": Target(b"FROBNICATE http://ORIGIN/", b"FROBNICATE /"),
    "9110 9.1 methods know capitals": Target(b"get http://ORIGIN/", b"get /"),
    "9110 9.3.5 DELETE": Target(b"DELETE http://ORIGIN/x", b"DELETE /x"),
    "9110 9.3.8 TRACE": Target(b"TRACE http://ORIGIN/x", b"TRACE /x"),
}


@pytest.mark.parametrize("case", TARGETS.values(), ids=TARGETS)
def test_the_first_line_a_server_gets(run: RecordRun, origin: Origin, case: Target) -> None:
    head = reached(run, origin, case.said + b" HTTP/1.1\r\nHost: ORIGIN\r\n\r\n")
    assert head.split(b"\r\n")[0] == case.becomes + b" HTTP/1.1"
    assert fields(head) == [b"Host: " + origin.name.encode()]


HOSTS = {
    "9112 3.2.2 the target counts, not Host": b"Host: elsewhere.test",
    "9112 3.2 an empty Host": b"Host:",
    "9112 3.2 Host without a port": b"Host: 127.0.0.1",
    "9110 5.1 Host in capitals": b"HOST: ORIGIN",
    "9112 5.1 no space after the colon": b"Host:ORIGIN",
    "9112 5.1 space around the value": b"Host: \t ORIGIN \t",
}


@pytest.mark.parametrize("line", HOSTS.values(), ids=HOSTS)
def test_the_host_a_server_gets(run: RecordRun, origin: Origin, line: bytes) -> None:
    head = reached(run, origin, b"GET http://ORIGIN/ HTTP/1.1\r\n" + line + b"\r\n\r\n")
    assert fields(head) == [b"Host: " + origin.name.encode()]


def test_9112_3_2_a_request_of_http_1_0_needs_no_host(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"GET http://%s/ HTTP/1.0\r\n\r\n" % origin.name.encode())
        server = origin.accept()
        head = server.head()
        server.send(OK)
        assert asking.rest() == OK
    assert head == b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode()


@dataclass(frozen=True)
class Fields:
    """The fields that a client sent beside Host, and what is left of them."""

    said: tuple[bytes, ...]
    left: tuple[bytes, ...] = ()


def same(*lines: bytes) -> Fields:
    return Fields(lines, lines)


FIELDS = {
    "9110 5.3 order stays": same(b"B: 1", b"A: 2", b"C: 3"),
    "9110 5.3 repeated fields stay apart": same(b"X: 1", b"Y: 2", b"X: 3"),
    "9110 5.1 the case of names stays": same(b"x-LOUD-quiet: Value"),
    "9110 5.5 bytes beyond ASCII stay": same(b"X: gr\xc3\xbc\xdf"),
    "9110 5.5 signs stay": same(b"X: \"a, b\"; c=(d) <e> @[f]{g}?!"),
    "9112 5.1 space around values goes": Fields((b"X:   a  b \t",), (b"X: a  b",)),
    "9110 5.5 an empty value stays": Fields((b"X:",), (b"X:",)),
    "9110 12.5 what a client prefers": same(b"Accept: text/*;q=0.1", b"Accept-Encoding: br", b"Accept-Language: de"),
    "9110 13.1 conditions": same(b'If-None-Match: W/"a", "b"', b"If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT"),
    "9110 14.2 ranges": same(b"Range: bytes=0-4,-5", b'If-Range: "a"'),
    "9110 11.6.2 credentials for the server": same(b"Authorization: Basic dTpw"),
    "6265 cookies": same(b"Cookie: a=b; c=d"),
    "9111 5.2 cache directives": same(b"Cache-Control: no-cache, max-age=0", b"Pragma: no-cache"),
    "9110 10.1.5 User-Agent": same(b"User-Agent: curl/0.1 (test)"),
    "9110 7.6.1 Connection goes": Fields((b"Connection: keep-alive",)),
    "9110 7.6.1 what Connection names goes": Fields(
        (b"X-Hop: 1", b"Connection: x-hop, Y-Hop", b"Y-Hop: 2", b"X-End: 3"), (b"X-End: 3",)
    ),
    "9110 7.6.1 Connection twice": Fields((b"Connection: a", b"A: 1", b"Connection: b", b"B: 2", b"C: 3"), (b"C: 3",)),
    "9110 7.6.1 Keep-Alive goes": Fields((b"Keep-Alive: timeout=5",)),
    "9110 7.6.1 Proxy-Connection goes": Fields((b"Proxy-Connection: keep-alive",)),
    "9110 10.1.4 TE goes": Fields((b"TE: trailers, deflate", b"Connection: TE")),
    "9110 11.7.2 credentials for the proxy go": Fields((b"Proxy-Authorization: Basic dTpw",)),
    "9110 7.8 an upgrade that is none of ours goes": Fields(
        (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABk")
    ),
    "9110 7.6.3 Via of others stays": same(b"Via: 1.0 fred"),
    "9110 7.6.2 Max-Forwards of a GET stays": same(b"Max-Forwards: 3"),
    "many fields": same(*(b"X-%d: %d" % (number, number) for number in range(1000))),
    "one large field": same(b"X: " + b"v" * 90_000),
}  # fmt: skip


@pytest.mark.parametrize("case", FIELDS.values(), ids=FIELDS)
def test_the_fields_a_server_gets(run: RecordRun, origin: Origin, case: Fields) -> None:
    lines = b"".join(line + b"\r\n" for line in case.said)
    head = reached(run, origin, b"GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\n" + lines + b"\r\n")
    got = [line.rstrip() for line in fields(head) if not line.lower().startswith(b"host:")]
    assert got == list(case.left)


NOMINATED = (b"Host", b"Content-Length", b"Transfer-Encoding", b"Content-Type", b"close")


@pytest.mark.parametrize("name", NOMINATED, ids=lambda name: name.decode())
def test_9110_7_6_1_connection_cannot_take_the_framing_away(run: RecordRun, origin: Origin, name: bytes) -> None:
    with client(run.port) as asking:
        asking.send(
            b"POST http://%s/ HTTP/1.1\r\nHost: x\r\nConnection: %s\r\nContent-Length: 5\r\n\r\nhello"
            % (origin.name.encode(), name)
        )
        server = origin.accept()
        head = server.head()
        assert server.exactly(5) == b"hello"
        server.send(OK)
        asking.answer()
    assert [each for each in field_names(head) if each in FRAMING] == [b"host", b"content-length"]


@dataclass(frozen=True)
class Forwards:
    """A request that may only be passed on so many times."""

    request: bytes
    left: bytes | None
    """What is left of Max-Forwards; None where the proxy answers itself."""


FORWARDS = {
    "OPTIONS with none left": Forwards(b"OPTIONS http://ORIGIN/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n", None),
    "TRACE with none left": Forwards(b"TRACE http://ORIGIN/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n", None),
    "OPTIONS with some left": Forwards(b"OPTIONS http://ORIGIN/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 7\r\n\r\n", b"6"),
    "TRACE with some left": Forwards(b"TRACE http://ORIGIN/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 1\r\n\r\n", b"0"),
    "GET is not counted": Forwards(b"GET http://ORIGIN/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n", b"0"),
}


@pytest.mark.parametrize("case", FORWARDS.values(), ids=FORWARDS)
def test_9110_7_6_2_max_forwards(run: RecordRun, origin: Origin, case: Forwards) -> None:
    if case.left is not None:
        assert b"Max-Forwards: " + case.left in fields(reached(run, origin, case.request))
        return
    with client(run.port) as asking:
        asking.send(case.request.replace(b"ORIGIN", origin.name.encode()))
        assert status(asking.head()) in (200, 204, 501)
    assert origin.is_alone


@dataclass(frozen=True)
class Sent:
    """The body of a request as it was sent, and what is in it."""

    framed: bytes
    content: bytes


BODIES = {
    "9112 6.2 a length": Sent(b"Content-Length: 5\r\n\r\nhello", b"hello"),
    "9112 6.2 a length of nothing": Sent(b"Content-Length: 0\r\n\r\n", b""),
    "9112 6.2 leading zeros": Sent(b"Content-Length: 005\r\n\r\nhello", b"hello"),
    "9112 6.1 chunks": Sent(b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\n, you\r\n0\r\n\r\n", b"hello, you"),
    "9112 6.1 the coding in capitals": Sent(b"Transfer-Encoding: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi"),
    "9112 7.1 sizes in capitals and with zeros": Sent(
        b"Transfer-Encoding: chunked\r\n\r\n000A\r\n0123456789\r\n0b\r\nabcdefghijk\r\n000\r\n\r\n",
        b"0123456789abcdefghijk",
    ),
    "9112 7.1.1 extensions of chunks": Sent(
        b'Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n3 ; c="d;e"\r\nyou\r\n0;last\r\n\r\n', b"hiyou"
    ),
    "9112 7.1.2 trailers": Sent(b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n", b"hi"),
    "9112 7.1 no chunk but the last": Sent(b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b""),
    "a body that looks like a request": Sent(b"Content-Length: 10\r\n\r\nGET / \r\n\r\n", b"GET / \r\n\r\n"),
    "every byte there is": Sent(b"Content-Length: 256\r\n\r\n" + bytes(range(256)), bytes(range(256))),
}  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "GET", "DELETE", "QUERY"])
@pytest.mark.parametrize("case", BODIES.values(), ids=BODIES)
def test_the_body_a_server_gets(run: RecordRun, origin: Origin, case: Sent, method: str) -> None:
    with client(run.port) as asking:
        asking.send(b"%s http://%s/ HTTP/1.1\r\nHost: x\r\n" % (method.encode(), origin.name.encode()) + case.framed)
        server = origin.accept()
        head = server.head()
        assert head.startswith(method.encode() + b" / HTTP/1.1\r\n")
        framing = [name for name in field_names(head) if name in FRAMING[1:]]
        assert len(framing) == 1 or (case.content == b"" and not framing)
        if framing == [b"content-length"]:
            assert server.exactly(len(case.content)) == case.content
        elif framing:
            assert unchunked(server.until(b"0\r\n\r\n")) == case.content
        server.send(OK)
        assert asking.head() + asking.exactly(2) == OK
        asking.send(b"GET http://%s/next HTTP/1.1\r\nHost: x\r\n\r\n" % origin.name.encode())
        assert origin.next_head().startswith(b"GET /next HTTP/1.1\r\n")


def unchunked(data: bytes) -> bytes:
    content = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        content, data = content + data[:length], data[length + 2 :]
    return content


def test_nothing_is_added_that_the_client_did_not_say(run: RecordRun, origin: Origin) -> None:
    """No Via, as decided: a recording changes nothing, and a server that saw one might answer otherwise."""
    head = reached(run, origin, b"GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\n\r\n")
    assert head == b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode()


def test_9112_2_2_empty_lines_before_a_request_are_passed_over(run: RecordRun, origin: Origin) -> None:
    reached(run, origin, b"\r\n\r\nGET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\n\r\n")


def test_a_head_that_comes_byte_by_byte(run: RecordRun, origin: Origin) -> None:
    request = b"POST http://%s/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
    with client(run.port) as asking:
        asking.send(*(bytes([byte]) for byte in request % origin.name.encode()))
        server = origin.accept()
        server.head()
        assert unchunked(server.until(b"0\r\n\r\n")) == b"hi"
        server.send(OK)
        assert asking.head() + asking.exactly(2) == OK
