"""What holds for plain connections holds inside TLS: the same cases, through a tunnel whose both ends are encrypted."""

import ssl
from collections.abc import Iterator

import pytest
from fetcher_calls import TLS
from long_recording import LongRun, long_recording
from test_proxy_conformance_answers import BODILESS, BROKEN_OFF, INTERIM, NEXT, UNCHANGED
from test_proxy_conformance_refusals import HEADS
from test_proxy_conformance_requests import BODIES, FIELDS, Fields, Sent, unchunked
from test_record_streams import tls
from two_ends import GoneError, Line, Origin, field_names, fields, status, tunnelled

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
IN_TUNNEL = {
    name: data for name, data in HEADS.items() if data.startswith((b"GET http://ORIGIN", b"POST http://ORIGIN"))
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongRun]:
    words = ("--private", "--certificate-authorities", TLS / "ca.pem")
    with long_recording(tmp_path_factory.mktemp("tls"), *words) as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin(tls=tls()) as origin:
        yield origin


@pytest.fixture
def asking(run: LongRun, origin: Origin) -> Iterator[Line]:
    with tunnelled(run.port, origin, ssl.create_default_context(cafile=run.certificate)) as line:
        yield line


def begun(asking: Line, origin: Origin, method: bytes = b"GET", *lines: bytes) -> Line:
    asking.send(b"\r\n".join([method + b" /path HTTP/1.1", b"Host: " + origin.name.encode(), *lines, b"", b""]))
    return origin.accept()


def next_works(asking: Line, server: Line, origin: Origin) -> None:
    asking.send(b"GET /next HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode())
    try:
        head = server.head()
    except GoneError:  # the proxy let go of the connection
        server = origin.accept()
        head = server.head()
    assert head.startswith(b"GET /next ")
    server.send(NEXT)
    assert asking.exactly(len(NEXT)) == NEXT


@pytest.mark.parametrize("answer", UNCHANGED.values(), ids=UNCHANGED)
def test_answers_that_pass_unchanged(asking: Line, origin: Origin, answer: bytes) -> None:
    server = begun(asking, origin)
    server.head()
    server.send(answer)
    assert asking.exactly(len(answer)) == answer
    next_works(asking, server, origin)


@pytest.mark.parametrize(("method", "answer"), BODILESS.values(), ids=BODILESS)
def test_answers_without_a_body(asking: Line, origin: Origin, method: bytes, answer: bytes) -> None:
    server = begun(asking, origin, method)
    server.head()
    server.send(answer)
    assert asking.head() == answer
    next_works(asking, server, origin)


@pytest.mark.parametrize("interim", INTERIM.values(), ids=INTERIM)
def test_interim_answers(asking: Line, origin: Origin, interim: bytes) -> None:
    server = begun(asking, origin)
    server.head()
    server.send(interim)
    assert asking.exactly(len(interim)) == interim
    server.send(OK)
    assert asking.exactly(len(OK)) == OK


@pytest.mark.parametrize("said", BROKEN_OFF.values(), ids=BROKEN_OFF)
def test_an_answer_that_breaks_off(asking: Line, origin: Origin, said: bytes) -> None:
    server = begun(asking, origin)
    server.head()
    server.send(said)
    assert asking.exactly(len(said)) == said
    server.close()
    assert asking.rest() == b""


@pytest.mark.parametrize("case", FIELDS.values(), ids=FIELDS)
def test_the_fields_a_server_gets(asking: Line, origin: Origin, case: Fields) -> None:
    server = begun(asking, origin, b"GET", *case.said)
    head = server.head()
    server.send(OK)
    assert asking.exactly(len(OK)) == OK
    assert [line.rstrip() for line in fields(head) if not line.lower().startswith(b"host:")] == list(case.left)


@pytest.mark.parametrize("case", BODIES.values(), ids=BODIES)
def test_the_body_a_server_gets(asking: Line, origin: Origin, case: Sent) -> None:
    asking.send(b"POST / HTTP/1.1\r\nHost: %s\r\n" % origin.name.encode() + case.framed)
    server = origin.accept()
    if b"transfer-encoding" in field_names(server.head()):
        assert unchunked(server.until(b"0\r\n\r\n")) == case.content
    else:
        assert server.exactly(len(case.content)) == case.content
    server.send(OK)
    assert asking.exactly(len(OK)) == OK


@pytest.mark.parametrize("request_bytes", IN_TUNNEL.values(), ids=IN_TUNNEL)
def test_heads_that_are_refused(asking: Line, origin: Origin, request_bytes: bytes) -> None:
    name = b"https://" + origin.name.encode()
    asking.send(request_bytes.replace(b"http://ORIGIN", name))
    assert status(asking.rest()) == 400
    assert origin.is_alone


def test_events_and_pieces_pass_as_they_come(asking: Line, origin: Origin) -> None:
    server = begun(asking, origin, b"POST", b"Content-Length: 50")
    server.head()
    server.send(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
    for number in range(5):
        word = b"word %d ok!" % number
        asking.send(word)
        assert server.exactly(10) == word
        server.send(word)
        if not number:
            assert status(asking.head()) == 200
        assert asking.exactly(10) == word


def test_a_body_that_ends_with_the_connection(asking: Line, origin: Origin) -> None:
    """Many servers do not say goodbye as TLS would have it."""
    server = begun(asking, origin)
    server.head()
    server.send(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello")
    assert asking.until(b"hello") == b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello"
    server.close()
    assert asking.rest() == b""


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_clients_are_spoken_with_as_they_can(run: LongRun, origin: Origin, version: ssl.TLSVersion) -> None:
    """Whoever could speak HTTP/2 is told that HTTP/1.1 is spoken here."""
    trust = ssl.create_default_context(cafile=run.certificate)
    trust.minimum_version = trust.maximum_version = version
    trust.set_alpn_protocols(["h2", "http/1.1"])
    with tunnelled(run.port, origin, trust) as asking:
        assert isinstance(asking.socket, ssl.SSLSocket)
        assert asking.socket.selected_alpn_protocol() == "http/1.1"
        server = begun(asking, origin)
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_a_client_that_does_not_trust_the_proxy_is_no_harm(run: LongRun, origin: Origin) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        tunnelled(run.port, origin, ssl.create_default_context())
    trust = ssl.create_default_context(cafile=run.certificate)
    with tunnelled(run.port, origin, trust) as asking:
        server = begun(asking, origin)
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
