"""What strangers do to the connections of a service before anybody knows who they are has bounds."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from dashboard_calls import DashboardClient
from people_server import people_server
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from webkeep.dashboard import sent_forms
from webkeep.service.run import bounded_connections
from webkeep.service.run.bounded_connections import BoundedHttpProtocol

GET = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"


async def echo_length(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"length {len(body)}")(scope, receive, send)


@contextmanager
def served() -> Iterator[int]:
    """A server of bounded connections that says how much was sent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(echo_length, http=BoundedHttpProtocol, log_config=None, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def read_all(connection: socket.socket) -> bytes:
    """What is answered until the other side closes."""
    try:
        return b"".join(iter(lambda: connection.recv(65536), b""))
    except ConnectionResetError:
        return b""


def send_on(connection: socket.socket, piece: bytes, count: int) -> None:
    try:
        for _ in range(count):
            connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        return


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET /", b"a" * 60_000),
        (b"GET / HTTP/1.1\r\nX-Long: ", b"a" * 60_000),
        (b"GET / HTTP/1.1\r\n", b"X-Many: a\r\n" * 6000),
        (POST + b"5\r\nhello\r\n0\r\n", b"X-Trailer: a\r\n" * 6000),
        (POST + b"5;", b"a" * 60_000),
        (POST, b"1\r\na\r\n" * 10_000),
    ],
)
def test_heads_without_end_are_refused(begin: bytes, piece: bytes) -> None:
    with served() as port, connect(port) as connection:
        connection.sendall(begin)
        send_on(connection, piece, 60)
        answer = read_all(connection)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
        with connect(port) as another:
            another.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            assert read_all(another).endswith(b"length 0")


@pytest.mark.parametrize("size", [0, 1, 100, 100_000, 3_000_000])
def test_what_is_usual_is_answered_again_and_again(size: int) -> None:
    body = b"b" * size
    head = b"POST / HTTP/1.1\r\nHost: a.example\r\nCookie: %s\r\nContent-Length: %d\r\n\r\n" % (b"c" * 8000, size)
    chunked = (
        POST + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:-1], body[-1:]) if part) + b"0\r\n\r\n"
    )
    with served() as port, connect(port) as connection:
        for sent in (head + body, chunked, GET, head + body, chunked + GET):
            connection.sendall(sent)
            answer = b""
            while answer.count(b"HTTP/1.1 200 OK") < (
                2 if sent.endswith(GET) and sent != GET else 1
            ) or not answer.endswith((b"length %d" % size, b"length 0")):
                answer += connection.recv(65536)


def test_the_start_of_a_request_may_come_with_the_end_of_a_long_one() -> None:
    body = b"b" * 3_000_000
    head = b"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n" % len(body)
    with served() as port, connect(port) as connection:
        connection.sendall(head + body + GET[:20])
        answer = b""
        while b"length 3000000" not in answer:
            piece = connection.recv(65536)
            assert piece, answer
            answer += piece
        connection.sendall(GET[20:].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert read_all(connection).endswith(b"length 0")


@pytest.mark.parametrize("begin", [b"", b"GET / HTTP", GET + b"GET / HTTP"])
def test_who_says_nothing_is_not_waited_for(begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_connections, "_HEAD_SECONDS", 0.1)
    with served() as port, connect(port) as connection:
        connection.sendall(begin)
        assert read_all(connection).count(b"length 0") == begin.count(GET)


def test_connections_leave_files_for_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_connections, "_MAX_CONNECTIONS", 2)
    with served() as port, connect(port) as first, connect(port) as second:
        for each in (first, second):
            each.sendall(GET)
            assert each.recv(65536)
        with connect(port) as third:
            assert read_all(third) == b""
        first.sendall(GET)
        assert first.recv(65536)


def test_a_form_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_forms, "_MAX_STALL_SECONDS", 0.1)
    with people_server(tmp_path / "service") as server, connect(server.port) as connection:
        kind = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nConnection: close"
        connection.sendall(f"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}\r\n\r\nname=a".encode())
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 400 ") and b"did not come" in answer
        assert DashboardClient(server.port, "/").ask("/login").status == 200
