"""The next run of a schedule: a pure function of the schedule and the run before.

Theory of operation. A run has two moments: when it is *due* by the schedule's times, which names it for ever, and when
it is *begun*, which jitter and blackout hours move behind that. Jitter follows from the schedule's id and the due
moment, so that it is the same however often it is asked for; it never reaches the next due moment, so that runs keep
their order. Runs that blackout hours would all have begin at one moment are one: the first of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.service.schedules.blackout_hours import end_of_blackout
from webkeep.service.schedules.cron_calendar import cron_moments
from webkeep.service.schedules.schedule import CronTimes, EveryInterval, Schedule, load_zone

_JITTER_DENOMINATOR = 1 << 32
"""Four bytes of a digest are a fraction of it."""
_SECOND_MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """One run of a schedule."""

    due: Moment
    """By the schedule's times; no two runs of it have the same."""
    begins: Moment
    """Behind jitter and blackout hours."""


def next_run(schedule: Schedule, after: Moment, begun_after: Moment | None = None) -> ScheduledRun | None:
    """The first run that is due after a moment, and begins after the one before began; None where there is none.

    `after` is the due moment of the run before, or the present one; `begun_after` when the run before began.
    """
    zone = load_zone(schedule.zone)
    for due in due_moments(schedule, after):
        if schedule.until is not None and due > schedule.until:
            return None
        begins = end_of_blackout(due.plus(_jitter_seconds(schedule, due)), schedule.blackouts, zone)
        if begun_after is None or begins > begun_after:
            return ScheduledRun(due, begins)
    return None


def due_moments(schedule: Schedule, after: Moment) -> Iterator[Moment]:
    """The moments after another at which a schedule is due by its times alone, in order, each once."""
    match schedule.times:
        case EveryInterval(seconds, since):
            yield from _interval_moments(seconds * _SECOND_MICROS, since, after)
        case CronTimes(expression):
            yield from cron_moments(expression, load_zone(schedule.zone), after)


def _interval_moments(interval: int, since: Moment, after: Moment) -> Iterator[Moment]:
    count = max(0, (after.micros - since.micros) // interval + 1)
    while True:
        yield Moment(since.micros + count * interval)
        count += 1


def _jitter_seconds(schedule: Schedule, due: Moment) -> float:
    if not schedule.jitter_seconds:
        return 0.0
    following = next(due_moments(schedule, due), None)
    room = schedule.jitter_seconds if following is None else following.seconds_since(due)
    digest = hashlib.sha256(f"{schedule.id}\n{due.micros}".encode()).digest()
    share = int.from_bytes(digest[:4]) / _JITTER_DENOMINATOR
    return float(int(share * min(schedule.jitter_seconds, room)))
