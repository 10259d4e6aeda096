"""Limits hold for the user, not for the process: four jobs at once never provoke a repository that blocks offenders."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

MOST, WINDOW = 30, 0.5
JOBS, EACH = 4, 12
REST = 1

JOB = """
import asyncio, json, sys
from pathlib import Path
from webkeep.fetch import FetchSettings
from webkeep.model import Moment
from webkeep.recover.repositories.repository_transport import RepositoryTimeouts
from webkeep.recover.repositories.repository import FetchedVersion
from webkeep.recover.sources.repository_opening import RepositoryContext, open_repositories

async def run(declarations, folder, job, count):
    timeouts = RepositoryTimeouts(booking_seconds=90)
    settings = FetchSettings(connections=16, connections_per_host=16)
    around = RepositoryContext(
        folder, settings, ledger=folder / "requests.sqlite", declarations=declarations, timeouts=timeouts
    )
    came, misses = 0, []
    async with open_repositories(["strict"], around) as (repository,):
        async def one(number):
            return await repository.fetch_nearest(f"http://lost.example/{job}/{number}", Moment.parse("2020"))
        for answer in await asyncio.gather(*(one(number) for number in range(count))):
            came += isinstance(answer, FetchedVersion)
            misses += [] if isinstance(answer, FetchedVersion) else [answer.detail]
    print(json.dumps({"came": came, "misses": misses}))

asyncio.run(run(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
"""


class Strict(ThreadingHTTPServer):
    """Allows so many requests in any window, and answers nobody any more once there was one too many.

    With `turns_away`, one request is turned away for a while, and any that comes within is an offence too.
    """

    daemon_threads = True

    def __init__(self, turns_away: int = -1) -> None:
        super().__init__(("127.0.0.1", 0), StrictHandler)
        self.arrivals: list[float] = []
        self.offences: list[str] = []
        self._turns_away = turns_away
        self._closed_until = 0.0
        self._lock = threading.Lock()

    def status(self) -> int:
        with self._lock:
            now = time.monotonic()
            self.arrivals.append(now)
            if sum(now - each < WINDOW for each in self.arrivals) > MOST:
                self.offences.append("too many in a window")
            if now < self._closed_until:
                self.offences.append("came before the time that Retry-After named")
            if len(self.arrivals) == self._turns_away:
                self._closed_until = now + REST
                return 429
            return 403 if self.offences else 200


class StrictHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Strict

    def do_GET(self) -> None:
        status = self.server.status()
        self.send_response(status)
        if status == 200:
            self.send_header("Memento-Datetime", "Wed, 01 Jan 2020 12:00:00 GMT")
        if status == 429:
            self.send_header("Retry-After", str(REST))
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@contextmanager
def serving(server: Strict) -> Iterator[str]:
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def declared(folder: Path, root: str, limits: str) -> Path:
    path = folder / "repositories.toml"
    path.write_text(
        f'[strict]\nindex = "{root}/cdx"\nraw = "{root}/web/{{timestamp}}id_/{{url}}"\nlimits.playback = {limits}\n'
    )
    return path


def run_jobs(folder: Path, declarations: Path, each: int) -> list[dict[str, object]]:
    """What four processes say that ask at the same time, each for pages of its own."""
    words = (sys.executable, "-c", JOB, str(declarations), str(folder))
    commands = [[*words, str(job), str(each)] for job in range(JOBS)]
    jobs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    told = [job.communicate(timeout=100)[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0] * JOBS
    return [json.loads(text) for text in told]


@pytest.mark.timeout(120)
def test_four_jobs_at_once_never_exceed_the_limit(tmp_path: Path) -> None:
    server = Strict()
    with serving(server) as root:
        declarations = declared(tmp_path, root, f'{{ requests = "{MOST}/{WINDOW}s" }}')
        told = run_jobs(tmp_path, declarations, EACH)
    assert not server.offences
    assert told == [{"came": EACH, "misses": []}] * JOBS
    assert len(server.arrivals) == JOBS * EACH


@pytest.mark.timeout(120)
def test_who_is_turned_away_stays_away_in_all_jobs(tmp_path: Path) -> None:
    server = Strict(turns_away=7)
    with serving(server) as root:
        declarations = declared(tmp_path, root, "{ at-once = 1 }")
        told = run_jobs(tmp_path, declarations, 5)
    assert not server.offences
    assert told == [{"came": 5, "misses": []}] * JOBS
    assert len(server.arrivals) == JOBS * 5 + 1
