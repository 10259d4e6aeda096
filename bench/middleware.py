"""What the recorder costs the application that it archives, and what becomes of requests when it cannot keep up.

    .venv/bin/python -m bench.middleware [--quick]

A small Starlette site on uvicorn is loaded with the middleware and without, in many turns one after the other, each
long enough for a server to get going again after the other had the machine. It is asked for pages that stay as they
are, for pages of which one answer in a thousand is a new one, as on a busy site, and for pages that
are never the same twice. Then the queue is short and all answers are new.

Two processes of the same server differ by several percent, because one may be luckier with its memory than another; so
both are started anew many times. `middleware_cost` is the share of requests a second that is lost: for each start the
median over pairs of turns, then the mean over starts, with its standard error. `middleware_cost_cpu` is the same for
the server's processor time, with all threads and processes that write.
"""

from __future__ import annotations

import argparse
import itertools
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.measuring import ROOT, median, result, say
from bench.middleware_app import PAGES
from bench.middleware_client import Client, Turn
from webkeep.store.archive import Archive
from webkeep.store.maintenance import verify_archive

BAR = 0.05
CONNECTIONS = 16
REQUESTS = 240
"""In one turn."""
_SITE = {
    "same": ["/", "/ships.json", *(f"/articles/{number}" for number in range(PAGES))],
    "changing": [f"/reports/{number}" for number in range(PAGES)],
    "all_new": [f"/tides/{number}" for number in range(PAGES)],
}
_SHARES = {"same": 6, "changing": 3, "all_new": 1}
"""Of the time, in proportion."""


@dataclass(slots=True)
class Comparison:
    """What was seen of servers without the middleware and with it, start by start."""

    losses: list[float] = field(default_factory=list)
    """The share of requests a second that the middleware takes."""
    cpu: list[float] = field(default_factory=list)
    """The share of the processor time that it takes."""
    rates: list[float] = field(default_factory=list)
    """Requests a second without it."""
    failed: int = 0
    """Requests that were not answered well."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server under way, and its visitors."""

    pid: int
    client: Client
    port: int

    def cpu_s(self) -> float:
        """The processor time that it has taken, with what it started."""
        return sum(map(_nanoseconds, _with_children(self.pid))) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter turns and a shorter overload")
    args = parser.parse_args()
    costs, overloaded = (cost(), overload(5)) if args.quick else (cost(200, 12), overload(60))
    failed = {"requests_failed": costs["requests_failed"] + overloaded["requests_failed"]}
    result({**costs, **overloaded, **failed, "bar": BAR})


def cost(seconds: float = 12, starts: int = 2, kinds: Sequence[str] = tuple(_SITE)) -> dict[str, float]:
    """The share of requests a second that the middleware costs, and what else is seen in so many seconds of turns."""
    seen = {name: Comparison() for name in kinds}
    second = seconds / starts / sum(_SHARES[name] for name in kinds)
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        for start in range(starts):
            place = Path(folder) / str(start)
            place.mkdir()
            with _serving(place / "plain.json") as plain, _serving(place / "kept.json", place / "kept") as kept:
                for name, comparison in seen.items():  # what is new is written for a while, so it comes last
                    rest = 0.0 if name == "all_new" else 1.5  # what was new then is written by then
                    compare(_SITE[name], (plain, kept), second * _SHARES[name], comparison, rest)
    same = seen["same"]
    return {
        "middleware_cost": _mean(same.losses),
        "middleware_cost_error": round(statistics.stdev(same.losses) / starts**0.5, 4),
        "middleware_cost_cpu": _mean(same.cpu),
        **{f"middleware_cost_{name}": _mean(each.losses) for name, each in seen.items() if name != "same"},
        **{f"middleware_cost_{name}_cpu": _mean(each.cpu) for name, each in seen.items() if name == "changing"},
        "requests_per_s": round(median(same.rates)),
        "starts": starts,
        "requests_failed": sum(comparison.failed for comparison in seen.values()),
    }


def overload(seconds: float) -> dict[str, float]:
    """Every answer is a new one for so many seconds, and few may wait."""
    paths = _paths("all_new")
    turns: list[Turn] = []
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder:
        report, place = Path(folder) / "report.json", Path(folder) / "archive"
        with _serving(report, place, waiting=8) as server:
            began = time.monotonic()
            while time.monotonic() - began < seconds:
                turns.append(server.client.turn(paths, REQUESTS))
        counts = json.loads(report.read_text())
        findings: list[object] = []
        with Archive(place) as archive:
            held = sum(1 for _ in archive.observations())
            verify_archive(archive, findings.append)
    asked = sum(turn.requests for turn in turns)
    say(f"overload: {asked:,} answered, {counts['recorded']:,} recorded, {counts['dropped']:,} dropped")
    return {
        "overload_seconds": seconds,
        "overload_requests": asked,
        "requests_failed": sum(turn.failed for turn in turns),
        "slowest_answer_ms": round(1000 * max(turn.slowest for turn in turns), 1),
        "records_kept": held,
        "records_dropped": counts["dropped"],
        "records_lost": counts["recorded"] - held,
        "answers_uncounted": asked - sum(counts.values()),
        "findings": len(findings),
    }


def compare(
    site: Sequence[str], servers: tuple[Server, Server], seconds: float, comparison: Comparison, rest: float = 0.0
) -> None:
    """Ask a server without the middleware and one with it for the same pages, in turns, after some seconds of rest."""
    plain, kept = servers
    paths = itertools.cycle([path.encode() for path in site])
    for server in (plain, kept):
        server.client.turn(paths, 3 * len(site))
    time.sleep(rest)
    before = [server.cpu_s() for server in (plain, kept)]
    pairs: list[tuple[Turn, Turn]] = []
    began = time.monotonic()
    while len(pairs) < 2 or time.monotonic() - began < seconds:
        order = (plain, kept) if len(pairs) % 2 else (kept, plain)
        turns = {server.pid: server.client.turn(paths, REQUESTS) for server in order}
        pairs.append((turns[plain.pid], turns[kept.pid]))
    its, ours = (server.cpu_s() - start for server, start in zip((plain, kept), before, strict=True))
    comparison.losses.append(statistics.median(1 - kept.rate / plain.rate for plain, kept in pairs))
    comparison.cpu.append(1 - its / ours)
    comparison.failed += sum(turn.failed for pair in pairs for turn in pair)
    rates = [median(turn.rate for turn in turns) for turns in zip(*pairs, strict=True)]
    comparison.rates.append(rates[0])
    say(f"{site[-1]}: {rates[0]:,.0f} a second, with the middleware {rates[1]:,.0f}; {1 - its / ours:.1%} of its work")


def _mean(values: list[float]) -> float:
    return round(statistics.mean(values), 4)


def _paths(name: str) -> Iterator[bytes]:
    return itertools.cycle([path.encode() for path in _SITE[name]])


@contextmanager
def _serving(report: Path, archive: Path | str = "", waiting: int | str = "") -> Iterator[Server]:
    """A server in a process of its own; what it counted is in the report once it ended."""
    with serving(report, "bench.middleware_app", str(archive), str(waiting)) as server:
        yield server


@contextmanager
def serving(report: Path, module: str, *words: str) -> Iterator[Server]:
    """A module that serves on the port it is given before these words; what it prints goes to the report."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", module, str(port), *words]
    with report.open("w") as file, subprocess.Popen(command, cwd=ROOT, stdout=file) as process:
        try:
            _await(port)
            client = Client(port, CONNECTIONS)
            yield Server(process.pid, client, port)
            client.close()
        finally:
            process.terminate()
            process.wait(120)


def _await(port: int) -> None:
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("the server did not start")


def _nanoseconds(pid: int) -> int:
    """The processor time of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # it has ended
            total += int(task.read_text().split()[0])
    return total


def _with_children(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            found += [each for child in task.read_text().split() for each in _with_children(int(child))]
    return found


if __name__ == "__main__":
    main()
