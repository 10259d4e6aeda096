"""No exchange reaches into another: not by what a server sends too much, not by what is sent ahead, not by state."""

from collections.abc import Iterator

import pytest
from exchanges import exchanges
from long_recording import LongRun, long_recording
from two_ends import Line, Origin, client, field_names, status

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NEXT = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"
EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongRun]:
    with long_recording(tmp_path_factory.mktemp("isolation"), "--private") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


def get(origin: Origin, path: bytes = b"", method: bytes = b"GET") -> bytes:
    return b"%s http://%s/%s HTTP/1.1\r\nHost: x\r\n\r\n" % (method, origin.name.encode(), path)


def next_is_true(run: LongRun, asking: Line, origin: Origin) -> None:
    """The next request gets its own answer, and it is recorded under its own URL."""
    asking.send(get(origin, b"next"))
    assert origin.next_head().startswith(b"GET /next ")
    origin.spoken.send(NEXT)
    while (again := origin.came_again(asking)) is not None:  # the connection before turned out to be no good
        assert again.head().startswith(b"GET /next ")
        again.send(NEXT)
    assert b"".join(asking.answer()) == NEXT
    url = f"http://{origin.name}/next"
    run.wait_for(url)
    assert [each.body for each in exchanges(run.archive) if each.url == url] == [b"next"]


TOO_MUCH = {
    "behind a length": (b"GET", OK + EVIL),
    "behind a length of nothing": (b"GET", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + EVIL),
    "behind the last chunk": (b"GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL),
    "behind a head": (b"HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + EVIL),
    "a body for a HEAD": (b"HEAD", b"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 4\r\n\r\nevil"),
    "behind No Content": (b"GET", b"HTTP/1.1 204 No Content\r\n\r\n" + EVIL),
    "a body for No Content": (b"GET", b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil"),
    "behind Not Modified": (b"GET", b"HTTP/1.1 304 Not Modified\r\n\r\n" + EVIL),
    "a body for Not Modified": (b"GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nevil"),
    "a redirect and its target": (b"GET", b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n" + EVIL),
}


@pytest.mark.parametrize(("method", "said"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_a_server_sends_too_much_answers_nobody(run: LongRun, origin: Origin, method: bytes, said: bytes) -> None:
    with client(run.port) as asking:
        asking.send(get(origin, method=method))
        server = origin.accept()
        server.head()
        server.send(said)
        assert status(asking.head()) == status(said)
        with client(run.port) as other:
            next_is_true(run, other, origin)


@pytest.mark.parametrize(("method", "said"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_nor_does_it_when_it_comes_late(run: LongRun, origin: Origin, method: bytes, said: bytes) -> None:
    """The client has its answer, and only then comes more."""
    with client(run.port) as asking:
        asking.send(get(origin, method=method))
        server = origin.accept()
        server.head()
        server.send(said.removesuffix(EVIL).removesuffix(b"evil"))
        assert status(asking.head()) == status(said)
        server.send(EVIL)
        with client(run.port) as other:
            next_is_true(run, other, origin)


def test_what_follows_a_body_is_the_next_request(run: LongRun, origin: Origin) -> None:
    """It is no part of the body, and of no request before it; as none it is refused."""
    post = b"POST http://%s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" % origin.name.encode()
    with client(run.port) as asking:
        asking.send(post + b"hello\r\n\r\n")
        server = origin.accept()
        server.head()
        server.send(OK)
        assert asking.exactly(len(OK)) == OK
        assert status(asking.rest()) == 400
    assert origin.is_alone


def test_cookies_of_one_client_are_not_sent_for_another(run: LongRun, origin: Origin) -> None:
    with client(run.port) as first, client(run.port) as second:
        first.send(get(origin))
        server = origin.accept()
        server.head()
        server.send(b"HTTP/1.1 200 OK\r\nSet-Cookie: id=1; Path=/\r\nContent-Length: 2\r\n\r\nok")
        first.answer()
        for each in (first, second):
            each.send(get(origin))
            assert b"cookie" not in field_names(origin.next_head())
            origin.spoken.send(OK)
            each.answer()


def test_credentials_of_one_client_are_not_sent_for_another(run: LongRun, origin: Origin) -> None:
    with client(run.port) as first, client(run.port) as second:
        first.send(get(origin).replace(b"\r\n\r\n", b"\r\nAuthorization: Basic dTpw\r\n\r\n"))
        assert b"authorization" in field_names(origin.next_head())
        origin.spoken.send(OK)
        first.answer()
        second.send(get(origin))
        assert b"authorization" not in field_names(origin.next_head())
        origin.spoken.send(OK)
        second.answer()


def test_a_redirect_is_not_remembered(run: LongRun, origin: Origin) -> None:
    for _ in range(2):
        with client(run.port) as asking:
            asking.send(get(origin, b"old"))
            assert origin.next_head().startswith(b"GET /old ")
            origin.spoken.send(b"HTTP/1.1 301 Moved Permanently\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n")
            assert status(asking.head()) == 301


def test_nothing_is_answered_from_memory(run: LongRun, origin: Origin) -> None:
    for number in range(3):
        with client(run.port) as asking:
            asking.send(get(origin, b"cached"))
            assert origin.next_head().startswith(b"GET /cached ")
            origin.spoken.send(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=99\r\nContent-Length: 1\r\n\r\n%d" % number)
            assert asking.answer()[1] == b"%d" % number


def test_an_address_of_version_6(run: LongRun) -> None:
    with Origin("::1") as origin, client(run.port) as asking:
        asking.send(get(origin))
        server = origin.accept()
        assert b"Host: " + origin.name.encode() in server.head().split(b"\r\n")
        server.send(OK)
        assert asking.exactly(len(OK)) == OK


def test_a_hundred_clients_at_once_get_their_own_answers(run: LongRun, origin: Origin) -> None:
    """All are asked before any is answered, and the last is answered first."""
    lines = [client(run.port).send(get(origin, b"%d" % number)) for number in range(100)]
    servers = {server.head().split(b" ")[1]: server for server in [origin.accept() for _ in lines]}
    for path, server in sorted(servers.items(), reverse=True):
        server.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(path) + path)
    for number, line in enumerate(lines):
        assert line.answer()[1] == b"/%d" % number
        line.close()
