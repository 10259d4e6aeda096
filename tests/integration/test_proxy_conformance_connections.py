"""Connections with the recording proxy as RFC 9112 has them: kept, closed, pipelined, tunnelled, upgraded."""

import socket
import ssl
from collections.abc import Iterator

import pytest
from fetcher_calls import TLS
from long_recording import long_recording
from record_calls import RecordRun
from two_ends import Line, Origin, client, fields, status

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    words = ("--private", "--certificate-authorities", TLS / "ca.pem")
    with long_recording(tmp_path_factory.mktemp("connections"), *words) as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


def get(origin: Origin, path: bytes = b"", *lines: bytes, version: bytes = b"1.1") -> bytes:
    head = b"GET http://%s/%s HTTP/%s\r\nHost: x\r\n" % (origin.name.encode(), path, version)
    return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def test_9112_9_3_a_connection_stays(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        for number in range(20):
            server.head()
            server.send(OK)
            assert asking.exactly(len(OK)) == OK
            asking.send(get(origin, b"%d" % number))
        assert server.head().startswith(b"GET /19 ")


def test_9112_9_6_a_client_that_says_close_is_let_go(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin, b"", b"Connection: close"))
        server = origin.accept()
        assert b"close" not in server.head().lower()
        server.send(OK)
        assert asking.rest() == OK


def test_9112_9_6_what_follows_a_close_is_not_carried_out(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin, b"", b"Connection: close") + get(origin, b"second"))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.rest() == OK
    assert origin.is_alone


@pytest.mark.parametrize("line", [b"X: y", b"Connection: keep-alive", b"Proxy-Connection: keep-alive"])
def test_9112_9_3_a_client_of_http_1_0_is_let_go(run: RecordRun, origin: Origin, line: bytes) -> None:
    """A proxy does not keep connections of HTTP/1.0, whatever they say."""
    with client(run.port) as asking:
        asking.send(get(origin, b"", line, version=b"1.0"))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.rest() == OK


def test_9112_9_3_2_pipelined_requests_are_answered_in_order(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"".join(get(origin, b"%d" % number) for number in range(10)))
        for number in range(10):
            path = origin.next_head().split(b" ")[1]
            assert path == b"/%d" % number
            origin.spoken.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + path)
            assert asking.answer()[1] == path


def test_9112_9_3_2_a_body_among_pipelined_requests(run: RecordRun, origin: Origin) -> None:
    post = b"POST http://%s/p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" % origin.name.encode()
    with client(run.port) as asking:
        asking.send(get(origin, b"a") + post + get(origin, b"b"))
        for path in (b"/a", b"/p", b"/b"):
            assert origin.next_head().split(b" ")[1] == path
            if path == b"/p":
                assert origin.spoken.exactly(5) == b"hello"
            origin.spoken.send(OK)
            assert asking.exactly(len(OK)) == OK


def test_9112_9_3_1_a_kept_connection_that_the_server_closed_is_no_error(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
        server.close()
        asking.send(get(origin, b"again"))
        again = origin.accept()
        assert again.head().startswith(b"GET /again ")
        again.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_9110_9_2_2_a_post_is_not_sent_twice(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"POST http://%s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" % origin.name.encode())
        server = origin.accept()
        server.head()
        server.exactly(2)
        server.close()
        assert status(asking.rest()) == 502
    assert origin.is_alone


def test_a_client_that_has_said_all_still_gets_its_answer(run: RecordRun, origin: Origin) -> None:
    """Some programs close their half of the connection behind the request."""
    with client(run.port) as asking:
        asking.send(get(origin))
        asking.finish()
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.rest() == OK


def test_a_client_that_goes_away_is_gone_for_the_server_too(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
        assert asking.until(b"hello")
        asking.break_off()
    assert server.rest() == b""


def test_half_a_head_and_nothing_more_harms_nobody(run: RecordRun, origin: Origin) -> None:
    half = [client(run.port).send(b"GET http://%s/ HT" % origin.name.encode()) for _ in range(50)]
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
    for each in half:
        each.break_off()
    assert origin.is_alone


# Tunnels


def tunnel(run: RecordRun, origin: Origin, *lines: bytes) -> Line:
    asking = client(run.port)
    name = origin.name.encode()
    asking.send(b"\r\n".join([b"CONNECT %s HTTP/1.1" % name, b"Host: " + name, *lines, b"", b""]))
    return asking


def test_9110_9_3_6_the_answer_to_connect_has_no_framing(run: RecordRun, origin: Origin) -> None:
    with tunnel(run, origin) as asking:
        head = asking.head()
    assert 200 <= status(head) < 300
    assert not [line for line in fields(head) if line.lower().startswith((b"content-length", b"transfer-encoding"))]


def test_9110_9_3_6_http_inside_a_tunnel(run: RecordRun, origin: Origin) -> None:
    with tunnel(run, origin) as asking:
        asking.head()
        for path in (b"/one", b"/two"):
            asking.send(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (path, origin.name.encode()))
            assert origin.next_head().startswith(b"GET %s HTTP/1.1\r\n" % path)
            origin.spoken.send(OK)
            assert asking.exactly(len(OK)) == OK


def test_9110_9_3_6_what_follows_connect_at_once_is_inside(run: RecordRun, origin: Origin) -> None:
    inside = b"GET /early HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode()
    with client(run.port) as asking:
        asking.send(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % origin.name.encode() + inside)
        asking.head()
        server = origin.accept()
        assert server.head().startswith(b"GET /early ")
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


BAD_TUNNELS = {
    "no port": b"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "port nought": b"CONNECT 127.0.0.1:0 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a port beyond all": b"CONNECT 127.0.0.1:70000 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a port that is none": b"CONNECT 127.0.0.1:http HTTP/1.1\r\nHost: x\r\n\r\n",
    "a URL": b"CONNECT http://127.0.0.1:80/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "a path": b"CONNECT /x HTTP/1.1\r\nHost: x\r\n\r\n",
    "an asterisk": b"CONNECT * HTTP/1.1\r\nHost: x\r\n\r\n",
    "credentials": b"CONNECT u:p@127.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a body": b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
    "chunks": b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("request_bytes", BAD_TUNNELS.values(), ids=BAD_TUNNELS)
def test_9110_9_3_6_tunnels_that_lead_nowhere(run: RecordRun, request_bytes: bytes) -> None:
    with client(run.port) as asking:
        asking.send(request_bytes)
        assert status(asking.rest()) == 400


def test_a_tunnel_has_no_tunnel_inside(run: RecordRun, origin: Origin) -> None:
    with tunnel(run, origin) as asking:
        asking.head()
        asking.send(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % origin.name.encode())
        assert status(asking.rest()) == 400
    assert origin.is_alone


def test_9110_7_4_a_tunnel_leads_to_one_origin(run: RecordRun, origin: Origin) -> None:
    for target, host in ((b"/", b"other.test"), (b"http://other.test/", b"other.test")):
        with tunnel(run, origin) as asking:
            asking.head()
            asking.send(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, host))
            assert status(asking.rest()) == 421
    assert origin.is_alone


def test_tls_inside_a_tunnel_for_an_address_of_version_6(run: RecordRun) -> None:
    context = ssl.create_default_context(cafile=run.certificate)
    with client(run.port) as asking:
        asking.send(b"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n")
        asking.head()
        with context.wrap_socket(asking.socket, server_hostname="::1") as inside:
            certificate = inside.getpeercert()
    assert certificate is not None
    assert ("IP Address", "0:0:0:0:0:0:0:1") in certificate["subjectAltName"]


# Upgrades

WEBSOCKET = (
    b"Connection: keep-alive, Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip


def test_9110_7_8_an_upgrade_that_is_not_known_is_an_ordinary_request(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin, b"", b"Connection: Upgrade", b"Upgrade: IRC/6.9"))
        server = origin.accept()
        assert b"upgrade" not in server.head().lower()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


def test_6455_what_the_server_says_with_its_handshake_is_passed_on(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(get(origin, b"chat", *WEBSOCKET))
        server = origin.accept()
        head = server.head()
        server.send(SWITCHING + b"\x81\x02hi")
        assert asking.exactly(len(SWITCHING)) == SWITCHING
        assert asking.exactly(4) == b"\x81\x02hi"
        asking.send(b"\x81\x82\0\0\0\0yo")
        assert server.exactly(8) == b"\x81\x82\0\0\0\0yo"
        server.close()
        assert asking.rest() == b""
    assert b"Upgrade: websocket" in fields(head)
    assert b"Connection: Upgrade" in fields(head)


def test_6455_a_handshake_that_the_server_refuses(run: RecordRun, origin: Origin) -> None:
    refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
    with client(run.port) as asking:
        asking.send(get(origin, b"chat", *WEBSOCKET))
        server = origin.accept()
        server.head()
        server.send(refusal)
        assert asking.exactly(len(refusal)) == refusal


# Garbage


GARBAGE = {
    "zero bytes": bytes(1000),
    "all bytes": bytes(range(256)) * 10,
    "TLS without a tunnel": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "SOCKS": b"\x05\x01\x00\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "empty lines": b"\r\n" * 5000,
    "one long line": b"A" * 300_000,
    "a proxy's own protocol": b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_answered_with_an_error_or_the_end(run: RecordRun, origin: Origin, data: bytes) -> None:
    with client(run.port) as asking:
        asking.send(data)
        asking.finish()
        answer = asking.rest()
    assert answer == b"" or status(answer) in (400, 431, 505)
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_clients_that_only_knock(run: RecordRun, origin: Origin) -> None:
    for _ in range(200):
        socket.create_connection(("127.0.0.1", run.port)).close()
    with client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
