"""Kills a service and its jobs at random moments, and checks that every job ends once, with the result of a run that
nobody disturbed.

    .venv/bin/python -m bench.service_kill [--quick] [--kills N] [--jobs N] [--seed N]

The jobs are captures of sites on loopback, for one collection. Killed are the service, which is started again, and
processes of jobs, which the service has to notice. In the end every job must be done by one line of its journal and one
finished capture, and the archives must hold the same URLs, statuses and payloads, job by job, as those of the same jobs
left in peace. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from bench.loopback_site import LoopbackSite
from bench.measuring import result, say
from webkeep.service.jobs import Job, JobState
from webkeep.service.run import ServiceFolder
from webkeep.service.store import JobStore, open_service_database
from webkeep.store.archive import Archive

_PAGES = 12
"""Of each site, with a picture each."""
_RUNNING = 4
_DELAY_SECONDS = 0.1
"""Between requests to a site, so that jobs last for some kills."""
_PATIENCE_SECONDS = 1200
_JOB_FACT = "job"
JobContent = frozenset[tuple[str, int, str]]
"""URLs with their statuses and digests."""


class _SiteHandler(BaseHTTPRequestHandler):
    """Sites of a few pages, by their host names, that are always the same."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site, path = self.headers.get("Host", ""), self.path
        if path == "/robots.txt":
            self._send(404, "text/plain", b"")
        elif path.startswith("/picture"):
            self._send(200, "image/png", hashlib.sha256(f"{site.split(':')[0]}{path}".encode()).digest() * 40)
        else:
            links = "".join(f'<a href="/page{number}">{number}</a>' for number in range(_PAGES))
            number = path.removeprefix("/page") or "0"
            body = f"<!doctype html><title>{number} of {site}</title>{links}<img src='/picture{number}'>"
            self._send(200, "text/html", body.encode())

    def _send(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def _webkeep(*words: object) -> list[str]:
    return [sys.executable, "-P", "-m", "webkeep", *map(str, words)]


class Trial:
    """A service with jobs, in a folder of its own."""

    def __init__(self, root: Path, seeds: list[str], scratch: Path) -> None:
        self.folder = ServiceFolder(root)
        plan = scratch / "plan.toml"
        plan.write_text(f'browser = "off"\ndelay = {_DELAY_SECONDS}\n')
        words = _webkeep("job", "collection", root, "sites", "--archives", _RUNNING)
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        words = _webkeep("job", "submit", root, *seeds, "--collection", "sites", "--plan", plan)
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def service_words(self, *more: str) -> list[str]:
        """The call that is the service."""
        return _webkeep("service", self.folder.root, "--port", 0, "--running", _RUNNING, "--keep-free", "1MB", *more)

    def finish(self) -> None:
        """Let the service do what is left."""
        words = self.service_words("--until-idle")
        subprocess.run(words, stderr=subprocess.DEVNULL, timeout=_PATIENCE_SECONDS, check=True)

    def disturb(self, kills: int, chance: random.Random) -> Counter[str]:
        """Kill the service and its jobs so many times, unless all jobs are done before."""
        struck: Counter[str] = Counter()
        service = self._start()
        try:
            while sum(struck.values()) < kills and not self._is_idle():
                time.sleep(chance.uniform(0.05, 0.9))
                job = self._running_process(chance)
                if chance.random() < 0.35:
                    service.kill()
                    service.wait()
                    struck["service"] += 1
                    service = self._start()
                elif job is not None:
                    _strike(job)
                    struck["jobs"] += 1
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()
        return struck

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.service_words(), stderr=subprocess.DEVNULL)

    def _running_process(self, chance: random.Random) -> int | None:
        names = sorted(path.name for path in (self.folder.root / "jobs").glob("*"))
        places = [self.folder.workspace(name) for name in names]
        holders = [each.read_holder() for each in places if each.is_process_alive()]
        numbers = [holder.number for holder in holders if holder is not None]
        return chance.choice(numbers) if numbers else None

    def _is_idle(self) -> bool:
        with self._open_jobs() as jobs:
            counts = jobs.counts()
        return not counts[JobState.QUEUED] and not counts[JobState.RUNNING]

    @contextmanager
    def _open_jobs(self) -> Iterator[JobStore]:
        database = open_service_database(self.folder.database_path)
        try:
            yield JobStore(database)
        finally:
            database.close()

    def read_results(self) -> dict[str, tuple[Job, list[str], JobContent, int]]:
        """Of every seed its job, the events of its journal, what the archive holds of it, and in how many captures."""
        with self._open_jobs() as jobs:
            listed = [(job, [line.event for line in jobs.journal(job.id)]) for job in jobs.list_jobs()]
        return {str(job.order.plan["seeds"][0]): (job, events, *self._held(job)) for job, events in listed}

    def _held(self, job: Job) -> tuple[JobContent, int]:
        with Archive(self.folder.archive(job.order.collection, job.order.archive)) as archive:
            own = [each for each in archive.captures() if each.facts.get(_JOB_FACT) == job.id]
            finished = [each for each in own if each.finished is not None]
            observed = [each for one in own for each in archive.observations(one.id)]
            seen = [(each.url, each.status or 0, str(each.payload_digest)) for each in observed]
        return frozenset(seen), len(finished) if len(set(seen)) == len(seen) else -1


def _strike(number: int) -> None:
    with suppress(ProcessLookupError):  # it may have come to its end meanwhile
        os.kill(number, signal.SIGKILL)


def run(kills: int, jobs: int, seed: int) -> dict[str, object]:
    """Run the trials; gives the summary."""
    began = time.monotonic()
    chance = random.Random(seed)
    complaints: list[str] = []
    lost = differences = 0
    with tempfile.TemporaryDirectory(prefix="service-kill-") as scratch, LoopbackSite(_SiteHandler) as site:
        port = site.url.rstrip("/").rpartition(":")[2]
        seeds = [f"http://site-{number}.localhost:{port}/" for number in range(jobs)]
        calm = Trial(Path(scratch, "calm"), seeds, Path(scratch))
        calm.finish()
        wanted = calm.read_results()
        say(f"{jobs} jobs in peace: {time.monotonic() - began:.0f} s")
        disturbed = Trial(Path(scratch, "disturbed"), seeds, Path(scratch))
        struck = disturbed.disturb(kills, chance)
        disturbed.finish()
        found = disturbed.read_results()
    for url, (job, _, content, _) in wanted.items():
        done, events, held, captures = found[url]
        if done.state is not JobState.DONE or events.count("finish") != 1 or captures != 1:
            lost += 1
            complaints.append(f"{url}: {done.state.value} ({done.message}), {events}, {captures} captures")
        if held != content or done.summary.get("fates") != job.summary.get("fates") or done.exit_code != job.exit_code:
            differences += 1
            complaints.append(f"{url}: {sorted(held ^ content)[:3]}, {done.summary.get('fates')}")
    for complaint in complaints[:10]:
        say(complaint)
    return {
        "kills": sum(struck.values()),
        "of_service": struck["service"],
        "of_jobs": struck["jobs"],
        "jobs": jobs,
        "lost": lost,
        "differences": differences,
        "attempts": sum(done.attempts for done, *_ in found.values()),
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    usual = (16, 6) if args.quick else (200, 50)
    result(run(args.kills or usual[0], args.jobs or usual[1], args.seed))


if __name__ == "__main__":
    main()
