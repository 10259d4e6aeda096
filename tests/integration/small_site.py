"""A small website on loopback that answers as it is told, keeps what it was asked, and can hold its answers back."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    body: bytes = b""
    type: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    """Whether its length is not told before."""


Answers = Mapping[str, Page] | Callable[[str, str], Page]
"""Pages by path, or a function of host and path."""

GONE = Page(b"not here", "text/plain", 404)


def linking(*targets: str, title: str = "") -> Page:
    """A page with links; what ends in a picture's name is embedded."""
    parts = [
        f'<img src="{each}">' if each.endswith((".png", ".jpg")) else f'<a href="{each}">x</a>' for each in targets
    ]
    return Page(f"<!doctype html><title>{title}</title>{''.join(parts)}".encode())


def moved(target: str, status: int = 302) -> Page:
    return Page(b"moved", "text/plain", status, {"Location": target})


def answer_range(page: Page, asked: str) -> Page:
    """The part of a page that a request asks for, from some byte on, where its site says that it gives parts."""
    if "Accept-Ranges" not in page.headers or not asked.startswith("bytes="):
        return page
    start, size = int(asked.removeprefix("bytes=").partition("-")[0]), len(page.body)
    said = {**page.headers, "Content-Range": f"bytes {start}-{size - 1}/{size}"}
    return Page(page.body[start:], page.type, 206, said)


class SmallSite:
    """Serves while the `with` block lasts, by whatever host name it is asked."""

    def __init__(self, answers: Answers, host: str = "127.0.0.1") -> None:
        self._answers = answers
        self._changed = threading.Condition()
        self._hold_after = -1
        self.asked: list[tuple[str, str]] = []
        """Host (with port) and path of every request, in order."""
        self.fields: list[dict[str, str]] = []
        """The header fields of every request, by their names in small letters."""
        self._server = ThreadingHTTPServer((host, 0), _handler_of(self))
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "SmallSite":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """The paths asked for, robots.txt aside, in order."""
        return [path for _, path in self.asked if path != "/robots.txt"]

    def hold_after(self, count: int) -> None:
        """Answer so many more requests, and let those that follow wait."""
        with self._changed:
            self._hold_after = len(self.asked) + count

    def let_go(self) -> None:
        """Answer all that waits, and hold nothing back any more."""
        with self._changed:
            self._hold_after = -1
            self._changed.notify_all()

    def wait_for_requests(self, count: int, seconds: float = 60) -> None:
        """Wait until so many requests have come in all."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.asked) >= count, seconds), self.asked

    def take(self, path: str, fields: dict[str, str]) -> Page:
        """Called by the handler of each request."""
        host = fields.get("host", "")
        with self._changed:
            self.asked.append((host, path))
            self.fields.append(fields)
            number = len(self.asked)
            self._changed.notify_all()
            self._changed.wait_for(lambda: not 0 <= self._hold_after < number)
        if callable(self._answers):
            return self._answers(host, path)
        return self._answers.get(path, GONE)


def _handler_of(site: SmallSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            page = site.take(self.path, {name.lower(): value for name, value in self.headers.items()})
            page = answer_range(page, self.headers.get("Range", ""))
            self.send_response(page.status)
            if page.type:
                self.send_header("Content-Type", page.type)
            for name, value in page.headers.items():
                self.send_header(name, value)
            if page.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(page.body), page.body)
            else:
                self.send_header("Content-Length", str(len(page.body)))
                body = page.body
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, ValueError):  # a client that went away, or a server that is closed
                self.close_connection = True

    return Handler
