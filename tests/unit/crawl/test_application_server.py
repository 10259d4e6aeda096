"""What the server around an application sends: the application's own words, framed, and cut off where they are."""

import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from webkeep.crawl.application import host_application
from webkeep.crawl.plan.site_sources import parse_application, parse_dumps
from webkeep.errors import UsageError

Start = Callable[..., object]


def broken_midway() -> Iterator[bytes]:
    yield b"some"
    raise ValueError("and no more")


def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/early":
        raise ValueError("nothing is said")
    if path == "/none":
        start("204 No Content", [])
        return []
    fields = [("Content-Type", "text/plain"), ("X-Twice", "a"), ("X-Twice", "b")]
    if path == "/short":
        start("200 OK", [*fields, ("Content-Length", "10")])
        return [b"abc"]
    start("200 Fine", fields)
    if path == "/midway":
        return broken_midway()
    if path == "/stream":
        return iter([b"one", b"", b"two"])
    told = [environ["wsgi.url_scheme"], environ["SERVER_NAME"], environ["SERVER_PORT"], environ["QUERY_STRING"]]
    return [" ".join([*told, environ["wsgi.input"].read().decode()]).encode()]


def ask(where: str, *requests: bytes) -> bytes:
    """What comes back for requests on one connection, until it is closed."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(where.removeprefix("unix:"))
        client.sendall(b"".join(requests))
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))


def request(path: str, *fields: str, method: str = "GET", body: str = "") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: shop.example.org", *fields, "", body]
    return "\r\n".join(lines).encode()


@pytest.fixture(scope="module")
def where() -> Iterator[str]:
    with host_application(application) as found:
        yield found


def test_words_are_the_applications_own(where: str) -> None:
    head, _, body = ask(where, request("/a?b=c", "X-Forwarded-Proto: https")).partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 200 Fine"
    assert lines[1:4] == [b"Content-Type: text/plain", b"X-Twice: a", b"X-Twice: b"]
    assert [line.partition(b":")[0] for line in lines[4:]] == [b"Date", b"Content-Length"]
    assert body == b"https shop.example.org 443 b=c "


def test_a_connection_is_used_again(where: str) -> None:
    sent = request("/", "Content-Length: 3", method="POST", body="abc")
    answers = ask(where, sent, request("/stream"), request("/none"), request("/", method="HEAD"))
    assert answers.count(b"HTTP/1.1 ") == 4
    assert b"http shop.example.org 80  abc" in answers
    assert b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\nHTTP/1.1 204 No Content" in answers
    assert answers.endswith(b"\r\n\r\n"), "neither 204 nor HEAD has a body"


@pytest.mark.parametrize(("path", "kept"), [("/short", b"abc"), ("/midway", b"4\r\nsome\r\n")])
def test_what_breaks_off_is_seen_to(where: str, path: str, kept: bytes) -> None:
    answers = ask(where, request(path), request("/"))
    assert answers.endswith(kept), "the connection is closed, so that it cannot be taken for whole"


def test_an_application_that_fails_is_an_error_of_the_server(where: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(where, request("/early")).startswith(b"HTTP/1.1 500 ")
    assert "the application failed at GET /early: ValueError: nothing is said" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("fields", "status"),
    [("Transfer-Encoding: chunked", b"411"), ("Content-Length: 99999999999", b"413"), ("Upgrade: websocket", b"501")],
)
def test_what_it_does_not_do_is_refused(where: str, fields: str, status: bytes) -> None:
    assert ask(where, request("/", fields, method="POST")).startswith(b"HTTP/1.1 " + status)


def test_a_socket_is_its_owners_alone(where: str) -> None:
    path = Path(where.removeprefix("unix:"))
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


async def refuses_to_start(scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "no database"})


def test_an_application_that_does_not_start_says_why() -> None:
    with pytest.raises(UsageError, match="no database"), host_application(refuses_to_start):
        pass


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("shop:app", ["http://a.example", "https://a.example", "http://b.example:8080"]),
        ("https://static.example=http://127.0.0.1:9000", ["https://static.example"]),
        ("https://static.example/=unix:/run/a.sock", ["https://static.example"]),
    ],
)
def test_an_application_answers_for_its_origins(text: str, origins: list[str]) -> None:
    assert list(parse_application(text).origins(["https://a.example/x", "http://b.example:8080/"])) == origins


@pytest.mark.parametrize(
    "text",
    ["", "shop", "shop:", ":app", "http://10.0.0.1:80", "https://127.0.0.1:8000", "unix:relative", "http://127.0.0.1:0",
     "http://127.0.0.1:99999", "http://u:p@127.0.0.1:80", "http://localhost:80/path", "a b:c"],
)  # fmt: skip
def test_what_is_no_application_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is no application"):
        parse_application(text)


def test_dumps_have_names() -> None:
    given = ["postgresql://u:p@h/Shop_1", "mysql://h/blog", "pg_dumpall", "events=mydump --all x=y"]
    assert [each.name for each in parse_dumps(given)] == ["shop_1", "blog", "data", "events"]
    assert "p@h" not in repr(parse_dumps(given))
