"""How many pictures of a page are asked for at a time while its time stands still."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench.mirror_pictures import PICTURE
from states_pages import MOMENT, WalkedPages

_AT_ONCE = 4
_PATIENCE_SECONDS = 3.0


class PatientSite(ThreadingHTTPServer):
    """Gives a script once two pictures were asked for, and pictures once more of them are under way than that."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.changed = threading.Condition()
        self.asked = self.under_way = self.most = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: PatientSite

    def do_GET(self) -> None:
        if self.path == "/":
            pictures = "".join(f'<img src="/{number}.png">' for number in range(12))
            self._send("text/html", f"<!doctype html><script src=/a.js></script><body>{pictures}".encode())
        elif self.path == "/a.js":
            with self.server.changed:
                self.server.changed.wait_for(lambda: self.server.asked >= 2, _PATIENCE_SECONDS)
            self._send("text/javascript", b"document.title = 'ran'")
        else:
            self._send_picture()

    def _send_picture(self) -> None:
        site = self.server
        with site.changed:
            site.asked += 1
            site.under_way += 1
            site.most = max(site.most, site.under_way)
            site.changed.notify_all()
            site.changed.wait_for(lambda: site.most >= _AT_ONCE, _PATIENCE_SECONDS)
            site.under_way -= 1
        self._send("image/png", PICTURE)

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def site() -> Iterator[PatientSite]:
    with PatientSite() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(10)


def test_pictures_behind_a_script_come_more_than_two_at_a_time(site: PatientSite) -> None:
    with WalkedPages(tabs=1) as pages:
        pages.run(pages.tabs[0].begin_page(MOMENT))
        effects = pages.run(pages.tabs[0].load(site.url, 20))
    assert sum(each.url.endswith(".png") for each in effects.requests) == 12
    assert site.most >= _AT_ONCE
