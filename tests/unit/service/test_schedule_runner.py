"""Schedules carried out on a virtual clock: every run at its time and none twice, whatever happens meanwhile."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts, CollectionSeed, SeedEntry
from webkeep.service.jobs import JobEvent, JobState
from webkeep.service.run import ScheduleRunner
from webkeep.service.schedules import (
    CronTimes,
    EveryInterval,
    OverlapPolicy,
    Schedule,
    next_run,
    parse_blackouts,
    schedule_from_text,
    schedule_to_text,
)
from webkeep.service.store import CollectionStore, JobStore, ScheduleStore, StoredSchedule, open_service_database

START = Moment.parse("2026-01-01T00:00:00Z")
HOUR, DAY = 3600.0, 86400.0


@dataclass
class HandClock:
    moment: Moment = START

    def now(self) -> Moment:
        return self.moment


@dataclass
class World:
    """A store in memory, a clock that is moved by hand, and a runner that can be killed."""

    clock: HandClock = field(default_factory=HandClock)

    def __post_init__(self) -> None:
        database = open_service_database(Path(":memory:"))
        self.jobs, self.collections = JobStore(database), CollectionStore(database)
        self.schedules = ScheduleStore(database)
        self.collections.create(CollectionFacts("town", "Town"), START)
        self.runner = self.new_runner()

    def new_runner(self) -> ScheduleRunner:
        self.runner = ScheduleRunner(self.schedules, self.collections, self.jobs, self.clock)
        return self.runner

    def add_seed(self, url: str = "https://example.org/") -> CollectionSeed:
        (seed,) = self.collections.add_seeds("town", [SeedEntry(url)], START)
        return seed

    def add(self, schedule: Schedule, seed: str = "") -> None:
        run = next_run(schedule, self.clock.now())
        self.schedules.add(StoredSchedule(schedule, "town", seed, next=run))

    def run_until(self, end: Moment, step: float = HOUR) -> None:
        while self.clock.moment < end:
            self.clock.moment = self.clock.moment.plus(step)
            self.runner.look()

    def dues(self) -> list[Moment]:
        listed = self.jobs.list_jobs(limit=10_000)
        return sorted(job.order.due for job in listed if job.order.due is not None)


ZONES = ("Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata")


def test_two_years_in_four_time_zones_have_every_run_once_at_its_time() -> None:
    world = World()
    for zone in ZONES:
        seed = world.add_seed(f"https://{zone.lower().replace('/', '-').replace('_', '-')}.example/")
        schedule = Schedule(zone, CronTimes("30 2 * * *"), zone, overlap=OverlapPolicy.QUEUE)
        world.add(schedule, seed.id)
    end = START.plus(730 * DAY)
    while world.clock.moment < end:  # as the service does, only that nothing happens between
        listed = world.schedules.list_schedules()
        world.clock.moment = min(each.next.begins for each in listed if each.next)
        world.runner.look()
        world.new_runner()  # a service that is started anew between any two runs
    jobs = world.jobs.list_jobs(limit=10_000)
    for zone in ZONES:
        own = [job for job in jobs if job.order.schedule == zone and job.order.due and job.order.due < end]
        assert all(job.created == job.order.due for job in own), "begun when it was due"
        days = [job.created.datetime.astimezone(ZoneInfo(zone)).date() for job in own]
        assert len(days) == len(set(days)) == 730


def test_a_service_that_did_not_run_makes_up_for_the_newest_run_alone() -> None:
    world = World()
    world.add(Schedule("s", EveryInterval(6 * 3600, START), overlap=OverlapPolicy.QUEUE), world.add_seed().id)
    world.clock.moment = START.plus(3 * DAY + 100)
    world.new_runner().look()
    world.runner.look()
    assert world.dues() == [START.plus(3 * DAY)]
    world.run_until(START.plus(3 * DAY + 7 * HOUR))
    assert world.dues() == [START.plus(3 * DAY), START.plus(3 * DAY + 6 * HOUR)]


@pytest.mark.parametrize("back", [HOUR, 30 * HOUR])
def test_a_clock_that_is_set_back_brings_no_run_again_and_keeps_none_waiting(back: float) -> None:
    world = World()
    world.add(Schedule("s", EveryInterval(6 * 3600, START), overlap=OverlapPolicy.QUEUE), world.add_seed().id)
    world.run_until(START.plus(2 * DAY))
    world.clock.moment = world.clock.moment.plus(-back)
    world.runner.look()
    world.run_until(START.plus(66 * HOUR))
    assert world.dues() == [START.plus(hours * HOUR) for hours in range(6, 67, 6)]


def test_a_clock_that_was_set_back_while_no_service_ran_keeps_no_run_waiting() -> None:
    world = World()
    world.clock.moment = START.plus(4000 * DAY)
    world.add(Schedule("s", EveryInterval(6 * 3600, START), overlap=OverlapPolicy.QUEUE), world.add_seed().id)
    world.run_until(START.plus(4001 * DAY))
    world.clock.moment = START.plus(10 * DAY)
    world.new_runner().look()
    world.run_until(START.plus(11 * DAY))
    assert START.plus(11 * DAY) in world.dues()


@pytest.mark.parametrize(
    ("overlap", "states"),
    [
        (OverlapPolicy.SKIP, [JobState.QUEUED]),
        (OverlapPolicy.QUEUE, [JobState.QUEUED, JobState.QUEUED]),
        (OverlapPolicy.REPLACE, [JobState.CANCELLED, JobState.QUEUED]),
    ],
)
def test_a_run_whose_predecessor_is_under_way_goes_by_its_policy(
    overlap: OverlapPolicy, states: list[JobState]
) -> None:
    world = World()
    world.add(Schedule("s", EveryInterval(3600, START), overlap=overlap), world.add_seed().id)
    world.run_until(START.plus(2 * HOUR))
    assert sorted(job.state for job in world.jobs.list_jobs()) == sorted(states)
    for job in world.jobs.list_jobs([JobState.QUEUED]):
        world.jobs.wish(job, JobEvent.CANCEL, world.clock.now())
    world.run_until(START.plus(3 * HOUR))
    assert len(world.jobs.list_jobs([JobState.QUEUED])) == 1


def test_a_service_killed_among_the_jobs_of_a_run_submits_those_that_are_missing() -> None:
    world = World()
    seeds = [world.add_seed(f"https://s{number}.example/") for number in range(5)]
    schedule = Schedule("s", EveryInterval(3600, START))
    world.add(schedule)
    world.clock.moment = START.plus(HOUR)
    orders = world.runner._orders(world.schedules.list_schedules()[0], next_run(schedule, START))  # type: ignore[arg-type]
    for order in orders[:2]:
        assert world.jobs.submit(order, world.clock.now()) is not None
    world.new_runner().look()
    assert sorted(job.order.seed for job in world.jobs.list_jobs()) == sorted(seed.id for seed in seeds)


def test_a_seed_that_was_deleted_is_captured_no_more() -> None:
    world = World()
    seed = world.add_seed()
    world.add(Schedule("s", EveryInterval(3600, START)), seed.id)
    world.collections.delete_seed(seed)
    world.run_until(START.plus(3 * HOUR))
    assert world.jobs.list_jobs() == []


def test_schedules_are_kept_as_they_were() -> None:
    cron = Schedule(
        "a",
        CronTimes("30 2 * * mon"),
        "Europe/Berlin",
        600,
        parse_blackouts(["mon-fri 08:00-18:00", "22:00-06:00"]),
        START,
        OverlapPolicy.REPLACE,
    )
    for schedule in (cron, replace(cron, times=EveryInterval(3600, START), until=None, blackouts=())):
        assert schedule_from_text("a", schedule_to_text(schedule)) == schedule
