"""Running the command that captures: how long, how much memory, and what the server saw of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import Run, run_child
from bench.peers_nginx import Nginx

WEBKEEP = (sys.executable, "-m", "webkeep")

# A capture that missed something on purpose, such as all beyond a limit, ends with 1.
_FINDINGS_ARE_FINE = 'code=0; "$@" || code=$?; [ "$code" -le 1 ]'


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the server's log says of one crawl."""

    urls: int
    """How many of the expected URLs were answered."""
    requests: int
    """How many requests there were in all."""
    urls_per_s: float
    """From the beginning of the first request to the end of the last."""
    startup_s: float
    """From the start of the process to its first request."""


def capture_command(url: str, archive: Path, *options: str) -> list[str]:
    """The command that captures a site as fast as it can."""
    return [*WEBKEEP, "capture", url, "--into", str(archive), "--delay", "0", "--json", *options]


def plain_command(url: str, archive: Path, *options: str) -> list[str]:
    """The command as a person gives it who knows no options, told in JSON."""
    return [*WEBKEEP, "capture", url, "--into", str(archive), "--json", *options]


def run_capture(command: list[str]) -> tuple[float, Run]:
    """Run a capture; gives the moment it was started and what it said and took."""
    began = time.time()
    return began, run_child(["sh", "-c", _FINDINGS_ARE_FINE, "sh", *command])


def traffic(server: Nginx, expected: Collection[str], began: float) -> Traffic:
    """What a server that has ended saw of a crawl that began at a moment."""
    first, last, requests = float("inf"), 0.0, 0
    answered: set[str] = set()
    for asked in server.log():
        requests += 1
        first, last = min(first, asked.began), max(last, asked.ended)
        if asked.status == 200 and asked.path in expected:
            answered.add(asked.path)
    if not answered:
        raise SystemExit("the crawl asked for nothing that is there")
    # The server counts in milliseconds.
    return Traffic(len(answered), requests, len(answered) / max(last - first, 0.001), first - began)
