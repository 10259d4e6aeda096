"""How long a person waits before anything happens: the help, the version, a list, a capture's first request, and word
that there is no such host.

    python -m bench.startup [--quick]

The code is compiled beforehand, as `make install` leaves it. `capture_s` is from the start of the command to its first
request at the server, as `startup_s` in `bench.capture`; `unknown_host_s` is from the start of the command to its end,
and its exit code is held to be 1: nothing was captured. The others are whole commands.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from bench.capture_run import capture_command
from bench.measuring import ROOT, compile_sources, median, result, say

_PAGE = b"<!doctype html><title>One page</title><p>It links to nothing."
_WEBKEEP = str(ROOT / ".venv" / "bin" / "webkeep")
_UNKNOWN = "http://there-is-no-such-host.invalid/"


class _OnePage(ThreadingHTTPServer):
    """Serves one page, and remembers when it was first asked for anything."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.first_request = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: _OnePage

    def do_GET(self) -> None:
        """Answer with the page, or that there is no such thing."""
        self.server.first_request = self.server.first_request or time.perf_counter()
        body = _PAGE if self.path == "/" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Run each command several times, and print the medians last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five runs of each in place of fifteen")
    times = 5 if parser.parse_args().quick else 15
    compile_sources()
    with tempfile.TemporaryDirectory() as scratch, _OnePage() as site:
        Thread(target=site.serve_forever, daemon=True).start()
        folder = Path(scratch)
        _seconds_of(capture_command(site.url, folder / "listed"))
        runs: dict[str, Callable[[int], float]] = {
            "help_s": lambda _: _seconds_of([_WEBKEEP, "--help"]),
            "version_s": lambda _: _seconds_of([_WEBKEEP, "--version"]),
            "list_s": lambda _: _seconds_of([_WEBKEEP, "list", str(folder / "listed")]),
            "capture_s": lambda number: _until_asked(site, folder / f"captured-{number}"),
            "unknown_host_s": lambda number: _seconds_of(capture_command(_UNKNOWN, folder / f"unknown-{number}"), 1),
        }
        figures = {name: _measured(name, run, times) for name, run in runs.items()}
        site.shutdown()
    result(dict(figures))


def _measured(name: str, run: Callable[[int], float], times: int) -> float:
    taken = [run(number) for number in range(times)]
    say(f"{name}: median {median(taken)}, from {min(taken):.3f} to {max(taken):.3f}")
    return median(taken)


def _seconds_of(command: list[str], expected: int = 0) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode != expected:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return seconds


def _until_asked(site: _OnePage, archive: Path) -> float:
    site.first_request, began = 0.0, time.perf_counter()
    _seconds_of(capture_command(site.url, archive))
    return site.first_request - began


if __name__ == "__main__":
    main()
