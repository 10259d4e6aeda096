"""A site that gives every visitor a session in each of its links."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

from bench.loopback_site import LoopbackSite

_LINKS = 10


class SessionSite(LoopbackSite):
    """Has so many pages; `session` is what stands in the links."""

    def __init__(self, pages: int) -> None:
        super().__init__(_handler(self))
        self.pages = pages
        self.session = "0" * 32

    def page(self, path: str) -> bytes | None:
        """What a path shows, or nothing where there is no page."""
        number = path.partition("?")[0].strip("/") or "0"
        if not number.isdecimal() or int(number) >= self.pages:
            return None
        below = range(int(number) * _LINKS + 1, min(int(number) * _LINKS + 1 + _LINKS, self.pages))
        links = "".join(f'<li><a href="/{each}?PHPSESSID={self.session}">Page {each}</a></li>' for each in below)
        return f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1><ul>{links}</ul>".encode()


def _handler(site: SessionSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            body = site.page(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    return Handler
