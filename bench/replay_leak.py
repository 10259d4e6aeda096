"""Pages that try every way a browser has to reach the network, replayed: what gets out is a leak.

    .venv/bin/python -m bench.replay_leak [--quick]

All names outside the replay server lead to a canary, which listens on one port for TCP and for UDP; a connection or a
packet there is a leak, and so is a look-up of such a name in Chromium's network log. Each way has a host of its own,
and is tried on a replay host alone and in the frame of the control page. That the ways are ways is shown by the same
pages from a plain server: how many reach the canary then is told beside it.
"""

from __future__ import annotations

import argparse
import http.server
import json
import re
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from bench.measuring import result, say
from bench.replay_servers import MOMENT, webkeep_server
from bench.replay_ways import ways
from webkeep.model import BytesBody, Exchange
from webkeep.store.writable import WritableArchive

_TABS = 12
_SECONDS = 5.0
_NAME = re.compile(rb"w(\d+)\.canary\.test")
_LOOKED_UP = re.compile(r"(?<![0-9A-Za-z])w\d+\.canary\.test")  # not where it is escaped in an address of ours
_TYPE = re.compile(r'"type":(\d+)[,}]')
_OUR_NAMES = "EXCLUDE *.localhost, EXCLUDE localhost, EXCLUDE 127.0.0.1"
_SWITCHES = (
    "--headless=new", "--remote-debugging-port=0", "--no-sandbox", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-default-apps", "--disable-popup-blocking",
    "--autoplay-policy=no-user-gesture-required", "--disable-features=OptimizationHints,MediaRouter,Translate",
)  # fmt: skip


@dataclass
class Canary:
    """Notes whoever comes, by TCP or by UDP."""

    port: int = 0
    names: set[int] = field(default_factory=set)
    """The ways whose name was in what came."""
    visits: int = 0
    """How many came, with or without a word."""

    def take(self, data: bytes) -> None:
        """Look for a way's name in what came."""
        self.names |= {int(number) for number in _NAME.findall(data)}


@contextmanager
def listening() -> Iterator[Canary]:
    """A canary on a free port."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=500) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        canary = Canary(tcp.getsockname()[1])
        udp.bind(("127.0.0.1", canary.port))
        ended = threading.Event()
        thread = threading.Thread(target=_listen, args=(canary, tcp, udp, ended))
        thread.start()
        try:
            yield canary
        finally:
            ended.set()
            thread.join()


def _listen(canary: Canary, tcp: socket.socket, udp: socket.socket, ended: threading.Event) -> None:
    guests: list[socket.socket] = []
    while not ended.is_set():
        for ready in select.select([tcp, udp, *guests], [], [], 0.2)[0]:
            if ready is tcp:
                guests.append(tcp.accept()[0])
                canary.visits += 1
            elif ready is udp:
                canary.take(udp.recvfrom(65536)[0])
                canary.visits += 1
            else:
                try:
                    data = ready.recv(65536)
                except OSError:
                    data = b""
                canary.take(data)
                if data:
                    ready.send(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                guests.remove(ready)
                ready.close()
    for guest in guests:
        guest.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder, listening() as canary:
        result(_measured(Path(folder), canary, _SECONDS if args.quick else 2 * _SECONDS))


def _measured(folder: Path, canary: Canary, seconds: float) -> dict[str, object]:
    pages = {number: _addressed(page, number, canary.port) for number, page in enumerate(ways().values())}
    names = list(ways())
    with _plain_server(pages) as port:
        _browse(folder / "live", [f"http://127.0.0.1:{port}/{number}" for number in pages], canary, seconds)
    live, canary.names, canary.visits = canary.names, set(), 0
    say(f"without replay {len(live)} of {len(pages)} ways reach the canary")
    say(f"these do not: {[names[number] for number in pages if number not in live]}")
    archive = _build(folder / "archive", pages)
    looked_up: set[str] = set()
    leaks: dict[str, int] = {}
    with webkeep_server(archive) as server:
        stamp = MOMENT.digits()
        root = f"http://localhost:{server.port}"
        for kind, start in (
            ("unframed", f"http://{stamp}h-ways-example.localhost:{server.port}/"),
            ("framed", f"{root}/view/{stamp}/http://ways.example/"),
        ):
            canary.visits = 0
            looked_up |= _browse(folder / kind, [f"{start}{number}" for number in pages], canary, seconds)
            leaks[kind] = canary.visits
            reached = sorted(names[number] for number in canary.names if number < len(names))
            say(f"{kind}: {canary.visits} visits by {reached}, looked up {sorted(looked_up)}")
    return {
        "ways_tried": len(pages),
        "leaks": sum(leaks.values()) + len(looked_up),
        "leaked": sorted(canary.names),
        "looked_up": sorted(looked_up),
        **leaks,
        "live": len(live),
    }


def _addressed(page: str, number: int, port: int) -> str:
    """A page with the host of its way in it."""
    host = f"w{number}.canary.test"
    for before in ("//", "\\\\", "stun:", "turn:"):
        page = page.replace(f"{before}H", f"{before}{host}")
    return page.replace("PORT", str(port))


def _build(path: Path, pages: dict[int, str]) -> Path:
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        for number, page in pages.items():
            body = BytesBody(page.encode())
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {body.size}\r\n\r\n"
            capture.append(Exchange(f"http://ways.example/{number}", MOMENT, head.encode(), body))
        script = BytesBody(b"fetch('http://w999.canary.test/', {mode: 'no-cors'}); onfetch = () => 0;")
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n\r\n"
        capture.append(Exchange("http://ways.example/sw.js", MOMENT, head.encode(), script))
    return path


@contextmanager
def _plain_server(pages: dict[int, str]) -> Iterator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path.strip("/")
            body = pages.get(int(number), "").encode() if number.isdigit() else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def _browse(folder: Path, urls: list[str], canary: Canary, seconds: float) -> set[str]:
    """Have Chromium open pages, some at a time; gives the outside names that it looked up."""
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    rules = f"MAP *.canary.test 127.0.0.1:{canary.port}, MAP * ~NOTFOUND, {_OUR_NAMES}"
    found: set[str] = set()
    for start in range(0, len(urls), _TABS):
        profile, log = folder / str(start), folder / f"{start}.json"
        profile.mkdir(parents=True)
        command = [program, *_SWITCHES, f"--user-data-dir={profile}", f"--host-resolver-rules={rules}",
                   f"--log-net-log={log}", "about:blank"]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            port = _debugging_port(profile / "DevToolsActivePort")
            for url in urls[start : start + _TABS]:
                asked = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{quote(url, safe='')}", method="PUT")
                urllib.request.urlopen(asked, timeout=30).close()
            time.sleep(seconds)
            browser.terminate()
            browser.wait(30)
        found |= _looked_up(log)
    return found


def _debugging_port(file: Path) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).count("\n"):
            return int(text.split("\n")[0])
        time.sleep(0.05)
    raise SystemExit("Chromium did not start")


def _looked_up(log: Path) -> set[str]:
    """The canary's names in the events of a network log that have to do with finding or reaching hosts."""
    text = log.read_text("utf-8", "replace")
    kinds = json.loads(_repaired(text))["constants"]["logEventTypes"]
    ways_out = ("HOST_RESOLVER", "DNS_", "SOCKET", "TCP_CONNECT")
    wanted = {number for name, number in kinds.items() if name.startswith(ways_out)}
    found: set[str] = set()
    for line in text.splitlines():
        kind = _TYPE.search(line) if "canary.test" in line else None
        if kind is not None and int(kind[1]) in wanted:
            found |= set(_LOOKED_UP.findall(line))
    return found


def _repaired(text: str) -> str:
    """The log as JSON, also where Chromium was ended before it wrote the last line."""
    head = text.partition('"events": [')[0]
    return head + '"events": []}'


if __name__ == "__main__":
    main()
