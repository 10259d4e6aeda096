"""A replay server in a thread, the archives it shows, and a plain client for it."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.memento import WebLink, parse_links
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.replay.endpoints import Router, ServePlan, open_server
from webkeep.replay.server import open_listener, serve_connections
from webkeep.replay.server.http_connection import ConnectionHub, ServerTimeouts
from webkeep.store.archive import WritableArchive
from webkeep.web.page_router import ArchivePages


@dataclass
class Reply:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def get(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def links(self) -> list[WebLink]:
        return [link for value in self.all("link") for link in parse_links(value)]

    def link(self, relation: str) -> WebLink:
        (found,) = [link for link in self.links() if relation in link.relations]
        return found


@dataclass
class Client:
    """Asks a server on loopback for things, under any of its names."""

    port: int
    hub: ConnectionHub | None = None
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return f"http://localhost:{self.port}"

    def ask(self, target: str, host: str = "", method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
        target = target.removeprefix(self.root)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"localhost:{self.port}")
            for name, value in {**self.extra, **named}.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Reply(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def replay(self, label: str, path: str, **headers: str) -> Reply:
        return self.ask(path, host=f"{label}.localhost:{self.port}", **headers)

    def raw(self, data: bytes) -> bytes:
        """Send bytes as they are and take all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            got = b""
            while chunk := connection.recv(65536):
                got += chunk
        return got


def page(
    url: str,
    at: str | Moment,
    body: bytes | str = b"",
    kind: str = "text/html",
    status: str = "200 OK",
    head: str = "",
    request: bytes = b"",
    request_body: bytes = b"",
) -> Exchange:
    data = body.encode() if isinstance(body, str) else body
    lines = f"HTTP/1.1 {status}\r\n" + (f"Content-Type: {kind}\r\n" if kind else "") + head
    length = "" if "ransfer-" in head else f"Content-Length: {len(data)}\r\n"
    return Exchange(
        url,
        Moment.parse(at) if isinstance(at, str) else at,
        f"{lines}{length}\r\n".encode("utf-8", "surrogateescape"),
        BytesBody(data),
        request,
        BytesBody(request_body),
    )


def archive_of(path: Path, *exchanges: Exchange) -> Path:
    with (
        WritableArchive.open_or_create(path) as archive,
        archive.begin("capture", seeds=["http://example.org/"]) as got,
    ):
        for acknowledgement in [got.submit(exchange) for exchange in exchanges]:
            acknowledgement.result()
    return path


@contextmanager
def served(*paths: Path, patience: ServerTimeouts | None = None, **plan: object) -> Iterator[Client]:
    """A server for archives, in a thread of its own."""
    listener = open_listener("127.0.0.1", 0)
    port = listener.getsockname()[1]
    places = tuple(str(path) for path in paths)
    client = Client(port)
    ready, failed = threading.Event(), []

    async def serve() -> None:
        settings: Mapping[str, object] = {"base": f"http://localhost:{port}", **plan}
        with open_server(ServePlan(places, places, **settings), ArchivePages) as context:  # type: ignore[arg-type]
            site = Router(context)
            async with serve_connections(listener, site.respond, site.locks, patience) as hub:
                client.hub = hub
                stopped = asyncio.Event()
                loop = asyncio.get_running_loop()
                failed.append(lambda: loop.call_soon_threadsafe(stopped.set))
                ready.set()
                await stopped.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(30), "the server did not start"
        yield client
    finally:
        for stop in failed:
            stop()
        thread.join(30)
        listener.close()
    assert not thread.is_alive()
