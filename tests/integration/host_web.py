"""A web of many small hosts on the addresses of this machine, whose every request is written down with its moment.

Each host has a page at its root that leads to all its pages, and each page leads to the root of another host, so that
nothing but the first root has to be named.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class HostWeb:
    """What was asked of whom, and when."""

    hosts: int
    pages: int
    latency: float = 0.0
    moved_rules: int = 0
    """Of so many hosts the robots.txt has moved to the next one of them, in a circle."""
    port: int = 0
    requests: list[tuple[str, str, float, float]] = field(default_factory=list)
    """Host, path, beginning and end of each request, by a steady clock."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def root(self, number: int) -> str:
        """The root of a host."""
        return f"http://{self.name(number)}:{self.port}/"

    @staticmethod
    def name(number: int) -> str:
        """The address of a host."""
        return f"127.1.{number // 250}.{number % 250 + 1}"

    def urls(self) -> set[str]:
        """Everything that there is to be found, but for robots.txt files."""
        roots = [self.root(number) for number in range(self.hosts)]
        return {*roots, *(f"{root}page-{page}" for root in roots for page in range(self.pages))}

    def asked(self) -> Counter[str]:
        """How often each URL was asked for."""
        with self.changed:
            return Counter(f"http://{host}:{self.port}{path}" for host, path, _, _ in self.requests)

    def wait_for_requests(self, count: int, seconds: float = 120) -> None:
        """Wait until so many requests have come in all."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.requests) >= count, seconds), len(self.requests)

    def smallest_gap(self) -> float:
        """The shortest time from the end of a request to the beginning of the next to the same host."""
        with self.changed:
            spans: dict[str, list[tuple[float, float]]] = {}
            for host, _, began, ended in self.requests:
                spans.setdefault(host, []).append((began, ended))
        gaps = [
            later[0] - earlier[1]
            for each in spans.values()
            for earlier, later in zip(sorted(each), sorted(each)[1:], strict=False)
        ]
        return min(gaps, default=float("inf"))

    def answer(self, host: str, path: str) -> tuple[int, bytes]:
        """What a host says."""
        _, _, high, low = host.split(".")
        number = int(high) * 250 + int(low) - 1
        if path == "/robots.txt" and number < self.moved_rules:
            return 301, f"{self.root((number + 1) % self.moved_rules)}rules".encode()
        if path in ("/robots.txt", "/rules"):
            return 200, b"User-agent: *\nDisallow: /secret\n"
        if path == "/":
            return 200, "".join(f"<a href='/page-{page}'>{page}</a>" for page in range(self.pages)).encode()
        if path.startswith("/page-"):
            page = int(path.removeprefix("/page-"))
            onward = self.root((number * self.pages + page + 1) % self.hosts)
            return 200, f"<p>{host} {page}</p><a href='{onward}'>on</a><a href='/secret'>secret</a>".encode()
        return 404, b"nothing"


@contextmanager
def serve_hosts(hosts: int, pages: int, latency: float = 0.0, moved_rules: int = 0) -> Iterator[HostWeb]:
    """Serve a web until it is left."""
    web = HostWeb(hosts, pages, latency, moved_rules)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            began = time.monotonic()
            host = self.headers["Host"].partition(":")[0]
            status, content = web.answer(host, self.path)
            if web.latency:
                time.sleep(web.latency)
            self.send_response(status)
            if status == 301:
                self.send_header("Location", content.decode())
            is_rules = self.path in ("/robots.txt", "/rules")
            self.send_header("Content-Type", "text/plain" if is_rules else "text/html")
            self.send_header("Content-Length", str(len(content)))
            with web.changed:
                web.requests.append((host, self.path, began, time.monotonic()))
                web.changed.notify_all()
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 512
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """A client that was killed is no error."""

    server = Server(("0.0.0.0", 0), Handler)
    web.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
