"""Kills writers at random moments, also with a power cut, and checks that what they had acknowledged is kept.

    .venv/bin/python -m bench.archive_kill [--quick] [--kills N] [--power-cuts N] [--seed N]

Each round starts a writer, kills it, opens the archive again and checks it; the next round writes on in the same
archive, and every few rounds a new one is begun. The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench.kept_check import Kept, Verdict, check
from bench.power_cut import Disk, build
from webkeep.errors import WebkeepError

_RECORDS = 100_000
"""The distance between the numbers of two writers; none comes near to storing so many."""

_ROUNDS_IN_ONE = 5


class Trial:
    """One archive that writers are killed in, one after the other."""

    def __init__(self, folder: Path, chance: random.Random, library: Path) -> None:
        self._path = folder / "disk" / "archive"
        self._chance = chance
        self._kept = Kept()
        self._writers = 0
        self._path.parent.mkdir()
        self._disk = Disk(self._path.parent, folder / "scratch", library)
        self.verdict = Verdict()
        self.acknowledged = 0

    def kill(self) -> None:
        """Kill a writer, then check."""
        self._run_and_kill({})
        self._check("kill")

    def cut_power(self) -> None:
        """Kill one to three writers, one after the other, lose what they had not made durable, then check."""
        for _ in range(self._chance.choice((1, 1, 2, 3))):
            self._run_and_kill(self._disk.environment)
        self._disk.cut(self._chance)
        self._check("power cut")

    def _check(self, after: str) -> None:
        try:
            verdict = check(self._path, self._kept)
        except WebkeepError as error:
            verdict = Verdict(unclean=1, complaints=[f"the archive does not open or cannot be read: {error}"])
        verdict.complaints = [f"after {after} {self._writers}: {each}" for each in verdict.complaints[:10]]
        self.verdict.add(verdict)
        self.acknowledged = len(self._kept.numbers)
        self._disk.settle()

    def _run_and_kill(self, environment: Mapping[str, str]) -> None:
        self._writers += 1
        reading, writing = os.pipe()
        count = self._chance.choice((50, 500, 2000))
        writer = subprocess.Popen(
            [
                sys.executable,
                *("-m", "bench.steady_writer", str(self._path)),
                *(str(self._writers * _RECORDS), str(count), str(writing)),
            ],
            pass_fds=(writing,),
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
        )
        os.close(writing)
        with open(reading, "rb", buffering=0) as report:
            heard = _heard_until_killed(writer, report.fileno(), self._delay())
        _, complaint = writer.communicate()
        if writer.returncode not in (0, -9):
            self.verdict.unclean += 1
            self.verdict.complaints.append(f"writer {self._writers} failed: {complaint.decode()[-500:]}")
        for line in heard.decode().splitlines():
            self._kept.heed(line)

    def _delay(self) -> float:
        """How long a writer has from its beginning: often just long enough to open and settle the archive."""
        return self._chance.uniform(0, 0.03) if self._chance.random() < 0.25 else self._chance.uniform(0, 0.5)


def _heard_until_killed(writer: subprocess.Popen[bytes], report: int, delay: float) -> bytes:
    """What a writer reports, from which it is killed so many seconds after its first word."""
    heard = os.read(report, 65536)
    deadline = time.monotonic() + delay
    while (left := deadline - time.monotonic()) > 0:
        if select.select([report], [], [], left)[0]:
            more = os.read(report, 65536)
            heard += more
            if not more:
                break
    writer.kill()
    while more := os.read(report, 65536):
        heard += more
    return heard


def run(kills: int, power_cuts: int, seed: int) -> dict[str, object]:
    """Run the trials; gives the summary."""
    began = time.monotonic()
    total, acknowledged = Verdict(), 0
    plan = ["kill"] * kills + ["power cut"] * power_cuts
    with tempfile.TemporaryDirectory(prefix="archive-kill-") as scratch:
        library = build(Path(scratch))
        for first in range(0, len(plan), _ROUNDS_IN_ONE):
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                trial = Trial(Path(folder), random.Random(f"{seed} {first}"), library)
                for kind in plan[first : first + _ROUNDS_IN_ONE]:
                    trial.kill() if kind == "kill" else trial.cut_power()
            for complaint in trial.verdict.complaints:
                print(f"archive {first // _ROUNDS_IN_ONE}, {complaint}", file=sys.stderr, flush=True)
            total.add(trial.verdict)
            acknowledged += trial.acknowledged
    return {
        "kills": kills,
        "power_cuts": power_cuts,
        "lost": total.lost,
        "repeated": total.repeated,
        "unclean": total.unclean,
        "torn": total.torn,
        "acknowledged": acknowledged,
        "seed": seed,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills writers and checks that nothing acknowledged is lost.")
    parser.add_argument("--quick", action="store_true", help="a few rounds, under 50 seconds")
    parser.add_argument("--kills", type=int, help="how many kills (200)")
    parser.add_argument("--power-cuts", type=int, help="how many power cuts (200)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="repeats a run")
    options = parser.parse_args()
    rounds = 15 if options.quick else 200
    kills = rounds if options.kills is None else options.kills
    power_cuts = rounds if options.power_cuts is None else options.power_cuts
    print(f"seed {options.seed}", file=sys.stderr, flush=True)
    summary = run(kills, power_cuts, options.seed)
    print(json.dumps(summary))
    return 1 if summary["lost"] or summary["repeated"] or summary["unclean"] else 0


if __name__ == "__main__":
    sys.exit(main())
