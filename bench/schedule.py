"""What schedules cost a service: ten thousand of them on a virtual clock, in processor time for each second of theirs.

    .venv/bin/python -m bench.schedule [--quick] [--schedules N] [--hours N]

The schedules are mixed: every so often and cron, in several time zones, with jitter and blackout hours. The service's
own runner and store carry them out, on a file on the disk, and look twice a second; every run is submitted as a job,
whether or not the one before was done. Counted is the processor time of this process. The last line of the output is
one JSON object: `core_share` is the share of one core that schedules take while the service runs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import result, say
from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.run import ScheduleRunner
from webkeep.service.schedules import (
    CronTimes,
    EveryInterval,
    OverlapPolicy,
    Schedule,
    next_run,
    parse_blackouts,
)
from webkeep.service.store import (
    CollectionStore,
    JobStore,
    ScheduleStore,
    StoredSchedule,
    open_service_database,
)

_START = Moment.parse("2026-03-28T00:00:00Z")
"""A day before clocks change in Europe."""
_LOOK_SECONDS = 0.5
_ZONES = ("UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata")
_ROUNDS = 3


@dataclass
class _VirtualClock:
    moment: Moment = _START

    def now(self) -> Moment:
        return self.moment


def _make_schedule(number: int, chance: random.Random) -> Schedule:
    zone = chance.choice(_ZONES)
    hours = parse_blackouts(["mon-fri 08:00-18:00"]) if chance.random() < 0.2 else ()
    if chance.random() < 0.5:
        seconds = chance.choice([6, 12, 24, 7 * 24]) * 3600
        times: EveryInterval | CronTimes = EveryInterval(seconds, _START.plus(chance.uniform(0, seconds)))
    else:
        day = chance.choice(["*", "mon", "mon-fri"])
        times = CronTimes(f"{chance.randrange(60)} {chance.randrange(24)} * * {day}")
    return Schedule(f"s{number}", times, zone, chance.choice([0, 600]), hours, overlap=OverlapPolicy.QUEUE)


def _run_once(count: int, hours: float, seed: int) -> tuple[float, int]:
    """The processor's share, and how many runs there were."""
    chance, clock = random.Random(seed), _VirtualClock()
    with tempfile.TemporaryDirectory(prefix="schedule-") as scratch:
        database = open_service_database(Path(scratch, "jobs.sqlite"))
        collections, jobs, schedules = CollectionStore(database), JobStore(database), ScheduleStore(database)
        collections.create(CollectionFacts("sites", "Sites"), _START)
        entries = [SeedEntry(f"https://site-{number}.example/") for number in range(count)]
        seeds = collections.add_seeds("sites", entries, _START)
        made = ((_make_schedule(number, chance), each.id) for number, each in enumerate(seeds))
        schedules.add_all(
            StoredSchedule(schedule, "sites", seed_id, next=next_run(schedule, _START)) for schedule, seed_id in made
        )
        runner = ScheduleRunner(schedules, collections, jobs, clock)
        looks = round(hours * 3600 / _LOOK_SECONDS)
        began, runs = time.process_time(), 0
        for _ in range(looks):
            clock.moment = clock.moment.plus(_LOOK_SECONDS)
            runs += runner.look()
        spent = time.process_time() - began
        submitted = sum(jobs.counts().values())
        database.close()
    if submitted != runs:
        raise SystemExit(f"{runs} runs and {submitted} jobs")
    return spent / (hours * 3600), runs


def run(count: int, hours: float) -> dict[str, object]:
    """Measure; gives the summary."""
    measured = []
    for seed in range(_ROUNDS):
        share, runs = _run_once(count, hours, seed)
        say(f"{runs:,} runs in {hours:g} hours of {count:,} schedules: {share:.5%} of a core")
        measured.append((share, runs))
    return {
        "schedules": count,
        "hours": hours,
        "runs": round(statistics.median(runs for _, runs in measured)),
        "core_share": round(statistics.median(share for share, _ in measured), 6),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--hours", type=float)
    args = parser.parse_args()
    result(run(args.schedules, args.hours or (0.5 if args.quick else 12.0)))


if __name__ == "__main__":
    main()
