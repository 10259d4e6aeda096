"""Kills captures at random moments, resumes each with the same command, and checks that nothing was lost or repeated.

    .venv/bin/python -m bench.capture_kill [--quick] [--kills N] [--seed N]

At every kill the records that are whole in the WARC files are remembered. In the end they must all be there, nothing
that was intact may have been asked for again, by the server's log, and the archive must hold the same URLs, statuses
and payloads as that of a capture nobody disturbed. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.capture_records import Held, held_in
from bench.capture_run import capture_command
from bench.measuring import result, say
from bench.peers_nginx import Nginx
from bench.reference_site import reference_site

_PAGES = 200
"""Of the site that is captured: 612 URLs."""
_KILLS_IN_ONE = 8
_PATIENCE = 300


@dataclass(slots=True)
class Verdict:
    """What went wrong."""

    kills: int = 0
    resumed: int = 0
    """How many kills came while the capture was under way; the others were before its first record."""
    lost: int = 0
    asked_twice: int = 0
    differences: int = 0
    unclean: int = 0
    """Resumptions that ended with an error."""
    complaints: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Kill:
    moment: float
    held: Held


class Trial:
    """One capture that is killed and resumed until it is done."""

    def __init__(self, folder: Path, chance: random.Random, seconds: float, verdict: Verdict) -> None:
        self._archive = folder / "archive"
        self._said = folder / "said"
        self._server = Nginx.serving(reference_site(_PAGES).folder, folder / "server")
        self._chance = chance
        self._seconds = seconds
        self._verdict = verdict
        self._kills: list[_Kill] = []

    def run(self, kills: int, usual: frozenset[tuple[str, str, str]]) -> None:
        """Kill the capture so many times at most, let it end, then judge."""
        with self._server as server:
            command = capture_command(server.url, self._archive)
            # Once a capture has ended, the same command would begin another one.
            is_ended = False
            while not is_ended and len(self._kills) < kills:
                is_ended = self._ended(command)
            if not is_ended:
                self._finish(command)
        self._verdict.kills += len(self._kills)
        self._judge(usual)

    def _ended(self, command: list[str]) -> bool:
        """Run the capture and kill it at a random moment; gives whether it had come to its end."""
        with self._said.open("ab") as said:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
        try:
            code = process.wait(self._delay())
        except subprocess.TimeoutExpired:
            # Helpers, if there are any, must not outlive the one that is killed; every second time they are hit too.
            strike = os.killpg if self._chance.random() < 0.5 else os.kill
            strike(process.pid, signal.SIGKILL)
            process.wait()
            self._kills.append(_Kill(time.time(), held_in(self._archive)))
            self._verdict.resumed += bool(self._kills[-1].held.records)
            return self._kills[-1].held.is_ended
        self._check(code)
        return True

    def _delay(self) -> float:
        """How long a capture has: mostly until it is well under way, at times hardly long enough to begin."""
        shortest = 0.05 if self._chance.random() < 0.25 else 0.5
        return self._chance.uniform(shortest, 1.0) * self._seconds

    def _finish(self, command: list[str]) -> None:
        with self._said.open("ab") as said:
            self._check(subprocess.run(command, stdout=subprocess.DEVNULL, stderr=said, timeout=_PATIENCE).returncode)

    def _check(self, code: int) -> None:
        if code:
            self._verdict.unclean += 1
            self._verdict.complaints.append(f"the capture ended with {code}: {self._said.read_text()[-500:]}")

    def _judge(self, usual: frozenset[tuple[str, str, str]]) -> None:
        final = held_in(self._archive)
        asked = [(each.began, each.path) for each in self._server.log()]
        for kill in self._kills:
            lost = kill.held.records - final.records
            again = {path for began, path in asked if began > kill.moment and path in kill.held.paths}
            self._note("lost", lost)
            self._note("asked_twice", again)
        self._note("differences", final.payloads ^ usual)

    def _note(self, what: str, wrong: set[str] | frozenset[str] | frozenset[tuple[str, str, str]]) -> None:
        if wrong:
            setattr(self._verdict, what, getattr(self._verdict, what) + len(wrong))
            self._verdict.complaints.append(f"{what}: {len(wrong)}, such as {min(wrong)}")


def undisturbed(folder: Path) -> tuple[float, Held]:
    """How long a capture takes that nobody disturbs, and what it holds in the end."""
    with Nginx.serving(reference_site(_PAGES).folder, folder / "server") as server:
        began = time.perf_counter()
        subprocess.run(capture_command(server.url, folder / "archive"), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began, held_in(folder / "archive")


def run(kills: int, seed: int) -> dict[str, object]:
    """Run the trials; gives the summary."""
    began = time.monotonic()
    verdict, trials = Verdict(), 0
    with tempfile.TemporaryDirectory(prefix="capture-kill-") as scratch:
        seconds, usual = undisturbed(Path(scratch) / "undisturbed")
        say(f"undisturbed: {len(usual.payloads):,} payloads in {seconds:.2f} s")
        while verdict.kills < kills:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                trial = Trial(Path(folder), random.Random(f"{seed} {trials}"), seconds, verdict)
                trial.run(min(_KILLS_IN_ONE, kills - verdict.kills), usual.payloads)
            trials += 1
    for complaint in verdict.complaints[:20]:
        say(complaint)
    return {
        "kills": verdict.kills,
        "lost": verdict.lost,
        "asked_twice": verdict.asked_twice,
        "differences": verdict.differences,
        "unclean": verdict.unclean,
        "kills_with_records": verdict.resumed,
        "captures": trials,
        "payloads": len(usual.payloads),
        "seed": seed,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills captures, resumes them, and checks what became of them.")
    parser.add_argument("--quick", action="store_true", help="a few kills, under 50 seconds")
    parser.add_argument("--kills", type=int, help="how many kills (100)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="repeats a run")
    args = parser.parse_args()
    kills = args.kills or (12 if args.quick else 100)
    say(f"seed {args.seed}")
    facts = run(kills, args.seed)
    result(facts)
    return 1 if any(facts[name] for name in ("lost", "asked_twice", "differences", "unclean")) else 0


if __name__ == "__main__":
    sys.exit(main())
