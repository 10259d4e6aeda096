"""Schedules in the words of people: made of what somebody wrote, and told so that they see whether it is what they
meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment, parse_moment
from webkeep.service.schedules.blackout_hours import describe_blackout
from webkeep.service.schedules.schedule import (
    CronTimes,
    EveryInterval,
    OverlapPolicy,
    Schedule,
    load_zone,
    parse_blackouts,
    parse_jitter,
    parse_times,
)
from webkeep.service.schedules.scheduled_run import ScheduledRun, next_run

_INTERVAL_UNITS = ((7 * 86400, "week"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_DAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OVERLAP_WORDS = {
    OverlapPolicy.SKIP: "left out where the run before is under way",
    OverlapPolicy.QUEUE: "waits where the run before is under way",
    OverlapPolicy.REPLACE: "cancels the run before where that is under way",
}


@dataclass(frozen=True, slots=True)
class WrittenSchedule:
    """A schedule as somebody wrote it."""

    times: str
    """As `parse_times` has it."""
    zone: str = "UTC"
    jitter: str = "0"
    blackouts: Sequence[str] = ()
    until: str = ""
    overlap: str = OverlapPolicy.SKIP.value


def build_schedule(schedule_id: str, written: WrittenSchedule, now: Moment) -> Schedule:
    """A schedule out of what somebody wrote; refused in one line where that says nothing, or no time any more."""
    if written.overlap not in list(OverlapPolicy):
        raise UsageError(
            f"not a policy for runs that overlap: {written.overlap[:40]!r}; choose {', '.join(OverlapPolicy)}"
        )
    schedule = Schedule(
        schedule_id,
        parse_times(written.times, now),
        written.zone,
        parse_jitter(written.jitter),
        parse_blackouts(written.blackouts),
        parse_moment(written.until, now) if written.until else None,
        OverlapPolicy(written.overlap),
    )
    if next_run(schedule, now) is None:
        raise UsageError(f"{written.times[:80]} is at no time any more before {written.until[:40]}; choose a later end")
    return schedule


def preview_runs(schedule: Schedule, now: Moment, count: int) -> list[ScheduledRun]:
    """The next runs of a schedule, as they would be begun if nothing held them up."""
    runs: list[ScheduledRun] = []
    run = next_run(schedule, now)
    while run is not None and len(runs) < count:
        runs.append(run)
        run = next_run(schedule, run.due, run.begins)
    return runs


def format_local_time(at: Moment, zone: str) -> str:
    """A moment on the clocks of a time zone, with the day of the week and what is ahead of UTC."""
    local = at.datetime.astimezone(load_zone(zone))
    return f"{local:%a} {local:%Y-%m-%d %H:%M:%S} {local:%Z}".rstrip()


def describe_times(schedule: Schedule) -> str:
    """How often, in words: `every 6 hours`, `at 02:30 on Monday to Friday`; cron as it is where that is intricate."""
    match schedule.times:
        case EveryInterval(seconds, _):
            return _describe_interval(seconds)
        case CronTimes(expression):
            return _describe_cron(expression) or f"cron {expression}"


def describe_schedule(schedule: Schedule) -> str:
    """All of a schedule, in one line."""
    is_zoned = isinstance(schedule.times, CronTimes) or schedule.blackouts
    parts = [describe_times(schedule) + (f" ({schedule.zone})" if is_zoned else "")]
    if schedule.jitter_seconds:
        parts.append(f"up to {_describe_span(schedule.jitter_seconds)} later by chance")
    parts += [f"never {describe_blackout(each)}" for each in schedule.blackouts]
    if schedule.until is not None:
        parts.append(f"until {format_local_time(schedule.until, schedule.zone)}")
    return ", ".join([*parts, _OVERLAP_WORDS[schedule.overlap]])


def write_times(schedule: Schedule) -> str:
    """The times as `parse_times` reads them."""
    match schedule.times:
        case EveryInterval(seconds, _):
            return f"every {_short_span(seconds)}"
        case CronTimes(expression):
            return expression


def _describe_interval(seconds: int) -> str:
    span = _describe_span(seconds)
    return f"every {span.removeprefix('1 ')}"


def _describe_span(seconds: int) -> str:
    size, unit = next((size, unit) for size, unit in _INTERVAL_UNITS if seconds % size == 0)
    count = seconds // size
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def _short_span(seconds: int) -> str:
    size, unit = next((size, unit) for size, unit in _INTERVAL_UNITS if seconds % size == 0)
    return f"{seconds // size}{unit[0]}"


def _describe_cron(expression: str) -> str:
    """The usual expressions in words; empty for others."""
    minute, hour, day, month, weekday = expression.split()
    if month != "*" or not minute.isdecimal():
        return ""
    if hour == "*" and day == "*" and weekday == "*":
        return f"every hour, {int(minute)} minutes past" if int(minute) else "every hour, on the hour"
    if not hour.isdecimal():
        return ""
    at = f"at {int(hour):02}:{int(minute):02}"
    if day == "*":
        days = _describe_weekdays(weekday)
        return f"{at} {days}" if days else ""
    return f"{at} on day {int(day)} of every month" if day.isdecimal() and weekday == "*" else ""


def _describe_weekdays(text: str) -> str:
    if text == "*":
        return "every day"
    first, dash, last = text.partition("-")
    names = [_day_name(each) for each in ([first, last] if dash else text.split(","))]
    if not all(names):
        return ""
    return f"on {names[0]} to {names[1]}" if dash else f"on {' and '.join(names)}"


def _day_name(text: str) -> str:
    if text.isdecimal() and int(text) < len(_DAY_NAMES):
        return _DAY_NAMES[int(text)]
    return next((name for name in _DAY_NAMES if name[:3].lower() == text.lower()), "")
