"""Schedules carried out: a job for every run that is due, once, whatever happened to service and clock meanwhile.

Runs that were missed while no service ran are one: the newest of them. A clock that is set back brings no run again,
since a run has one job for ever; and what is due by the clock as it is now is not waited for until the clock is where
it was.
"""

from __future__ import annotations

from webkeep.model import Clock, Moment
from webkeep.service.jobs import JobEvent, JobOrder
from webkeep.service.schedules import OverlapPolicy, ScheduledRun, next_run
from webkeep.service.store import CollectionStore, JobStore, ScheduleStore, StoredSchedule

_BATCH_SCHEDULES = 200
"""So many are seen to at one look, so that jobs have their turn between."""


class ScheduleRunner:
    """Has jobs submitted when schedules say so."""

    def __init__(self, schedules: ScheduleStore, collections: CollectionStore, jobs: JobStore, clock: Clock) -> None:
        self._schedules, self._collections, self._jobs, self._clock = schedules, collections, jobs, clock
        self._latest_look = clock.now()
        self._is_set_back = True
        """Also at the start, as the clock may have been set while no service ran."""

    def look(self) -> int:
        """Submit what is due; gives how many runs there were."""
        now = self._clock.now()
        if now < self._latest_look or self._is_set_back:
            self._is_set_back = False
            for stored in self._schedules.ahead_of(now):
                self._schedules.move_on(stored, None, next_run(stored.schedule, now))
        self._latest_look = now
        due = self._schedules.take_due(now, _BATCH_SCHEDULES)
        for stored in due:
            self._run(stored, now)
        return len(due)

    def _run(self, stored: StoredSchedule, now: Moment) -> None:
        run = self._newest_missed(stored, now)
        if run is None:
            return
        if self._makes_way(stored, run, now):
            for place, order in enumerate(self._orders(stored, run)):
                self._jobs.submit(order, Moment(now.micros + place))  # in the order of seeds
        self._schedules.move_on(stored, run, next_run(stored.schedule, run.due, run.begins))

    def _newest_missed(self, stored: StoredSchedule, now: Moment) -> ScheduledRun | None:
        run = stored.next
        while run is not None:
            following = next_run(stored.schedule, run.due, run.begins)
            if following is None or following.begins > now:
                break
            run = following
        return run

    def _makes_way(self, stored: StoredSchedule, run: ScheduledRun, now: Moment) -> bool:
        """Whether a run may be begun, as far as it goes by those before; of this one some jobs may be there already."""
        overlap = stored.schedule.overlap
        if overlap is OverlapPolicy.QUEUE:
            return True
        before = [job for job in self._jobs.open_of_schedule(stored.schedule.id) if job.order.due != run.due]
        if overlap is OverlapPolicy.SKIP:
            return not before
        for job in before:
            self._jobs.wish_if_possible(job, JobEvent.CANCEL, now)
        return True

    def _orders(self, stored: StoredSchedule, run: ScheduledRun) -> list[JobOrder]:
        """A job for the seed, or for every seed of the collection."""
        seed = self._collections.seed(stored.seed) if stored.seed else None
        seeds = ([seed] if seed else []) if stored.seed else self._collections.seeds(stored.collection)
        return [
            JobOrder(
                each.collection,
                each.archive,
                each.plan,
                seed=each.id,
                schedule=stored.schedule.id,
                due=run.due,
            )
            for each in seeds
        ]
