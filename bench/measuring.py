"""Measuring programs: what a child process printed last, how long it took, and how much memory it had at most."""

from __future__ import annotations

import compileall
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # What a shell starts in its background ignores Ctrl-C, and so would all that benches start and end by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a child process."""

    seconds: float
    rss_mb: float
    """The peak of anonymous memory, summed over the process and its children."""
    facts: dict[str, float]
    """The JSON object it printed last."""
    cpu_s: float = 0.0
    """Processor time of the process and of all that it started and waited for."""


def run_child(command: Sequence[str], timeout: float = 1800) -> Run:
    """Run a program that prints one JSON object as its last line."""
    compile_sources()
    started, used = time.perf_counter(), _children_cpu_s()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        watch = MemoryWatch(process.pid)
        watch.start()
        try:
            output, _ = process.communicate(timeout=timeout)
        finally:
            watch.end()
            process.kill()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds, cpu_s = time.perf_counter() - started, _children_cpu_s() - used
    return Run(seconds, watch.peak_mb, json.loads(output.splitlines()[-1]), cpu_s)


@cache
def compile_sources() -> None:
    """Have the code compiled beforehand, as `make install` leaves it.

    Where Python may not write its byte code (PYTHONDONTWRITEBYTECODE, a folder of somebody else), each process of a
    checkout compiles what it loads: 0.15 s of a capture's start, and of its prepare worker's.
    """
    compileall.compile_dir(ROOT / "src", quiet=1)


def _children_cpu_s() -> float:
    """Processor time of all children that have ended and were waited for."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def run_module(module: str, *arguments: object) -> Run:
    """Run a module of the benches in a process of its own."""
    return run_child([sys.executable, "-m", module, *map(str, arguments)])


def median(values: Iterable[float]) -> float:
    """The median, to three digits behind the point."""
    return round(statistics.median(values), 3)


def say(text: str) -> None:
    """A line for whoever watches."""
    print(text, file=sys.stderr, flush=True)


def result(facts: dict[str, object]) -> None:
    """The one JSON object that ends a bench."""
    print(json.dumps(facts), flush=True)


class MemoryWatch(threading.Thread):
    """Samples the anonymous memory of a process and its children."""

    def __init__(
        self, pid: int, with_children: bool = True, is_counted: Callable[[int], bool] = lambda _: True
    ) -> None:
        super().__init__(daemon=True)
        self._pid, self._with_children, self._is_counted = pid, with_children, is_counted
        self._ended = threading.Event()
        self.peak_mb = 0.0

    def run(self) -> None:
        """Sample until told to end."""
        while not self._ended.wait(0.02):
            pids = _with_children(self._pid) if self._with_children else [self._pid]
            total = sum(map(_anonymous_kb, filter(self._is_counted, pids)))
            self.peak_mb = max(self.peak_mb, round(total / 1024, 1))

    def end(self) -> None:
        """Stop sampling."""
        self._ended.set()
        self.join()


def cpu_seconds(pid: int) -> float:
    """How much processor time a process and its children have used."""
    ticks = 0
    for each in _with_children(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _with_children(pid: int) -> list[int]:
    found = [pid]
    try:
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:  # it has ended meanwhile
        return found
    for task in tasks:
        try:
            found += [each for child in task.read_text().split() for each in _with_children(int(child))]
        except OSError:
            continue
    return found


def _anonymous_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")), 0)
