"""How a capture grows with its workers: pages a second, processor time, statements and memory, on one machine.

.venv/bin/python -m bench.cluster [--quick]

A web of 800 hosts on loopback answers after 100 ms, and is asked once a second and host; each worker holds at most 50
hosts. So one worker can do about 45 pages a second, and 16 can do 16 times that as long as the machine can. Each
number of workers has a capture of its own, measured over some seconds once all have their hosts. Beside it a capture
on one machine, with as many hosts as one worker. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import MemoryWatch, cpu_seconds, result, say
from bench.postgres_server import PostgresServer, postgres_server

_HOSTS = 800
_HOSTS_PER_WORKER = 50
_PAGES = 400
"""Of each host: more than are asked for while it is measured."""
_LATENCY_SECONDS = 0.1
_DELAY_SECONDS = 1.0
_WORKERS = (1, 2, 4, 8, 16)
_QUICK_WORKERS = (1, 2, 4)


def host_name(number: int) -> str:
    """The address of a host."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


class WebProcess:
    """The web, in a process of its own."""

    def __init__(self, pages: int, latency: float) -> None:
        command = [sys.executable, "-m", "bench.cluster_web", "0", str(pages), str(latency)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._read()["port"])
        self.pid = self._process.pid

    def _read(self) -> dict[str, float]:
        assert self._process.stdout is not None
        facts: dict[str, float] = json.loads(self._process.stdout.readline())
        return facts

    def count(self) -> float:
        """How many answers it gave."""
        assert self._process.stdin is not None
        self._process.stdin.write("count\n")
        self._process.stdin.flush()
        return self._read()["answers"]

    def kill(self) -> None:
        """Have it end, if it has not by itself."""
        self._process.kill()

    def end(self) -> dict[str, float]:
        """What it was asked for in all."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        facts = self._read()
        self._process.wait()
        return facts


@contextmanager
def web_process(pages: int, latency: float) -> Iterator[WebProcess]:
    """A web while the block lasts."""
    web = WebProcess(pages, latency)
    try:
        yield web
    finally:
        web.kill()


@dataclass(frozen=True, slots=True)
class Measured:
    """What a number of workers did."""

    pages_a_second: float
    cpu_ms_per_url: float
    """Of the workers, and of whoever looks after them."""
    database_cpu_ms_per_url: float
    wal_bytes_per_url: float
    statements_per_url: float
    rss_mb: float
    """The greatest of one worker."""
    cores_used: float
    """Of all that ran, the web and the database included."""
    overlapping: float
    smallest_gap: float


def start(*words: object) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "webkeep", *map(str, words), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def end(process: subprocess.Popen[str]) -> dict[str, float]:
    """Stop a command, and give its summary."""
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    lines = [line for line in output.splitlines() if line.startswith("{")]
    facts: dict[str, float] = json.loads(lines[-1]) if lines else {}
    return facts


def measure_cluster(server: PostgresServer, folder: Path, workers: int, seconds: float) -> Measured:
    """Have so many workers capture for a while."""
    with web_process(_PAGES, _LATENCY_SECONDS) as web:
        seeds = folder / "seeds"
        seeds.write_text("\n".join(f"http://{host_name(number)}:{web.port}/" for number in range(_HOSTS)))
        words = ("--seeds-from", seeds, "--into", folder / "main", "--browser", "off", "--delay", _DELAY_SECONDS)
        main = start("capture", *words, "--on", server.address, "--new")
        joined = [
            start("worker", "--join", server.address, "--into", folder / f"worker-{number}", "--wait", "--hosts",
                  _HOSTS_PER_WORKER)
            for number in range(workers)
        ]  # fmt: skip
        watches = [MemoryWatch(each.pid) for each in joined]
        for watch in watches:
            watch.start()
        held = workers * _HOSTS_PER_WORKER
        while web.count() < held * 4:
            time.sleep(0.2)
        pids = [main.pid, *(each.pid for each in joined)]
        before = _read_counters(server, web, pids)
        time.sleep(seconds)
        after = _read_counters(server, web, pids)
        for watch in watches:
            watch.end()
        end(main)
        summaries = [end(each) for each in joined]
        facts = web.end()
    pages, spent, database, webs, wal, took = (b - a for a, b in zip(before, after, strict=True))
    return Measured(
        round(pages / took, 1),
        round(spent / pages * 1000, 3),
        round(database / pages * 1000, 3),
        round(wal / pages),
        round(sum(each["statements"] for each in summaries) / facts["answers"], 3),
        max(watch.peak_mb for watch in watches),
        round((spent + database + webs) / took, 2),
        facts["overlapping"],
        facts["smallest_gap"],
    )


def _read_counters(server: PostgresServer, web: WebProcess, pids: list[int]) -> tuple[float, ...]:
    """Answers; processor time of webkeep, the database and the web; bytes of the log of the database; the moment."""
    ((wal,),) = server.ask("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::BIGINT")
    spent = sum(map(cpu_seconds, pids))
    return web.count(), spent, cpu_seconds(server.pid), cpu_seconds(web.pid), float(str(wal)), time.monotonic()


def measure_single(folder: Path, seconds: float) -> tuple[float, float]:
    """Pages a second of a capture on one machine of as many hosts as a worker has, and its processor time per URL."""
    with web_process(_PAGES, _LATENCY_SECONDS) as web:
        seeds = folder / "seeds"
        urls = [f"http://{host_name(number)}:{web.port}/" for number in range(_HOSTS_PER_WORKER)]
        seeds.write_text("\n".join(urls))
        words = ("--seeds-from", seeds, "--browser", "off", "--delay", _DELAY_SECONDS)
        capture = start("capture", *words, "--into", folder / "single")
        while web.count() < _HOSTS_PER_WORKER * 4:
            time.sleep(0.2)
        began, count, spent = time.monotonic(), web.count(), cpu_seconds(capture.pid)
        time.sleep(seconds)
        took, pages = time.monotonic() - began, web.count() - count
        per_url = (cpu_seconds(capture.pid) - spent) / pages * 1000
        end(capture)
        return pages / took, per_url


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer workers, and for a shorter time")
    parser.add_argument("--seconds", type=float, default=0.0, help="how long each is measured")
    parser.add_argument("--workers", type=int, nargs="*", help="how many, one capture for each number")
    args = parser.parse_args()
    seconds = args.seconds or (10.0 if args.quick else 30.0)
    found: dict[int, Measured] = {}
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as folder, postgres_server() as server:
        single_rate, single_cpu = measure_single(Path(folder), seconds)
        say(f"one machine, {_HOSTS_PER_WORKER} hosts: {single_rate:.1f} pages a second, {single_cpu:.2f} ms each")
        for workers in args.workers or (_QUICK_WORKERS if args.quick else _WORKERS):
            with tempfile.TemporaryDirectory(prefix="webkeep-bench-") as own:
                found[workers] = measure_cluster(server, Path(own), workers, seconds)
            say(f"{workers} workers: {found[workers]}")
    one, most = found[min(found)], max(found)
    result(
        {
            "workers": {str(workers): each.pages_a_second for workers, each in found.items()},
            f"linear_{most}": round(found[most].pages_a_second / one.pages_a_second / most * min(found), 3),
            "cores_used": {str(workers): each.cores_used for workers, each in found.items()},
            "cpu_vs_single": round(found[most].cpu_ms_per_url / single_cpu, 2),
            # The tables of one machine are in its own process; those of a cluster are a server's beside it.
            "cpu_vs_single_with_database": round(
                (found[most].cpu_ms_per_url + found[most].database_cpu_ms_per_url) / single_cpu, 2
            ),
            "single_cpu_ms_per_url": round(single_cpu, 3),
            "cpu_ms_per_url": {str(workers): each.cpu_ms_per_url for workers, each in found.items()},
            "database_cpu_ms_per_url": {str(workers): each.database_cpu_ms_per_url for workers, each in found.items()},
            "statements_per_url": {str(workers): each.statements_per_url for workers, each in found.items()},
            "wal_bytes_per_url": {str(workers): each.wal_bytes_per_url for workers, each in found.items()},
            "rss_mb": {str(workers): each.rss_mb for workers, each in found.items()},
            "overlapping": sum(each.overlapping for each in found.values()),
            "smallest_gap": min(each.smallest_gap for each in found.values()),
        }
    )


if __name__ == "__main__":
    main()
