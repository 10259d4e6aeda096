"""Locks: whatever a server says, a browser that shows it gets no further than the archive."""

import ast
import asyncio
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.replay_answers import CLOSED, HOST, MOMENT, AnswerKind, answer_kinds, build_archive
from serve_calls import Client, served

import webkeep.replay
from webkeep.errors import StorageError, UsageError
from webkeep.replay.server import (
    Request,
    Response,
    SecurityClass,
    ServerName,
    open_listener,
    proxy_security_rule,
    serve_connections,
)
from webkeep.replay.server.http_connection import ServerTimeouts
from webkeep.replay.server.security_headers import site_security_rule

LABEL = f"{MOMENT.digits()}h-{HOST.replace('.', '-')}"
DESTINATIONS = ("", "document", "iframe", "script", "serviceworker", "worker", "image", "empty")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(build_archive(tmp_path_factory.mktemp("locks") / "a"), access=(CLOSED,)) as client:
        yield client


def heads(data: bytes) -> list[tuple[str, str]]:
    lines = data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]


def assert_locked(data: bytes, port: int, said: str) -> None:
    found = heads(data)
    lists = [value for name, value in found if name == "connection-allowlist"]
    policies = [value for name, value in found if name == "content-security-policy"]
    assert len(lists) == 1, (said, data[:300])
    assert f":{port}" in lists[0] or lists[0] == "()", said
    assert any("default-src 'none'" in each or f"http://*.localhost:{port}" in each for each in policies), said


def asked(client: Client, kind: AnswerKind, destination: str, method: str = "") -> bytes:
    fields = f"Host: {LABEL}.localhost:{client.port}\r\nConnection: close\r\n"
    fields += f"Sec-Fetch-Dest: {destination}\r\n" if destination else ""
    fields += f"Cookie: {'x' * kind.cookie_bytes}\r\n" if kind.cookie_bytes else ""
    body = b"a=b".ljust(kind.body_size, b"x")[: kind.body_size]
    fields += f"Content-Length: {len(body)}\r\n" if body else ""
    return sent(client.port, f"{method or kind.method} {kind.target} HTTP/1.1\r\n{fields}\r\n".encode() + body)


def sent(port: int, data: bytes) -> bytes:
    """What comes back, also where the server closes before it has read everything."""
    got = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                got += chunk
        except ConnectionError:
            assert got
    return got


@pytest.mark.parametrize("kind", answer_kinds(), ids=lambda kind: kind.name)
def test_whatever_a_replay_host_answers_is_locked(client: Client, kind: AnswerKind) -> None:
    if kind.body_size > 1000:
        data = asked(client, kind, "iframe")
        assert data.startswith(b"HTTP/1.1 413")
        assert_locked(data, client.port, kind.name)
        return
    for destination in DESTINATIONS:
        assert_locked(asked(client, kind, destination), client.port, f"{kind.name} as {destination}")
    for method in ("HEAD", "OPTIONS", "PUT"):
        assert_locked(asked(client, kind, "", method), client.port, f"{method} {kind.name}")


BROKEN = {
    "no request": b"nonsense\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a long address": b"GET /" + b"x" * 120_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "many fields": b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n",
    "another host": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "no host": b"GET / HTTP/1.0\r\n\r\n",
    "a host that is no label": b"GET / HTTP/1.1\r\nHost: x.localhost:PORT\r\n\r\n",
    "an unknown origin": f"GET / HTTP/1.1\r\nHost: {MOMENT.digits()}hz-{'a' * 32}.localhost:PORT\r\n\r\n".encode(),
    "a socket": b"GET / HTTP/1.1\r\nHost: LABEL.localhost:PORT\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "no address": b"GET * HTTP/1.1\r\nHost: LABEL.localhost:PORT\r\nConnection: close\r\n\r\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_errors_of_the_wire_are_sealed(client: Client, name: str) -> None:
    data = BROKEN[name].replace(b"PORT", str(client.port).encode()).replace(b"LABEL", LABEL.encode())
    reply = sent(client.port, data)
    assert reply.split()[1][:1] in b"45", reply[:100]
    assert_locked(reply, client.port, name)
    assert ("content-security-policy", "sandbox; default-src 'none'; form-action 'none'; base-uri 'none'") in heads(
        reply
    )


def failing(error: Exception) -> Callable[[Request], Response]:
    def handler(_: Request) -> Response:
        raise error

    return handler


@pytest.mark.parametrize("error", [ValueError("ours"), StorageError("disk"), UsageError("call")])
def test_faults_of_ours_are_sealed(error: Exception) -> None:
    listener = open_listener("127.0.0.1", 0)
    port = listener.getsockname()[1]
    front = ServerName.parse(f"http://localhost:{port}")
    host = f"{LABEL}.localhost:{port}"

    async def serve() -> bytes:
        async with serve_connections(
            listener, failing(error), site_security_rule(front), ServerTimeouts(max_connections=1)
        ) as hub:
            asked = f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
            first = await asyncio.to_thread(sent, port, asked)
            crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            turned_away = await crowd[1][0].read()
            assert turned_away.startswith(b"HTTP/1.1 503")
            assert_locked(turned_away, port, "too many")
            for _, writer in crowd:
                writer.close()
            assert hub.requests == 1
            return first

    reply = asyncio.run(serve())
    listener.close()
    assert reply.split()[1] in (b"500", b"503", b"400")
    assert_locked(reply, port, str(error))


def test_no_head_is_written_in_any_other_place() -> None:
    """A head begins with the protocol's name, and only one function of the room writes that, with the locks in hand.

    It has the line made by `build_status_line`, which nobody else in the room may call or hand on.
    """
    found = []
    for path in sorted(Path(webkeep.replay.__path__[0]).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for outer in tree.body:
            for node in ast.walk(outer):
                if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                    text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                    if text.startswith("HTTP/1"):
                        found.append((path.name, getattr(outer, "name", ""), text.rstrip()))
                elif isinstance(node, ast.Name) and node.id == "build_status_line":
                    found.append((path.name, getattr(outer, "name", ""), node.id))
    assert found == [
        ("http_connection.py", "ServerConnection", "HTTP/1.1 100 Continue"),
        ("proxy_tunnel.py", "", "HTTP/1.1 200 Connection established"),
        ("response_head.py", "build_head", "build_status_line"),
    ]


def test_what_says_nothing_of_itself_is_sealed_on_every_host() -> None:
    front = ServerName.parse("http://localhost:8080")
    locks = site_security_rule(front, ("https://other.example/web/",))
    replay = f"{LABEL}.localhost:8080"
    for host in (replay, "localhost:8080", "evil.example", ""):
        assert (
            "sandbox; default-src 'none'" in dict(locks(host, SecurityClass.SEALED, True))["Content-Security-Policy"]
        ), host
    # A page of our own has policies of its own under our own name alone.
    assert "Content-Security-Policy" not in dict(locks("localhost:8080", SecurityClass.OWN, True))
    assert dict(locks(replay, SecurityClass.OWN, True))["Connection-Allowlist"] == "()"
    notice = dict(locks(replay, SecurityClass.NOTICE, True))
    assert "allow-scripts" not in notice["Content-Security-Policy"]
    assert "allow-same-origin" not in notice["Content-Security-Policy"]
    assert '"https://other.example"' in notice["Connection-Allowlist"]


def test_the_proxy_lets_pages_ask_for_what_a_proxy_is_asked_for() -> None:
    locks = proxy_security_rule(ServerName.parse("http://localhost:8080"))
    told = dict(locks("any.example", SecurityClass.ARCHIVED, True))
    assert told["Connection-Allowlist"].startswith('("http://*:*" "https://*:*"')
    assert "Content-Security-Policy" not in told, "pages keep their own"
    assert dict(locks("any.example", SecurityClass.SEALED, True))["Connection-Allowlist"] == "()"


def test_the_archived_pages_own_locks_are_not_taken_for_ours(tmp_path: Path) -> None:
    from serve_calls import archive_of, page

    head = "Connection-Allowlist: *\r\nReferrer-Policy: no-referrer\r\nPermissions-Policy: camera=*\r\n"
    with served(archive_of(tmp_path / "a", page(f"http://{HOST}/", MOMENT, "x", head=head))) as client:
        reply = client.replay(LABEL, "/")
    assert len(reply.all("Connection-Allowlist")) == 1
    assert reply.all("Referrer-Policy") == ["unsafe-url"]
    assert "camera=()" in reply.get("Permissions-Policy")
