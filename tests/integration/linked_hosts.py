"""A web of hosts whose pages lead to one another as a test says, some of which are answered only when it lets them."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_GATE_SECONDS = 120.0


@dataclass
class LinkedHosts:
    """Pages by `number/path`, each with those that it leads to."""

    pages: Mapping[str, Sequence[str]]
    port: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    gates: dict[str, threading.Event] = field(default_factory=dict)

    def url(self, page: str) -> str:
        """The URL of a page."""
        number, _, path = page.partition("/")
        return f"http://127.2.0.{int(number) + 1}:{self.port}/{path}"

    def urls(self, pages: Sequence[str]) -> set[str]:
        """The URLs of pages."""
        return {self.url(page) for page in pages}

    def answer(self, address: str, path: str) -> tuple[int, bytes]:
        """What is answered, once it may be."""
        page = f"{int(address.rpartition('.')[2]) - 1}{path}"
        self.asked[page] += 1
        if page in self.gates:
            assert self.gates[page].wait(_GATE_SECONDS)
        if page not in self.pages:
            return 404, b"nothing"
        links = "".join(f"<a href='{self.url(link)}'>{link}</a>" for link in self.pages[page])
        return 200, f"<p>{page}</p>{links}".encode()


@contextmanager
def serve_linked_hosts(pages: Mapping[str, Sequence[str]], gated: Sequence[str] = ()) -> Iterator[LinkedHosts]:
    """Serve pages until the block is left."""
    web = LinkedHosts(pages, gates={page: threading.Event() for page in gated})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, content = web.answer(self.headers["Host"].partition(":")[0], self.path)
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """A client that was killed is no error."""

    server = Server(("0.0.0.0", 0), Handler)
    web.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield web
    finally:
        for gate in web.gates.values():
            gate.set()
        server.shutdown()
        server.server_close()
