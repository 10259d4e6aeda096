"""A small site whose pages change by clicks, its capture with a browser, and the states that came of it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from webkeep.crawl import CaptureResult, capture
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run.capture_observer import NullCaptureObserver
from webkeep.store.archive import WritableArchive

PIXEL = b"\x89PNG\r\n\x1a\n"

INDEX = """<!doctype html><title>Start</title><h1>Start</h1><a href="menu.html">menu</a> <a href="list.html">list</a>
<a href="plain.html">plain</a><script src="/site.js"></script>"""
MENU = """<!doctype html><title>Menu</title><script src="/site.js"></script>
<nav id="top"><b id="news">News</b> <b id="money">Money</b></nav><div id="sub"></div><div id="pane"></div>
<script>
for (const name of ['news', 'money']) document.getElementById(name).addEventListener('mouseover', async () => {
  const items = await (await fetch(`/menu/${name}.json`)).json();
  document.getElementById('sub').innerHTML = items.map((each) => `<i id="${each}">${each}</i> `).join('');
  for (const each of items) document.getElementById(each).onclick = () => {
    const picture = `<img src="/picture/${each}.png">`;
    document.getElementById('pane').innerHTML = `<p>About ${each}</p>${picture}<a href="/story/${each}">story</a>`;
  };
});
</script>"""
LIST = """<!doctype html><title>List</title><script src="/site.js"></script><ol id="all"></ol>
<button id="more">More</button> <button id="send">Send</button><script>
document.getElementById('more').onclick = async () => {
  const text = await (await fetch('/next')).text();
  const item = document.createElement('li');
  item.textContent = text;
  setTimeout(() => document.getElementById('all').append(item), 700);
};
document.getElementById('send').onclick = () => fetch('/order', {method: 'POST', body: 'how=many'}).catch(() => 0);
</script>"""
PLAIN = '<!doctype html><title>Plain</title><p>Nothing moves.<script src="/site.js"></script>'

FILES = {
    "/": ("text/html", INDEX),
    "/menu.html": ("text/html", MENU),
    "/list.html": ("text/html", LIST),
    "/plain.html": ("text/html", PLAIN),
    "/site.js": ("text/javascript", "document.documentElement.dataset.ready = 'yes';"),
    "/menu/news.json": ("application/json", '["city", "world"]'),
    "/menu/money.json": ("application/json", '["stocks"]'),
}


class _Handler(BaseHTTPRequestHandler):
    asked: Counter[str]
    lock: threading.Lock
    robots: str

    def do_GET(self) -> None:
        with self.lock:
            self.asked[f"{self.command} {self.path}"] += 1
            times = self.asked[f"{self.command} {self.path}"]
        if self.path == "/next":
            self._say("text/plain", f"Item {times}".encode())
        elif self.path.startswith("/picture/"):
            self._say("image/png", PIXEL + self.path.encode())
        elif self.path.startswith("/story/"):
            self._say("text/html", f"<!doctype html><title>Story</title><p>{self.path}".encode())
        elif self.path == "/robots.txt" and self.robots:
            self._say("text/plain", self.robots.encode())
        elif self.path in FILES:
            kind, text = FILES[self.path]
            self._say(kind, text.encode())
        else:
            self._say("text/plain", b"nothing here", 404)

    def do_POST(self) -> None:
        self.do_GET()

    def _say(self, kind: str, data: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@contextmanager
def site(robots: str = "") -> Iterator[tuple[str, Counter[str]]]:
    """The site on loopback: its address, and how often each of its URLs was asked for."""
    asked: Counter[str] = Counter()
    handler = type("Handler", (_Handler,), {"asked": asked, "lock": threading.Lock(), "robots": robots})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", asked
        finally:
            server.shutdown()
            thread.join()


def captured(seed: str, into: Path, **said: object) -> CaptureResult:
    """Capture with a browser."""
    with WritableArchive.open_or_create(into) as archive:
        return capture(parse_plan({"seeds": [seed], "delay": 0, **said}), archive, NullCaptureObserver())
