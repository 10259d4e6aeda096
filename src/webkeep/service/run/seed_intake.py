"""Seeds taken into a collection with the schedules they came with, and captured when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webkeep.model import Moment
from webkeep.service.collections import CollectionSeed, SeedEntry
from webkeep.service.jobs import Job, JobOrder, new_job_id
from webkeep.service.schedules import Schedule, next_run, parse_times
from webkeep.service.store import CollectionStore, JobStore, ScheduleStore, StoredSchedule


def take_seeds_in(
    collections: CollectionStore, schedules: ScheduleStore, name: str, entries: Sequence[SeedEntry], now: Moment
) -> list[CollectionSeed]:
    """Take seeds in, and have those captured again and again that say when; gives the new ones."""
    added = collections.add_seeds(name, entries, now)
    times_of = {each.url: each.schedule for each in entries if each.schedule}
    schedules.add_all(build_seed_schedule(seed, times_of[seed.url], now) for seed in added if seed.url in times_of)
    return added


def build_seed_schedule(seed: CollectionSeed, times: str, now: Moment) -> StoredSchedule:
    """The schedule of one seed by times and nothing else said."""
    schedule = Schedule(new_job_id(), parse_times(times, now))
    return StoredSchedule(schedule, seed.collection, seed.id, next=next_run(schedule, now))


def submit_seeds(jobs: JobStore, seeds: Iterable[CollectionSeed], now: Moment) -> list[Job]:
    """A job for each of some seeds, in their order."""
    orders = (JobOrder(seed.collection, seed.archive, seed.plan, seed=seed.id) for seed in seeds)
    submitted = (jobs.submit(order, Moment(now.micros + place)) for place, order in enumerate(orders))
    return [job for job in submitted if job is not None]
