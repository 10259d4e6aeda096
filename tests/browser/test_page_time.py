"""How much of its own time a page is given, by a clock that ticks in it."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from states_pages import MOMENT, WalkedPages

from webkeep.browser.tabs import Tab

_PAGE = b"""<!doctype html><body><p>0</p><script>
let ticks = 0
setInterval(() => { document.querySelector("p").textContent = ++ticks }, 100)
</script><script src="/slow.js"></script><img src="/slow.png">"""
_SLOW_SECONDS = 0.3
"""In real time: so long the parser stands still behind the script, and as often as it may be it is given an instant."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path != "/":
            time.sleep(_SLOW_SECONDS)
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/" else "text/javascript")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(_PAGE if self.path == "/" else b"")

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def slow_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join(10)


async def _ticks_of(tab: Tab) -> int:
    """What the page shows of its clock."""
    return next(int(node.value) for node in (await tab.capture_tree()).walk() if node.value.isdigit())


def test_a_page_has_as_much_time_after_slow_scripts_as_after_quick_ones(slow_url: str) -> None:
    with WalkedPages(tabs=1) as pages:
        tab = pages.tabs[0]
        for _ in range(2):
            pages.run(tab.begin_page(MOMENT))
            pages.run(tab.load(slow_url, 20))
            told = [pages.run(_ticks_of(tab))]
            for _ in range(3):
                pages.run(tab.let_idle(1000, 20))
                told.append(pages.run(_ticks_of(tab)))
            assert told == pytest.approx([20, 30, 40, 50], abs=1)
