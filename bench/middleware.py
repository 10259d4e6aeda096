"""What the recorder costs the application that it archives, and what becomes of requests when it cannot keep up.

    .venv/bin/python -m bench.middleware [--quick] [--rounds N]

A Starlette application on uvicorn is asked for its pages by wrk, with the middleware and without, in short turns one
after the other, because machines are not equally quick at all times. It is asked for pages that stay as they are, for
pages of which one answer in a thousand is a new one, as on a busy site, and for pages that are never the same twice.
Then the queue is short and all answers are new.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bench.measuring import ROOT, median, result, say
from bench.traffic import pairs
from webkeep.recorder import ArchivingMiddleware, Limits
from webkeep.store.archive import Archive
from webkeep.store.verifying import verify

BAR = 0.05
PAGES = 200
CHANGES = 1000
"""One in so many answers of `/page/` is a new one."""
CONNECTIONS = 16
_SCRIPT = """
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "%s" .. (count %% 200))
end
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('\\n{"requests": %%d, "seconds": %%f, "failed": %%d, "p99_ms": %%f}\\n', summary.requests,
    summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(99) / 1e3))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk saw."""

    requests: int
    seconds: float
    failed: int
    p99_ms: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


@dataclass(frozen=True, slots=True)
class Server:
    """A server under way."""

    port: int
    pid: int

    def load(self, seconds: int, path: str) -> Load:
        """Ask for pages for so many seconds."""
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(_SCRIPT % path)
            script.flush()
            url = f"http://127.0.0.1:{self.port}/"
            command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", "-s", script.name, url]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return Load(**json.loads(output.splitlines()[-1]))

    def cpu_s(self) -> float:
        """The processor time that the server has taken, with what it started."""
        total = 0
        for stat in _stats(self.pid):
            total += int(stat[11]) + int(stat[12])
        return total / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a shorter overload")
    parser.add_argument("--rounds", type=int, default=0, help="how often each takes its turn")
    parser.add_argument("--serve", nargs=3, metavar=("PORT", "ARCHIVE", "WAITING"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        _serve(int(args.serve[0]), args.serve[1], int(args.serve[2]))
        return
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed to load the servers: install it (apt-get install wrk)")
    rounds = args.rounds or (4 if args.quick else 20)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        result({**_cost(Path(folder), rounds), **_overload(Path(folder), 6 if args.quick else 60), "bar": BAR})


def _cost(folder: Path, rounds: int) -> dict[str, object]:
    """The share of requests a second that is lost, the median over pairs of turns, and its standard error."""
    # What is new is written for a while after it was served, so it comes last.
    lost: dict[str, list[float]] = {"/same/": [], "/page/": [], "/new/": []}
    cpu: list[float] = []
    rates: list[float] = []
    failed = 0
    with _serving(folder / "plain.json") as plain, _serving(folder / "kept.json", folder / "kept") as kept:
        for server in (plain, kept):
            server.load(1, "/same/")
        for path, shares in lost.items():
            for number in range(rounds):
                turns = [plain, kept] if number % 2 else [kept, plain]
                seen = {server.port: _turn(server, path) for server in turns}
                (without, its_cpu), (with_it, our_cpu) = seen[plain.port], seen[kept.port]
                failed += without.failed + with_it.failed
                shares.append(1 - with_it.rate / without.rate)
                if path == "/same/":
                    cpu.append(our_cpu / its_cpu - 1)
                    rates.append(without.rate)
                say(f"{path} {without.rate:,.0f} a second, with the middleware {with_it.rate:,.0f}")
    return {
        "middleware_cost": median(lost["/same/"]),
        "middleware_cost_error": round(1.25 * statistics.stdev(lost["/same/"]) / rounds**0.5, 3),
        "middleware_cost_cpu": median(cpu),
        "middleware_cost_changing": median(lost["/page/"]),
        "middleware_cost_all_new": median(lost["/new/"]),
        "requests_per_s": round(median(rates)),
        "failed_requests": failed,
        "answers": json.loads((folder / "kept.json").read_text()),
    }


def _turn(server: Server, path: str) -> tuple[Load, float]:
    before = server.cpu_s()
    load = server.load(1, path)
    return load, (server.cpu_s() - before) / load.requests


def _overload(folder: Path, seconds: int) -> dict[str, object]:
    """Every answer is a new one, and few may wait."""
    with _serving(folder / "overload.json", folder / "overload", waiting=8) as server:
        load = server.load(seconds, "/new/")
    counts = json.loads((folder / "overload.json").read_text())
    findings: list[object] = []
    with Archive(folder / "overload") as archive:
        held = sum(1 for _ in archive.observations())
        verify(archive, findings.append)
    say(f"overload: {load.requests:,} answered, {counts['recorded']:,} recorded, {counts['dropped']:,} dropped")
    return {
        "overload_s": seconds,
        "overload_requests": load.requests,
        "overload_failed_requests": load.failed,
        "overload_p99_ms": round(load.p99_ms, 1),
        "overload_recorded": counts["recorded"],
        "overload_dropped": counts["dropped"],
        "overload_uncounted": max(0, load.requests - sum(counts.values())),
        "overload_lost_records": counts["recorded"] - held,
        "overload_findings": len(findings),
    }


@contextmanager
def _serving(report: Path, archive: Path | str = "", waiting: int = 0) -> Iterator[Server]:
    """A server in a process of its own; what it counted is in the report once it ended."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "bench.middleware", "--serve", str(port), str(archive), str(waiting)]
    with report.open("w") as file, subprocess.Popen(command, cwd=ROOT, stdout=file) as process:
        try:
            _await(port)
            yield Server(port, process.pid)
        finally:
            process.terminate()
            process.wait(60)


def _await(port: int) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/same/0") as response:
                response.read()
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the server did not start")


def _serve(port: int, archive: str, waiting: int) -> None:
    app = _application()
    if not archive:
        uvicorn.run(app, port=port, access_log=False, log_level="error")
        return
    # uvicorn raises the signal again that ended it, and what was counted is still to be said.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    limits = Limits(waiting=waiting) if waiting else Limits()
    archiving = ArchivingMiddleware(app, archive, limits=limits)
    try:
        uvicorn.run(archiving, port=port, access_log=False, log_level="error")
    finally:
        print(json.dumps(archiving.recorder.counts), flush=True)


def _application() -> Starlette:
    pages = [pair.body.decode("latin-1") for pair in pairs(3 * PAGES) if pair.url.endswith(".html")]
    chance = random.Random(1)
    asked = [number * CHANGES // PAGES for number in range(PAGES)]  # so that they do not all change at once

    async def page(request: Request) -> Response:
        number = int(request.path_params["number"])
        asked[number] += 1
        return HTMLResponse(f"{pages[number]}<p>version {asked[number] // CHANGES}")

    async def same(request: Request) -> Response:
        return HTMLResponse(pages[int(request.path_params["number"])])

    async def new(request: Request) -> Response:
        return HTMLResponse(f"{pages[int(request.path_params['number'])]}<p>{chance.random()}")

    return Starlette(routes=[Route(f"/{each.__name__}/{{number}}", each) for each in (same, page, new)])


def _stats(pid: int) -> Iterator[list[str]]:
    """What the system says of a process and its children, after the name of each."""
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        try:
            yield Path(f"/proc/{current}/stat").read_text().rpartition(")")[2].split()
            for task in Path(f"/proc/{current}/task").glob("*/children"):
                waiting += map(int, task.read_text().split())
        except OSError:
            continue


if __name__ == "__main__":
    main()
