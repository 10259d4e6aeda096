"""Exchanges made up by chance, cut anywhere: both sides get what the other said, and so does the archive."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from exchanges import exchanges
from long_recording import LongRun, long_recording
from two_ends import Line, Origin, client, field_names

METHODS = (b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"REPORT")
STATUSES = (b"200 OK", b"201 Created", b"204 No Content", b"304 Not Modified", b"404 Not Found", b"503 Busy")
NAMES = (b"X-One", b"x-two", b"Content-Type", b"Set-Cookie", b"Vary", b"X_Three", b"Accept-Ranges")
ROUNDS = 8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongRun]:
    with long_recording(tmp_path_factory.mktemp("chance"), "--private", "--no-redact") as run:
        yield run


@dataclass(frozen=True)
class Made:
    """A message made up by chance."""

    head: bytes
    body: bytes
    """As it is framed."""
    content: bytes


def lines_of(chance: random.Random) -> list[bytes]:
    values = [bytes(chance.choices(b'abc XYZ;=,/"()\xe4', k=chance.randrange(30))).strip() for _ in range(5)]
    return [chance.choice(NAMES) + b": " + value for value in values[: chance.randrange(6)] if value]


def framed(chance: random.Random, content: bytes) -> tuple[bytes, bytes]:
    """A field that tells how a body ends, and the body."""
    if chance.random() < 0.5:
        return b"Content-Length: %d" % len(content), content
    body, at = b"", 0
    while at < len(content):
        size = chance.choice((1, 7, 100, 5000))
        piece = content[at : at + size]
        extension = chance.choice((b"", b"", b";a=b"))
        body += b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)
        at += size
    return b"Transfer-Encoding: chunked", body + b"0\r\n\r\n"


def content_of(chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 10, 1000, 20_000, 70_000)))


def request_of(chance: random.Random, url: bytes) -> Made:
    method = chance.choice(METHODS)
    lines = [b"%s %s HTTP/1.1" % (method, url), b"Host: x", *lines_of(chance)]
    content, body = b"", b""
    if method not in (b"GET", b"HEAD", b"OPTIONS"):
        content = content_of(chance)
        line, body = framed(chance, content)
        lines.append(line)
    return Made(b"\r\n".join([*lines, b"", b""]), body, content)


def answer_of(chance: random.Random, method: bytes) -> Made:
    status = chance.choice(STATUSES)
    lines = [b"HTTP/1.1 " + status, *lines_of(chance)]
    content, body = b"", b""
    if status[:3] not in (b"204", b"304"):
        content = content_of(chance)
        line, body = framed(chance, content)
        lines.append(line)
        body = b"" if method == b"HEAD" else body
    return Made(b"\r\n".join([*lines, b"", b""]), body, content)


def send_in_pieces(chance: random.Random, line: Line, data: bytes) -> None:
    at = 0
    while at < len(data):
        size = chance.choice((1, 3, 50, 4000, 100_000))
        line.send(data[at : at + size])
        at += size


def received(server: Line, made: Made) -> bytes:
    """The content of the request that came."""
    if b"transfer-encoding" not in field_names(server.head()):
        return server.exactly(len(made.content))
    content = b""
    while size := int(server.until(b"\r\n").partition(b";")[0], 16):
        content += server.exactly(size + 2)[:-2]
    server.until(b"\r\n")
    return content


@pytest.fixture(scope="module")
def told() -> dict[str, bytes]:
    """The bodies of all answers so far, by URL."""
    return {}


@pytest.mark.parametrize("seed", range(30))
def test_what_is_said_arrives(run: LongRun, told: dict[str, bytes], seed: int) -> None:
    chance = random.Random(seed)
    with Origin() as origin, client(run.port) as asking:
        server = None
        for number in range(ROUNDS):
            url = f"http://{origin.name}/{number}"
            request = request_of(chance, url.encode())
            answer = answer_of(chance, request.head.split(b" ")[0])
            send_in_pieces(chance, asking, request.head + request.body)
            server = server or origin.accept()
            assert received(server, request) == request.content
            send_in_pieces(chance, server, answer.head + answer.body)
            assert asking.exactly(len(answer.head + answer.body)) == answer.head + answer.body
            told[url] = answer.body


def test_what_was_said_is_recorded(run: LongRun, told: dict[str, bytes]) -> None:
    for url in told:
        run.wait_for(url)
    assert {each.url: each.body for each in exchanges(run.archive)} == told
