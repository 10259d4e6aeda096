"""What of a machine makes the difference between webkeep and wget2: each thing taken away by itself.

    .venv/bin/python -m bench.machine [--quick]

Both capture the reference site in turn: as it is; with one processor for the crawler; with all that they write in
memory in place of the disk; beside a neighbour that only counts; and beside one that goes through more memory than
caches hold, so that what this one costs more is what caches are worth. Told are the rates, the processor time a URL,
and their ratio, by condition; and what the disk takes for a sync of a megabyte.
"""

from __future__ import annotations

import argparse
import collections
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.capture_run import capture_command, traffic
from bench.measuring import compile_sources, median, result, say
from bench.peers_crawlers import crawlers
from bench.peers_nginx import Nginx
from bench.reference_site import ReferenceSite, reference_site

_ROUNDS = 3
_MEMORY_FOLDER = Path("/dev/shm")
_COUNTING = "while True: sum(range(100000))"
_STREAMING = "a = bytearray(1 << 26)\nb = bytearray(1 << 26)\nwhile True: a[:] = b"
_SYNCS = 50
_SYNC_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Condition:
    """What is taken away."""

    before: tuple[str, ...] = ()
    """What stands before the command."""
    in_memory: bool = False
    neighbour: str = ""
    """A program that runs beside it, on the last processor."""


_CONDITIONS = {
    "as_it_is": Condition(),
    "one_processor": Condition(("taskset", "-c", "0")),
    "in_memory": Condition(in_memory=True),
    "beside_counting": Condition(neighbour=_COUNTING),
    "beside_streaming": Condition(neighbour=_STREAMING),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round on a smaller site")
    quick = parser.parse_args().quick
    compile_sources()
    site = reference_site(600 if quick else 5000)
    seen: dict[str, dict[str, list[tuple[float, float]]]] = collections.defaultdict(
        lambda: collections.defaultdict(list)
    )
    for _ in range(1 if quick else _ROUNDS):
        for name, condition in _CONDITIONS.items():
            for crawler in ("webkeep", "wget2"):
                rate, cpu_us = _measure(site, crawler, condition)
                seen[name][crawler].append((rate, cpu_us))
                say(f"{name}: {crawler} {rate:,.0f} URLs a second, {cpu_us:.0f} µs of processor time each")
    result({"conditions": {name: _figures(both) for name, both in seen.items()}, "sync_ms": _sync_ms()})


def _figures(both: dict[str, list[tuple[float, float]]]) -> dict[str, float]:
    ours, theirs = both["webkeep"], both["wget2"]
    return {
        "vs_wget2": median(mine[0] / other[0] for mine, other in zip(ours, theirs, strict=True)),
        **{f"{name}_urls_per_s": round(median(rate for rate, _ in each)) for name, each in both.items()},
        **{f"{name}_cpu_us": round(median(cpu for _, cpu in each)) for name, each in both.items()},
    }


def _measure(site: ReferenceSite, crawler: str, condition: Condition) -> tuple[float, float]:
    """URLs a second, and microseconds of processor time for each."""
    place = _MEMORY_FOLDER if condition.in_memory else None
    with tempfile.TemporaryDirectory(prefix="webkeep-bench-", dir=place) as scratch:
        folder = Path(scratch)
        with _neighbour(condition.neighbour), Nginx.serving(site.folder, folder / "server") as server:
            command = _command(crawler, server.url, folder / "files")
            began, used = time.time(), _used_seconds()
            done = subprocess.run([*condition.before, *command], capture_output=True, check=False)
            cpu = _used_seconds() - used
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:].decode()}")
        seen = traffic(server, site.files(), began)
        shutil.rmtree(folder / "files")
    return seen.urls_per_s, cpu / seen.urls * 1e6


def _command(crawler: str, url: str, folder: Path) -> list[str]:
    if crawler == "webkeep":
        return capture_command(url, folder, "--browser", "off")
    folder.mkdir()
    return next(each for each in crawlers(0) if each.name == crawler).command(url, folder)


@contextmanager
def _neighbour(program: str) -> Iterator[None]:
    if not program:
        yield
        return
    last = str((os.cpu_count() or 1) - 1)
    with subprocess.Popen(["taskset", "-c", last, "nice", "-n", "10", sys.executable, "-c", program]) as running:
        try:
            yield
        finally:
            running.kill()


def _used_seconds() -> float:
    """Processor time of all children that have ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _sync_ms() -> float:
    """How long it takes until a megabyte that was appended is on disk."""
    taken = []
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(_SYNCS):
            file.write(bytes(_SYNC_BYTES))
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


if __name__ == "__main__":
    main()
