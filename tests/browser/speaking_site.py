"""A small site of a test's own, on loopback."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Speaker(BaseHTTPRequestHandler):
    """Answers in one go, and is quiet about it."""

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def answer(self) -> None:
        """Answer what was asked for."""
        raise NotImplementedError

    def say(self, data: bytes, *fields: tuple[str, str], status: int = 200, kind: str = "text/html") -> None:
        """Answer with this."""
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@contextmanager
def counting(answer: Callable[[Speaker], None]) -> Iterator[tuple[str, Counter[str]]]:
    """A server that answers so, and how often each path of it was asked for."""
    asked: Counter[str] = Counter()

    class Handler(Speaker):
        def answer(self) -> None:
            asked[self.path] += 1
            answer(self)

    with serving(Handler) as home:
        yield home, asked


@contextmanager
def serving(handler: type[Speaker]) -> Iterator[str]:
    """A server for as long as the block lasts; gives its beginning of URLs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
