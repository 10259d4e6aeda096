"""How fast the pages of a service are, and what it takes, with years of history and many people who watch.

    .venv/bin/python -m bench.service [--quick] [--collections N] [--jobs N] [--viewers N] [--seconds N]

A service is given collections with seeds and jobs that ended long ago. It is started some times until it answers
(`startup_s`, the median). Then a capture runs, viewers watch it live by server-sent events, and as many readers as the
machine has cores ask for pages of every kind, one after another, each on a connection of its own: `pages_per_s` is what
they are answered together. Memory is read meanwhile: `service_rss_mb` of the service, `rss_mb` with the capture that
runs. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from bench.loopback_site import LoopbackSite
from bench.measuring import MemoryWatch, result, say
from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts, CollectionSeed, SeedEntry
from webkeep.service.jobs import JobEvent, JobOrder, ProcessIdentity
from webkeep.service.run import ServiceFolder
from webkeep.service.store import CollectionStore, JobResult, JobStore, open_service_database

_START = Moment.parse("2024-01-01T00:00:00Z")
_SEEDS = 10
"""Of each collection."""
_STARTS = 5
_SUMMARY = {
    "capture": "20260101000000-abcd", "stored": 4711, "duplicates": 42, "bytes": 123_456_789, "seeds_missed": 0,
    "fates": {"stored": 4711, "duplicate": 42, "failed": 7},
}  # fmt: skip
_LINK = re.compile(r"http://127\.0\.0\.1:(\d+)(/\S*)")
_READY_SECONDS = 60.0


class _SlowSite(BaseHTTPRequestHandler):
    """A site without end, so that its capture goes on for as long as it is watched."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        number = int(self.path.rpartition("e")[2] or 0) if self.path.startswith("/page") else 0
        body = f"<!doctype html><title>{number}</title><a href='/page{number + 1}'>on</a>".encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def _fill(folder: ServiceFolder, collections: int, jobs: int) -> None:
    """The history of a service."""
    folder.create()
    database = open_service_database(folder.database_path)
    kept, queue = CollectionStore(database), JobStore(database)
    process = ProcessIdentity("elsewhere", "boot", 1, 1)
    with database.transaction():
        seeds: list[CollectionSeed] = []
        for number in range(collections):
            name = f"c{number:04}"
            kept.create(CollectionFacts(name, f"Collection {number}"), _START)
            seeds += kept.add_seeds(name, [SeedEntry(f"https://s{at}-{name}.example/") for at in range(_SEEDS)], _START)
        for number in range(jobs):
            seed, at = seeds[number % len(seeds)], _START.plus(number * 600)
            job = queue.submit(JobOrder(seed.collection, seed.archive, seed.plan, seed=seed.id), at)
            begun = job and queue.start(job, process, at)
            if begun:
                queue.record(begun, JobResult(JobEvent.FINISH, 0, _SUMMARY), at.plus(300))
    database.close()


@dataclass
class _Served:
    """A service that runs."""

    process: subprocess.Popen[str]
    port: int
    cookie: str = ""
    lines: list[str] = field(default_factory=list)

    def ask(self, path: str, connection: http.client.HTTPConnection | None = None) -> tuple[int, bytes, str]:
        used = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        used.request("GET", path, headers={"cookie": self.cookie})
        response = used.getresponse()
        body = response.read()
        cookie = response.getheader("set-cookie") or ""
        if connection is None:
            used.close()
        return response.status, body, cookie.partition(";")[0]


@contextmanager
def _serve(folder: ServiceFolder) -> Iterator[tuple[_Served, float]]:
    """A service, once it answers, and how long that took."""
    words = [sys.executable, "-P", "-m", "webkeep", "service", str(folder.root), "--port", "0", "--keep-free", "1MB"]
    began = time.perf_counter()
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = _LINK.search(process.stderr.readline())
            if not found:
                raise SystemExit("the service did not start")
            served = _Served(process, int(found[1]))
            status, _, served.cookie = served.ask(found[2])
            seconds = time.perf_counter() - began
            if status >= 400:
                raise SystemExit(f"the service answers {status}")
            yield served, seconds
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)


def _begin_capture(folder: ServiceFolder, url: str) -> str:
    """A job that runs for as long as it is watched."""
    database = open_service_database(folder.database_path)
    plan = {"seeds": [url], "browser": "off", "delay": 0.2, "trap_budget": 1_000_000}
    job = JobStore(database).submit(JobOrder("c0000", "archive-1", plan, priority=9), _START.plus(10**9))
    database.close()
    assert job is not None
    return job.id


class _Viewer(threading.Thread):
    """Watches a job as its page does."""

    def __init__(self, served: _Served, job: str) -> None:
        super().__init__(daemon=True)
        self._connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        self._cookie, self._job = served.cookie, job
        self.events = 0

    def run(self) -> None:
        self._connection.request("GET", f"/jobs/{self._job}/events", headers={"cookie": self._cookie})
        response = self._connection.getresponse()
        try:
            while line := response.readline():
                self.events += line.startswith(b"data:")
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            return  # the bench is over

    def end(self) -> None:
        if self._connection.sock is not None:
            self._connection.sock.close()


def _list_pages(folder: ServiceFolder, live: str) -> dict[str, list[str]]:
    """Pages by their kind, some of each."""
    database = open_service_database(folder.database_path)
    jobs = [job.id for job in JobStore(database).list_jobs(limit=200)]
    names = [each.name for each in CollectionStore(database).list_collections()]
    kept = CollectionStore(database)
    seeds = [f"/collections/{name}/seeds/{kept.seeds(name)[0].id}" for name in names[:100]]
    database.close()
    return {
        "start": ["/"],
        "jobs": ["/jobs", *(f"/jobs?collection={name}" for name in names[:50])],
        "job": [f"/jobs/{each}" for each in jobs],
        "live job": [f"/jobs/{live}"],
        "collections": ["/collections"],
        "collection": [f"/collections/{name}" for name in names],
        "seed": seeds,
        "public": [f"/public/{name}" for name in names],
        "api jobs": ["/api/v1/jobs", *(f"/api/v1/jobs?collection={name}&state=done" for name in names[:50])],
        "api collections": ["/api/v1/collections"],
        "feed": ["/feed.atom"],
        "metrics": ["/metrics", "/health"],
    }


class _Reader(threading.Thread):
    """Asks for pages, one after another."""

    def __init__(self, served: _Served, pages: dict[str, list[str]], until: float, seed: int) -> None:
        super().__init__()
        self._served, self._pages, self._until = served, pages, until
        self._chance = random.Random(seed)
        self.times: dict[str, list[float]] = {kind: [] for kind in pages}
        self.wrong: list[str] = []

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._served.port, timeout=60)
        kinds = list(self._pages)
        while time.perf_counter() < self._until:
            self._chance.shuffle(kinds)
            for kind in kinds:
                path = self._chance.choice(self._pages[kind])
                began = time.perf_counter()
                status, _, _ = self._served.ask(path, connection)
                self.times[kind].append(time.perf_counter() - began)
                if status != 200:
                    self.wrong.append(f"{path}: {status}")
        connection.close()


def _await_progress(served: _Served, job: str) -> None:
    """Until the capture that is watched runs."""
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until:
        status, body, _ = served.ask(f"/api/v1/jobs/{job}/progress")
        if status == 200 and json.loads(body)["counts"]:
            return
        time.sleep(0.2)
    raise SystemExit("the capture that is to be watched does not run")


def _report(readers: Sequence[_Reader]) -> dict[str, float]:
    """What a page of each kind took, in milliseconds: the median, and told with the slowest."""
    medians = {}
    for kind in readers[0].times:
        times = sorted(each for reader in readers for each in reader.times[kind])
        medians[kind] = round(statistics.median(times) * 1000, 1)
        say(f"{kind:16} {medians[kind]:8.1f} ms, slowest {times[-1] * 1000:8.1f} ms, {len(times)} asked for")
    return medians


@dataclass
class _Measured:
    """What was seen while a service was watched and read."""

    readers: list[_Reader]
    events: list[int]
    seconds: float
    everything_mb: float
    service_mb: float


def _watch_and_read(folder: ServiceFolder, served: _Served, live: str, viewers: int, seconds: float) -> _Measured:
    memory = MemoryWatch(served.process.pid), MemoryWatch(served.process.pid, with_children=False)
    for watch in memory:
        watch.start()
    _await_progress(served, live)
    watching = [_Viewer(served, live) for _ in range(viewers)]
    for viewer in watching:
        viewer.start()
    pages, began = _list_pages(folder, live), time.perf_counter()
    readers = [_Reader(served, pages, began + seconds, number) for number in range(os.cpu_count() or 2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    took = time.perf_counter() - began
    events = [viewer.events for viewer in watching]
    for viewer in watching:
        viewer.end()
    for watch in memory:
        watch.end()
    return _Measured(readers, events, took, memory[0].peak_mb, memory[1].peak_mb)


def run(collections: int, jobs: int, viewers: int, seconds: float) -> dict[str, object]:
    """Measure; gives the summary."""
    with tempfile.TemporaryDirectory(prefix="service-bench-") as scratch, LoopbackSite(_SlowSite) as site:
        folder, began = ServiceFolder(Path(scratch, "service")), time.perf_counter()
        _fill(folder, collections, jobs)
        say(f"{collections:,} collections and {jobs:,} jobs written in {time.perf_counter() - began:.1f} s")
        starts = []
        for _ in range(_STARTS):
            with _serve(folder) as (_, took):
                starts.append(took)
        say(f"start-up: {', '.join(f'{each:.2f}' for each in starts)} s")
        live = _begin_capture(folder, site.url)
        with _serve(folder) as (served, _):
            measured = _watch_and_read(folder, served, live, viewers, seconds)
            _stop_capture(folder, live)
            _await_end(folder, live)
    answered = sum(len(times) for reader in measured.readers for times in reader.times.values())
    wrong = [each for reader in measured.readers for each in reader.wrong]
    for complaint in wrong[:5]:
        say(complaint)
    medians = _report(measured.readers)
    return {
        "collections": collections,
        "jobs": jobs,
        "viewers": sum(each > 0 for each in measured.events),
        "pages_per_s": round(answered / measured.seconds, 1),
        "rss_mb": measured.everything_mb,
        "startup_s": round(statistics.median(starts), 3),
        "service_rss_mb": measured.service_mb,
        "events_per_viewer": round(statistics.mean(measured.events), 1),
        "seconds": round(measured.seconds, 1),
        "wrong": len(wrong),
        "median_ms": medians,
    }


def _stop_capture(folder: ServiceFolder, job_id: str) -> None:
    database = open_service_database(folder.database_path)
    jobs = JobStore(database)
    jobs.wish(jobs.get(job_id), JobEvent.CANCEL, _START.plus(10**9))
    database.close()


def _await_end(folder: ServiceFolder, job_id: str) -> None:
    until = time.monotonic() + _READY_SECONDS
    while folder.workspace(job_id).is_process_alive() and time.monotonic() < until:
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--collections", type=int, default=1000)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--seconds", type=float)
    args = parser.parse_args()
    jobs, seconds = (20_000, 8.0) if args.quick else (100_000, 60.0)
    result(run(args.collections, args.jobs or jobs, args.viewers, args.seconds or seconds))


if __name__ == "__main__":
    main()
