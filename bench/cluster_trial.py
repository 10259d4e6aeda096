"""One capture by eight workers on a PostgreSQL server of its own, each with a way of its own to the database, and
everything there is to be disturbed about it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.cluster_fault_web import HOSTS_RULE, host_name
from bench.cluster_proxy import DatabaseWay, DatabaseWays
from bench.measuring import say
from bench.postgres_server import ACCOUNT, PostgresServer, postgres_folder

WORKERS = 8
HOSTS_PER_WORKER = 12
_SEEDS = 8
"""So many hosts are named; the others are found."""
_DONE = (0, 1)
"""Whoever came to the end ends so: with findings, where something was missed."""
_STOPPED = 3
"""So ends who was stopped by its disk, or could not reach the database."""


class WebProcess:
    """The web, in a process of its own."""

    def __init__(self, hosts: int, pages: int, latency: float, log: Path) -> None:
        command = [sys.executable, "-m", "bench.cluster_fault_web", *map(str, (hosts, pages, latency, log))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def seeds(self) -> list[str]:
        """The URLs from which all others are found."""
        return [f"http://{host_name(number)}:{self.port}/" for number in range(_SEEDS)]

    def end(self) -> None:
        """Have it end."""
        self._process.kill()
        self._process.communicate()


class Member:
    """A process that takes part, with its own way to the database; started again where it ended too soon."""

    def __init__(self, name: str, way: DatabaseWay, words: list[str], folder: Path) -> None:
        self.name, self.way, self._words, self._folder = name, way, words, folder
        self.skew_seconds = 0
        self.starts = 0
        self.is_asleep = False
        self.wrong_ends: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        self._output = folder / f"{name}.out"
        self._errors = folder / f"{name}.err"

    @property
    def address(self) -> str:
        """Of the database, by its way there."""
        return _address(self.way)

    @property
    def pid(self) -> int | None:
        """Its process, if it runs."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    @property
    def takes_part(self) -> bool:
        """Whether it has said that it takes part: before, signals find a program that is being loaded."""
        return self.pid is not None and self._output.stat().st_size > 0

    def start(self) -> None:
        """Have it take part."""
        self.starts += 1
        command = [sys.executable, "-m", "bench.skewed_clock", str(self.skew_seconds), *self._words, "--json"]
        with self._output.open("w") as output, self._errors.open("a") as errors:
            self._process = subprocess.Popen(command, stdout=output, stderr=errors, text=True)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            self.is_asleep = number is signal.SIGSTOP or (self.is_asleep and number is not signal.SIGCONT)

    def kill(self) -> None:
        """Kill it, and wait for its end."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.is_asleep = False

    def end_code(self) -> int | None:
        """The exit code with which it ended; None where it runs."""
        return None if self._process is None else self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for its end; None where it does not come."""
        assert self._process is not None
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def note_end(self) -> None:
        """Keep what it said where it ended in a way that it should not."""
        code = self.end_code()
        said = self._errors.read_text()
        if code not in (*_DONE, _STOPPED, -signal.SIGKILL) or "Traceback" in said:
            self.wrong_ends.append(f"{self.name} ended with {code}: {said[-2000:]}")
        self._errors.unlink()

    def summary(self) -> dict[str, object]:
        """What it printed last."""
        lines = [line for line in self._output.read_text().splitlines() if line.startswith("{")]
        found: dict[str, object] = json.loads(lines[-1]) if lines else {}
        return found


@dataclass
class Trial:
    """A capture that is under way, and all that may be disturbed."""

    folder: Path
    servers: Path
    server: PostgresServer
    web: WebProcess
    ways: DatabaseWays
    coordinator: Member
    workers: list[Member]
    losses: list[tuple[float, float]] = field(default_factory=list)
    """Spans of what the database forgot, as another one took its place."""
    delays: list[tuple[str, float, float]] = field(default_factory=list)
    """Whose way to the database held up what was on it, and from when to when; nobody's name is everybody's."""
    copies: int = 0
    is_patient: bool = True
    """Whether faults may last for a minute."""
    began: float = field(default_factory=time.monotonic)

    @property
    def members(self) -> list[Member]:
        """All that take part."""
        return [self.coordinator, *self.workers]

    def begin(self) -> None:
        """Start everybody."""
        for member in self.members:
            member.start()

    def keep_up(self) -> None:
        """Start again who ended before the capture was over."""
        for member in self.members:
            code = member.end_code()
            if code is not None and not (member is self.coordinator and code in _DONE):
                member.note_end()
                member.start()

    def is_over(self) -> bool:
        """Whether the capture came to its end."""
        return self.coordinator.end_code() in _DONE

    def finish(self, seconds: float) -> bool:
        """Leave all in peace until the capture is over; gives whether it came to that."""
        until = time.monotonic() + seconds
        while not self.is_over() and time.monotonic() < until:
            self.keep_up()
            time.sleep(0.2)
        came = self.is_over()
        say(f"{time.monotonic() - self.began:6.1f} the capture is {'over' if came else 'not over'}")
        calm_until = time.monotonic() + (10 if came else 0)
        for member in self.workers:
            if member.wait(max(0.1, calm_until - time.monotonic())) is None:
                # One that was started when the capture was over waits for another.
                if not member.takes_part:
                    member.kill()
                member.send(signal.SIGINT)
                if member.wait(30) is None:
                    member.wrong_ends.append(f"{member.name} does not end")
                    member.kill()
            member.note_end()
        return came


@contextmanager
def cluster_trial(folder: Path, web: WebProcess, delay: float) -> Iterator[Trial]:
    """A database, ways to it, and who takes part, while the block lasts."""
    seeds = folder / "seeds"
    seeds.write_text("\n".join(web.seeds()))
    with postgres_folder() as servers:
        server = PostgresServer(new_server_folder(servers, 0))
        ways = DatabaseWays(server.socket)
        main_way = ways.add()
        words = ["capture", "--seeds-from", str(seeds), "--into", str(folder / "main"), "--browser", "off", "--delay",
                 str(delay), "--include", HOSTS_RULE, "--on", _address(main_way)]  # fmt: skip
        coordinator = Member("main", main_way, words, folder)
        workers = []
        for number in range(WORKERS):
            way = ways.add()
            words = ["worker", "--join", _address(way), "--into", str(folder / f"worker-{number}"), "--wait",
                     "--hosts", str(HOSTS_PER_WORKER), "--name", f"worker-{number}"]  # fmt: skip
            workers.append(Member(f"worker-{number}", way, words, folder))
        trial = Trial(folder, servers, server, web, ways, coordinator, workers)
        try:
            yield trial
        finally:
            for member in trial.members:
                member.kill()
            ways.end()
            trial.server.kill()


def _address(way: DatabaseWay) -> str:
    return f"postgresql://bench@127.0.0.1:{way.port}/bench"


def new_server_folder(servers: Path, number: int) -> Path:
    """A folder for one more server."""
    folder = servers / str(number)
    folder.mkdir()
    if os.getuid() == 0:
        shutil.chown(folder, ACCOUNT, ACCOUNT)
    return folder
