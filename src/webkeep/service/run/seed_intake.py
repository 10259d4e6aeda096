"""Seeds taken into a collection with the schedules they came with, and captured when somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections import CollectionSeed, SeedEntry
from webkeep.service.jobs import Job, JobOrder, new_job_id
from webkeep.service.schedules import Schedule, describe_schedule, next_run, parse_times
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


def enter_schedule(schedules: ScheduleStore, stored: StoredSchedule) -> None:
    """Enter a schedule; one that says the same of the same is refused, since everything would be captured twice."""
    said = describe_schedule(stored.schedule)
    for other in schedules.list_schedules(stored.collection):
        if other.seed == stored.seed and not other.is_off and describe_schedule(other.schedule) == said:
            raise UsageError(f"there is such a schedule already: {said}; delete that one, or choose other times")
    schedules.add(stored)


@dataclass(frozen=True, slots=True)
class SubmittedJobs:
    """What was to be captured, each with the job that will do it."""

    added: tuple[Job, ...]
    waiting: tuple[Job, ...]
    """Those that waited to do the same already."""

    def only(self) -> Job:
        """The job, of one that was ordered."""
        (job,) = self.added + self.waiting
        return job


def submit_seeds(jobs: JobStore, seeds: Iterable[CollectionSeed], now: Moment, priority: int = 0) -> SubmittedJobs:
    """A job for each of some seeds, in their order: a new one, or the one that waits to do the same already."""
    orders = [JobOrder(seed.collection, seed.archive, seed.plan, seed=seed.id, priority=priority) for seed in seeds]
    return submit_orders(jobs, orders, now)


def submit_orders(jobs: JobStore, orders: Sequence[JobOrder], now: Moment) -> SubmittedJobs:
    """A job for each of some orders; where one of a seed waits that says the same, it stands for both."""
    with jobs.transaction():
        known = {_describe_order(job.order): job for name in {each.collection for each in orders}
                 for job in jobs.list_waiting(name)}  # fmt: skip
        new = [each for each in orders if _describe_order(each) not in known]
        added = [jobs.submit(order, Moment(now.micros + place)) for place, order in enumerate(new)]
        waiting = [_move_up(jobs, known[described], order.priority)
                   for order in orders if (described := _describe_order(order)) in known]  # fmt: skip
    return SubmittedJobs(tuple(job for job in added if job is not None), tuple(waiting))


def _describe_order(order: JobOrder) -> tuple[str, ...]:
    return order.collection, order.seed, order.archive, order.kind.value, json.dumps(dict(order.plan), sort_keys=True)


def _move_up(jobs: JobStore, job: Job, priority: int) -> Job:
    return job if job.order.priority >= priority else jobs.change_priority(job, priority)
