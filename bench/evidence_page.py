"""What an evidence package of a page with 200 parts costs beside a plain capture of the same page in the browser: both
by the command, in turn, from a server on this machine.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
import tempfile
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.measuring import median, run_child, say

_PARTS = 200
_PICTURE_BYTES = 8 * 1024


def measure(quick: bool) -> dict[str, object]:
    """How many times as long a package takes as a plain capture, and how many seconds."""
    rounds = 1 if quick else 3
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        os.environ["XDG_CONFIG_HOME"] = str(Path(folder) / "settings")
        server = ThreadingHTTPServer(("127.0.0.1", 0), _PageHandler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        plain = [_time_command(Path(folder), "capture", url, *_PLAIN_WORDS) for _ in range(rounds)]
        packed = [_time_command(Path(folder), "evidence", url) for _ in range(rounds)]
        server.shutdown()
        server.server_close()
    ratio = round(median(packed) / median(plain), 2)
    say(f"{_PARTS} parts: captured in {median(plain)} s, packaged in {median(packed)} s")
    return {"package_vs_capture": ratio, "package_s": median(packed), "package_parts": _PARTS + 1}


_PLAIN_WORDS = ("--scope", "page", "--browser", "always", "--no-sitemaps")


def _time_command(folder: Path, command: str, url: str, *words: str) -> float:
    """Seconds for one run of the command into a new place."""
    into = folder / command
    shutil.rmtree(into, ignore_errors=True)
    program = Path(sys.executable).with_name("webkeep")
    run = run_child([str(program), command, url, "--into", str(into), *words, "--json"])
    parts = run.facts["parts_proven"] if command == "evidence" else run.facts["stored"]
    if parts < _PARTS + 1:
        raise SystemExit(f"{command} had {parts} of {_PARTS + 1} parts; the figure would be of something else")
    return run.seconds


class _PageHandler(BaseHTTPRequestHandler):
    """A page with its parts: style sheets, scripts and pictures, each another one."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer for a path."""
        status, kind, body = _answer(self.path)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


def _answer(path: str) -> tuple[int, str, bytes]:
    name, _, ending = path.strip("/").partition(".")
    if path == "/":
        return 200, "text/html; charset=utf-8", _page()
    if not name.isdecimal() or int(name) >= _PARTS:
        return 404, "text/plain", b"not here"
    number = int(name)
    if ending == "css":
        return 200, "text/css", b".c%d { border: 1px solid }" % number
    if ending == "js":
        return 200, "text/javascript", b"document.title += '.'; // %d" % number
    return 200, "image/png", _picture(number)


def _page() -> bytes:
    parts = [f"<link rel=stylesheet href={each}.css>" for each in range(10)]
    parts += [f"<script src={each}.js></script>" for each in range(10, 20)]
    parts += [f"<img src={each}.png width=60>" for each in range(20, _PARTS)]
    return f"<!doctype html><title>Parts</title><h1>A page of many parts</h1>{''.join(parts)}".encode()


def _picture(number: int) -> bytes:
    """A picture of 64 by 42 pixels of noise, another one for each number."""
    width, height = 64, _PICTURE_BYTES // (64 * 3)
    rows = b"".join(
        b"\0" + bytes((number * 31 + row * 17 + at * at) % 256 for at in range(width * 3)) for row in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
