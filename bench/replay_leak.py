"""Pages that try every way a browser has to reach the network, replayed: what gets out is a leak.

    .venv/bin/python -m bench.replay_leak [--quick]

All names outside the replay server lead to a canary, which listens on one port for TCP and for UDP; a connection or a
packet there is a leak, and so is a look-up of such a name in Chromium's network log. Each way has a host of its own.
It is tried as an archived page of its own, and by a page that gets each kind of answer which a replay host can give
into a frame and works from there; on a replay host alone, and in the frame of the control page. That the ways are ways
is shown by the same pages from a plain server: how many reach the canary then is told beside it.
"""

from __future__ import annotations

import argparse
import http.server
import json
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from bench.canary import Canary, listening, looked_up
from bench.measuring import result, say
from bench.replay_answers import CLOSED, ORIGIN, AnswerKind, answer_kinds, build_archive, exchange
from bench.replay_servers import MOMENT, webkeep_server
from bench.replay_ways import Way, ways
from webkeep.model import Exchange

_FRAMES_A_PAGE = 24
_SHARES = {True: 4, False: 24}
"""Pages among which the kinds of answers are shared out; one that has tried much is slow and takes gigabytes."""
_AT_ONCE = 4
"""Attacking pages that are open at a time."""
_PATIENCE = 300.0
"""Seconds in which some attacking page must come to its end."""
_LINGER = {True: 250, False: 600}
"""Milliseconds that the frames of one kind of answer are left to work."""
_SECONDS = {True: 8.0, False: 30.0}
"""Seconds that pages with a way of their own are left to work."""
_OUR_NAMES = "EXCLUDE *.localhost, EXCLUDE localhost, EXCLUDE 127.0.0.1"
_SWITCHES = (
    "--headless=new", "--remote-debugging-port=0", "--no-sandbox", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-default-apps", "--disable-popup-blocking",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--autoplay-policy=no-user-gesture-required", "--disable-features=OptimizationHints,MediaRouter,Translate",
)  # fmt: skip
_WORKER = "fetch('http://w999.canary.test/', {mode: 'no-cors'}); onfetch = () => 0;"
_QUICK_ARCHIVED = ("type text/html", "type image/svg+xml", "type text/plain", "status 404", "status 302", "posted")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="webkeep-bench-", ignore_cleanup_errors=True) as folder,
        listening() as canary,
    ):
        result(_measured(Path(folder), canary, args.quick))


def _measured(folder: Path, canary: Canary, quick: bool) -> dict[str, object]:
    all_ways, kinds = ways(), _chosen(answer_kinds(), quick)
    pages = _pages(all_ways, kinds, canary.port, quick)
    live = _live(folder / "live", pages, all_ways, canary, quick)
    say(f"without replay {len(live)} of {len(all_ways)} ways reach the canary; these do not:")
    say(", ".join(way.name for number, way in enumerate(all_ways) if number not in live))
    made = [exchange(f"{ORIGIN}{path}", page) for path, page in pages.items() if path != "/sw.js"]
    archive = build_archive(folder / "archive", *made, _worker())
    leaks: dict[str, int] = {}
    tries, found = 0, set[str]()
    with webkeep_server(archive, "--access", CLOSED) as server:
        stamp = MOMENT.digits()
        starts = {
            "unframed": f"http://{stamp}h-ways-example.localhost:{server.port}",
            "framed": f"http://localhost:{server.port}/view/{stamp}/{ORIGIN}",
        }
        for name, start in starts.items():
            canary.forget()
            tabs = _tabs(start, pages, all_ways, _SHARES[quick])
            done, names = _browse(folder / name, tabs, canary, quick)
            tries, leaks[name] = tries + done, canary.visits
            found |= names | {f"w{way}k{kind}" for way, kind in canary.names}
            say(f"{name}: {done} tries, {canary.visits} visits, by {_told(canary, all_ways, kinds)}, looked up {names}")
    return {
        "ways_tried": len(all_ways),
        "leaks": sum(leaks.values()) + len(found),
        "answers": len(kinds),
        "tries": tries,
        "leaked": sorted(found),
        **leaks,
        "live": len(live),
    }


def _chosen(kinds: Sequence[AnswerKind], quick: bool) -> list[AnswerKind]:
    """All kinds; in a hurry some of those that are archived content."""
    if not quick:
        return list(kinds)
    return [kind for kind in kinds if not kind.name.startswith(("type ", "status ")) or kind.name in _QUICK_ARCHIVED]


def _told(canary: Canary, all_ways: Sequence[Way], kinds: Sequence[AnswerKind]) -> list[str]:
    def name(way: int, kind: int) -> str:
        by = all_ways[way].name if way < len(all_ways) else "the service worker"
        return f"{by} from {kinds[kind].name if kind < len(kinds) else 'a page of its own'}"

    return sorted(name(*each) for each in canary.names)[:40]


def _pages(all_ways: Sequence[Way], kinds: Sequence[AnswerKind], port: int, quick: bool) -> dict[str, str]:
    """The hostile pages, by their paths."""
    own = {f"/way/{number}": _addressed(way.page, number, port) for number, way in enumerate(all_ways)}
    paths = [f"/way/{number}" for number, way in enumerate(all_ways) if not way.is_alone]
    galleries = {
        f"/gallery/{start}": "<!doctype html><title>gallery</title>"
        + "".join(f"<iframe src={path}></iframe>" for path in paths[start : start + _FRAMES_A_PAGE])
        for start in range(0, len(paths), _FRAMES_A_PAGE)
    }
    facts = {
        "ways": [{"script": way.script, "leaves": way.leaves, "alone": way.is_alone} for way in all_ways],
        "kinds": [asdict(kind) for kind in kinds],
        "port": port,
        "linger": _LINGER[quick],
    }
    told = json.dumps(facts).replace("<", "\\u003c")
    script = (Path(__file__).parent / "replay_attack.js").read_text("utf-8")
    attack = (
        "<!doctype html><title>attack</title><body><iframe></iframe>"
        f'<script type="application/json" id=plan>{told}</script><script>{{{script}}}</script>'
    )
    return {**own, **galleries, "/attack": attack, "/sw.js": _WORKER}


@dataclass(frozen=True, slots=True)
class _Tabs:
    """What is opened: pages full of ways, attacking pages, and in the end what brings a browser to a standstill."""

    galleries: list[str]
    attacks: list[str]
    alone: list[str]


def _tabs(start: str, pages: dict[str, str], all_ways: Sequence[Way], shares: int) -> _Tabs:
    return _Tabs(
        [f"{start}{path}" for path in pages if path.startswith("/gallery")],
        [f"{start}/attack#{share}/{shares}" for share in range(shares)],
        [f"{start}/way/{number}" for number, way in enumerate(all_ways) if way.is_alone],
    )


def _addressed(page: str, number: int, port: int) -> str:
    """A page with the host of its way in it."""
    host = f"w{number}k999.canary.test"
    page = re.sub(r"(//|\\\\|stun:|turn:|'|/http/)H(?=[/:'\"#?>]|$)", lambda match: match[1] + host, page)
    return page.replace("PORT", str(port))


def _worker() -> Exchange:
    return exchange(f"{ORIGIN}/sw.js", _WORKER, "text/javascript")


def _live(folder: Path, pages: dict[str, str], all_ways: Sequence[Way], canary: Canary, quick: bool) -> set[int]:
    """The ways that reach the canary from a plain server, where every answer is a page without locks."""
    plain = {**pages, "/attack": re.sub(r'"kinds": \[.*?\], "port"', _PLAIN_KIND, pages["/attack"])}
    with _plain_server(plain) as port:
        start = f"http://127.0.0.1:{port}"
        _browse(folder, _tabs(start, pages, all_ways, 1), canary, quick)
    return {way for way, _ in canary.names if way < len(all_ways)}


_PLAIN_KIND = (
    '"kinds": [{"name": "plain", "target": "/blank", "method": "GET", "body_size": 0, "cookie_bytes": 0}], "port"'
)


@contextmanager
def _plain_server(pages: dict[str, str]) -> Iterator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            body = pages.get(path, "<!doctype html><body>").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if path.endswith(".js") else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def _browse(folder: Path, tabs: _Tabs, canary: Canary, quick: bool) -> tuple[int, set[str]]:
    """Have Chromium open pages; gives how often the attacking ones tried, and the outside names that were looked up."""
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    rules = f"MAP *.canary.test 127.0.0.1:{canary.port}, MAP * ~NOTFOUND, {_OUR_NAMES}"
    profile, log = folder / "profile", folder / "log.json"
    profile.mkdir(parents=True)
    command = [program, *_SWITCHES, f"--user-data-dir={profile}", f"--host-resolver-rules={rules}",
               f"--log-net-log={log}", "about:blank"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        port = _debugging_port(profile / "DevToolsActivePort")
        began = time.monotonic()
        for url in tabs.galleries:
            _open(port, url)
        tries = _attack(port, tabs.attacks)
        time.sleep(max(began + _SECONDS[quick] - time.monotonic(), 1.0))
        for url in tabs.alone:
            _open(port, url)
        time.sleep(_SECONDS[True] / 2)
        _end(browser)
    return tries, looked_up(log)


def _end(browser: subprocess.Popen[bytes]) -> None:
    browser.terminate()
    try:
        browser.wait(20)
    except subprocess.TimeoutExpired:
        browser.kill()


def _open(port: int, url: str) -> str:
    """Open a tab; gives its name."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{quote(url, safe='')}", method="PUT")
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return str(json.load(answer)["id"])


def _attack(port: int, urls: Sequence[str]) -> int:
    """Open attacking pages, some at a time, and close each that is done: they tell by their titles, the banner's page
    for them. Gives how often they tried.
    """
    waiting, tries = list(urls), 0
    opened: set[str] = set()
    deadline = time.monotonic() + _PATIENCE
    while waiting or opened:
        while waiting and len(opened) < _AT_ONCE:
            opened.add(_open(port, waiting.pop(0)))
        for tab in _listed(port):
            if tab["id"] in opened and (match := re.match(r"done (\d+) ", tab["title"])):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/json/close/{tab['id']}", timeout=60).close()
                opened.remove(tab["id"])
                tries += int(match[1])
                deadline = time.monotonic() + _PATIENCE
        if time.monotonic() > deadline:
            raise SystemExit(
                f"the attacking pages come to no end; {len(waiting) + len(opened)} of {len(urls)} are left"
            )
        time.sleep(0.2)
    return tries


def _listed(port: int) -> list[dict[str, str]]:
    """The tabs there are; nothing where a browser that has much to do does not say."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=60) as answer:
            tabs: list[dict[str, str]] = json.load(answer)
            return tabs
    except OSError:
        return []


def _debugging_port(file: Path) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).count("\n"):
            return int(text.split("\n")[0])
        time.sleep(0.05)
    raise SystemExit("Chromium did not start")


if __name__ == "__main__":
    main()
