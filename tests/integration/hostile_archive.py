"""An archive on loopback that answers its index and its versions with whatever a test wants, good or bad."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SITE = "http://lost.example/"
MOMENT = "20100101000000"
_DATE = "Fri, 01 Jan 2010 00:00:00 GMT"


@dataclass(frozen=True)
class Told:
    """An answer; `short` bytes more are announced than come."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    short: int = 0


Answer = Callable[[str], Told]
"""Says what is answered to a path."""


def row(url: str, timestamp: str = MOMENT, **more: str) -> bytes:
    """A row of an index, as JSON."""
    told = {"urlkey": "x", "timestamp": timestamp, "url": url, "mime": "text/html", "status": "200", **more}
    return json.dumps(told).encode() + b"\n"


def rows(*urls: str) -> Answer:
    """An index that lists URLs."""
    return lambda _: Told(b"".join(map(row, urls)))


def memento(body: bytes, short: int = 0, **headers: str) -> Told:
    """A version as it was recorded."""
    told = {"Memento-Datetime": _DATE, "Content-Type": "text/html"}
    return Told(body, 200, told | {name.replace("_", "-"): value for name, value in headers.items()}, short)


def home(_path: str) -> Told:
    """A page that leads to another one."""
    return memento(b"<title>home</title><p>The home page of what was lost. <a href=/a>a</a>")


@contextmanager
def hostile(index: Answer, version: Answer = home) -> Iterator[tuple[str, list[str]]]:
    """The address of the index, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append(self.path)
            told = (index if self.path.startswith("/cdx") else version)(self.path)
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.body) + told.short))
            self.end_headers()
            self.wfile.write(told.body)
            self.close_connection = bool(told.short)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/cdx", asked
        finally:
            server.shutdown()
