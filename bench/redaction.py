"""Puts secrets into every place of an exchange, by every way into an archive, and looks for them in what was written.

Each place has a secret of its own. `found` are those that a search of the archive folders finds, everything in them
unpacked: WARC files, index, catalog, job folders, and what the commands said. Look-alikes go the same ways with markers
of their own; `destroyed` are those that are not in the archive any more. Bodies that nobody can read are among them.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.measuring import say
from bench.redaction_places import OPEN_NAMES, SECRET_NAMES, Sent, harmless_places, secret_places
from bench.redaction_ways import (
    Server,
    capture,
    deflated,
    imported,
    interrupted_capture,
    make_login,
    masked,
    owner_only,
    record,
    serve_recorded,
)
from bench.secret_search import find_matching
from webkeep.browser.process import find_program
from webkeep.errors import UsageError
from webkeep.store.archive import Archive

SECRET = re.compile(rb"Zq[0-9]{4}kV7x")
MARKER = re.compile(rb"hm[0-9]{4}zk")


@dataclass
class Bench:
    """What was put where."""

    folder: Path
    step: int = 1
    """Every how manieth place is tried."""
    is_control: bool = False
    """Whether nothing is redacted, so that all secrets should be found."""
    secrets: dict[str, str] = field(default_factory=dict)
    markers: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def words(self) -> list[str]:
        """What commands are told besides."""
        return ["--no-redact"] if self.is_control else []

    def secret(self, place: str) -> str:
        """A new secret for a place."""
        text = f"Zq{next(self._numbers):04d}kV7x"
        self.secrets[text] = place
        return text

    def marker(self, place: str) -> str:
        """A new marker for a look-alike."""
        text = f"hm{next(self._numbers):04d}zk"
        self.markers[text] = place
        return text

    def filled(self, way: str, is_meant: Callable[[Sent], bool] = lambda _: True) -> list[Sent]:
        """Secret places and look-alikes for a way, each with its own."""
        made = [
            each.filled(self.secret(f"{way}: {_told(each)}"))
            for each in self._chosen(secret_places())
            if is_meant(each)
        ]
        made += [
            each.filled(self.marker(f"{way}: {_told(each)}"))
            for each in self._chosen(harmless_places())
            if is_meant(each)
        ]
        return made

    def _chosen(self, places: Iterator[Sent]) -> list[Sent]:
        return list(places)[:: self.step]


def _told(each: Sent) -> str:
    return f"{each.raw!r} {each.target} {each.fields} {each.body[:80]!r} {each.answer}"[:200]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same with every third place, in under 50 seconds")
    parser.add_argument("--control", action="store_true", help="redact nothing: every secret should be found then")
    args = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "written"
        folder.mkdir()
        bench = Bench(folder, 3 if args.quick else 1, args.control)
        ways = (_record, _capture, _interrupt, _browse, _import)
        for way in ways if args.control else (*ways, _serve):  # servers that record themselves always redact
            say(f"{way.__name__.strip('_')} …")
            way(bench)
        facts = _searched(bench)
    print(json.dumps(facts | {"seconds": round(time.perf_counter() - started, 1)}))
    if args.control:
        return
    if facts["found"] or facts["destroyed"] or facts["readable_by_others"]:
        raise SystemExit(1)


def _searched(bench: Bench) -> dict[str, object]:
    found = find_matching(bench.folder, SECRET)
    if bench.is_control:
        for secret in [each for each in bench.secrets if each not in found][:20]:
            say(f"never there: {bench.secrets[secret]}")
    for secret, files in [] if bench.is_control else list(found.items())[:20]:
        say(f"found: {bench.secrets.get(secret)} in {files}")
    archives = [each for each in bench.folder.iterdir() if each.is_dir()]
    there = {marker for archive in archives for marker in find_matching(archive, MARKER)}
    destroyed = [place for marker, place in bench.markers.items() if marker not in there]
    for place in destroyed[:20]:
        say(f"destroyed: {place}")
    readable = owner_only(bench.folder) if bench.folder else []
    closed = [each for each in readable if "imported" not in each]
    for each in closed[:5]:
        say(f"readable by others: {each}")
    return {
        "places": len(bench.secrets),
        "found": len(found),
        "harmless": len(bench.markers),
        "destroyed": len(destroyed),
        "readable_by_others": len(closed),
    }


def _record(bench: Bench) -> None:
    def hidden(text: str) -> bytes:
        return text.replace("SECRET", bench.secret(f"frame: {text}")).encode()

    split = hidden('{"token": "SECRET", "n": 1}')
    frames = [
        masked(hidden('{"type": "auth", "token": "SECRET"}')),
        masked(hidden("user=me&password=SECRET")),
        masked(deflated(hidden('{"password": "SECRET"}')), 0xC1),
        masked(split[:14], 0x01) + masked(split[14:], 0x80),
        masked(b"\x82\xa8password\xa9" + hidden("SECRET"), 0x82),
        masked(json.dumps({"author": bench.marker("frame: author")}).encode()),
        masked(b"\x01\x02\x03" + bench.marker("frame: bytes").encode() + b"\xff", 0x82),
        bench.secret("the URL of a WebSocket").encode(),
    ]
    record(bench.folder, bench.filled("record"), frames, *bench.words)


def _capture(bench: Bench) -> None:
    """The fast tier with every kind of credentials, on a site that puts secrets everywhere a server can."""
    names = SECRET_NAMES[:: bench.step]
    links = {f"/l{number}?a=b&{name}=": bench.secret(f"capture: link {name}") for number, name in enumerate(names)}
    cookie, auth, mine, bearer, seed, moved, fresh, pushed, framed = (
        bench.secret(f"capture: {each}")
        for each in (
            "cookie",
            "auth",
            "header",
            "bearer",
            "seed",
            "redirect",
            "cookie set",
            "Link",
            "Refresh",
        )
    )
    open_links = [
        f"/o{number}?{name}={bench.marker(f'capture: {name}')}" for number, name in enumerate(OPEN_NAMES[:: bench.step])
    ]

    def answer(path: str, fields: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if path == "/robots.txt":
            return 404, {}, b""
        if path.startswith("/guarded") and "authorization" not in fields:
            return 401, {"WWW-Authenticate": 'Basic realm="x"'}, b"who?"
        if path.startswith("/moved"):
            return 302, {"Location": f"/there?token={moved}", "Set-Cookie": f"again={fresh}"}, b""
        if path.startswith("/start"):
            # The links are made by a redirect each, as pages are stored as they came.
            paths = ["/guarded", "/moved", *(f"/to/{number}" for number in range(len(links))), *open_links]
            told = {"Link": f"</style.css?token={pushed}>; rel=preload", "Refresh": f"9; url=/soon?token={framed}"}
            return (
                200,
                {"Content-Type": "text/html", **told},
                "".join(f'<a href="{each}">x</a>' for each in paths).encode(),
            )
        if path.startswith("/to/"):
            link, secret = list(links.items())[int(path.rpartition("/")[2])]
            return 302, {"Location": link + secret}, b""
        return 200, {"Content-Type": "text/plain"}, b"here"

    jar = bench.folder.parent / "cookies.txt"
    jar.write_text(f"127.0.0.1\tFALSE\t/\tFALSE\t0\tmember\t{cookie}\n")
    words = ["--cookies", str(jar), "--auth", f"127.0.0.1=me:{auth}", "--header", f"X-Mine: {mine}"]
    words += ["--header", f"X-Bearer: Bearer {bearer}", "--delay", "0", *bench.words]
    capture(bench.folder, "captured", answer, *words, seed=f"/start?token={seed}")
    with Archive(bench.folder / "captured") as archive:
        urls = " ".join(each.url for each in archive)
    for link in open_links:
        if link not in urls:
            bench.markers[f"missing {link}"] = f"capture: {link} is not under its own URL"


def _interrupt(bench: Bench) -> None:
    links = [f"/q{number}?{name}={{}}" for number, name in enumerate(SECRET_NAMES[::5])]
    # They lead there from the page itself, which is stored as it came: only what else is written counts.
    filled = [link.format(bench.secret(f"job folder: {link}")) for link in links]
    interrupted_capture(bench.folder, "interrupted", filled, "--header", "Authorization: Bearer none-1", *bench.words)
    for path in (bench.folder / "interrupted" / "warcs").iterdir():
        path.unlink()


_SCRIPT = """<!doctype html><title>Start</title><p id=out></p><button id=b>More</button><script>
const token = localStorage.getItem('token'), cookie = document.cookie.split('member=')[1].split(';')[0];
const put = (name) => localStorage.getItem(name);
document.getElementById('out').textContent = document.cookie + ' ' + put('shown');
document.title = 'Hello ' + put('title');
const ask = (url, more) => fetch(['', url].join('/'), more).catch(() => 0);
ask('a.json?n=' + [1, 2].join('-'), {headers: {'X-Session': put('header')}});
ask('b.json?token=' + put('query'));
ask('c/' + put('path') + '/x.json');
ask('d.json?user%5Bpass%77ord%5D=' + put('escaped'));
const typed = {'Content-Type': 'application/json'};
ask('post', {method: 'POST', headers: typed, body: JSON.stringify({password: put('posted')})});
ask('wish?token=' + put('wish'), {method: 'POST', body: 'x'});
document.body.append(Object.assign(new Image(), {src: ['', 'e.png?api_key='].join('/') + put('picture')}));
const socket = new WebSocket(`ws://${location.host}/socket?token=${put('socket')}`);
socket.onopen = () => socket.send(JSON.stringify({token: put('frame')}));
history.replaceState(null, '', '?token=' + put('address'));
document.getElementById('b').onclick = () => {
  ask('f.json?secret=' + put('clicked'));
  document.getElementById('out').append(put('noted'));
  window.open('/popup?token=' + put('popup'));
};
</script>"""
_STORED = (
    "shown", "title", "header", "query", "path", "escaped", "posted", "wish", "picture", "socket", "frame",
    "address", "clicked", "noted", "popup",
)  # fmt: skip
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def _browse(bench: Bench) -> None:
    """The browser tier, with a login, on a page whose scripts put what they keep everywhere they can."""
    try:
        find_program("")
    except UsageError as error:
        say(f"no browser: {error}")
        return
    stored = {name: f"{bench.secret(f'browser: {name}')}-long-enough" for name in _STORED}
    cookie, fresh = bench.secret("browser: cookie"), bench.secret("browser: cookie set")
    marker = bench.marker("browser: ?author=")

    def answers(head: bytes, _: bytes) -> bytes:
        path = head.split(b" ")[1].decode("latin-1")
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", head, re.IGNORECASE)
        if key:
            accept = base64.b64encode(hashlib.sha1(key[1] + _MAGIC).digest())
            start = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            return start + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        body = _SCRIPT.encode() if path == "/" else b"{}"
        kind = b"text/html" if path == "/" else b"application/json"
        told = b"Set-Cookie: fresh=%b; Path=/\r\n" % fresh.encode() if path.startswith("/a.json") else b""
        if path == "/":
            body += f"<img src='/g.png?author={marker}'>".encode()
        start = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\nConnection: close\r\n" % (
            kind,
            len(body),
        )
        return start + told + b"\r\n" + body

    with Server(answers) as server:
        _run_browser(bench, f"http://127.0.0.1:{server.port}", cookie, stored)


def _run_browser(bench: Bench, home: str, cookie: str, stored: dict[str, str]) -> None:
    login = make_login(bench.folder.parent / "login", home, {"member": cookie}, stored)
    command = [
        sys.executable,
        "-m",
        "webkeep",
        "capture",
        f"{home}/",
        "--into",
        str(bench.folder / "browsed"),
        "--json",
    ]
    command += [
        "--browser-profile",
        str(login),
        "--browser",
        "always",
        "--states",
        "1",
        "--allow-post",
        "*/post*",
        *bench.words,
    ]
    with (bench.folder / "browsed.log").open("wb") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False, timeout=300)


def _serve(bench: Bench) -> None:
    serve_recorded(bench.folder, bench.filled("ASGI", lambda each: not each.body and not each.fields), is_wsgi=False)
    serve_recorded(bench.folder, bench.filled("WSGI", lambda each: bool(each.answer)), is_wsgi=True)
    kept = ("Referer", "Authorization", "Cookie", "X-Api-Key", "X-CSRF-Token", "X-Info", "User-Agent")
    fields = bench.filled("WSGI", lambda each: bool(each.fields) and not each.body and each.fields[0][0] in kept)
    (bench.folder / "more").mkdir()
    serve_recorded(bench.folder / "more", fields, is_wsgi=True)


def _import(bench: Bench) -> None:
    imported(bench.folder, bench.filled("import"), *([] if bench.is_control else ["--redact"]))


if __name__ == "__main__":
    main()
