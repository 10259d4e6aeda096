"""Blackout hours: times of the week at which nothing is begun, such as `mon-fri 08:00-18:00`, in the time zone of the
schedule; what is due then waits for their end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from webkeep.errors import UsageError
from webkeep.model import Moment

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FORM = re.compile(r"(?:([a-z,\-]+)\s+)?(\d\d):(\d\d)-(\d\d):(\d\d)")
_DAY_MINUTES = 24 * 60
"""Minutes of a day that has none too many and none too few."""
_WEEK_MINUTES = 7 * _DAY_MINUTES
"""What blackout hours must not cover to the last."""


@dataclass(frozen=True, slots=True)
class BlackoutHours:
    """From one time of the day to another, the next day's where that is earlier; on the days on which they begin."""

    days: frozenset[int]
    """0 for Monday."""
    begin: time
    end: time

    @property
    def minutes(self) -> int:
        """How long they are, where no clock is changed meanwhile; a day where they end when they begin."""
        length = _minute_of(self.end) - _minute_of(self.begin)
        return length if length > 0 else length + _DAY_MINUTES


def parse_blackout(text: str) -> BlackoutHours:
    """Blackout hours as people write them: `22:00-06:00`, `mon-fri 08:00-18:00`, `sat,sun 00:00-24:00`."""
    match = _FORM.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"not blackout hours: {text[:80]!r}; write 22:00-06:00 or mon-fri 08:00-18:00")
    try:
        begin, end = _parse_time(match[2], match[3]), _parse_time(match[4], match[5])
        return BlackoutHours(_parse_days(match[1] or "mon-sun"), begin, end)
    except ValueError as error:
        raise UsageError(f"blackout hours {text[:80]!r}: {error}; write mon-fri 08:00-18:00") from error


def describe_blackout(hours: BlackoutHours) -> str:
    """Blackout hours as people write them."""
    days = "" if len(hours.days) == len(_DAYS) else f"{','.join(_DAYS[each] for each in sorted(hours.days))} "
    return f"{days}{hours.begin:%H:%M}-{hours.end:%H:%M}"


def check_blackouts(blackouts: Sequence[BlackoutHours]) -> None:
    """Refuse blackout hours that leave no minute of the week."""
    closed = {
        (day * _DAY_MINUTES + _minute_of(each.begin) + offset) % _WEEK_MINUTES
        for each in blackouts
        for day in each.days
        for offset in range(each.minutes)
    }
    if len(closed) == _WEEK_MINUTES:
        raise UsageError("the blackout hours take up the whole week, and nothing would ever run; leave some time")


def end_of_blackout(at: Moment, blackouts: Sequence[BlackoutHours], zone: ZoneInfo) -> Moment:
    """The first moment from this one on that lies in no blackout hours."""
    for _ in range(2 * 7 * len(blackouts) + 1):
        ends = [end for each in blackouts if (end := _end_of_hours(at, each, zone)) is not None]
        if not ends:
            break
        at = max(ends)
    return at


def _end_of_hours(at: Moment, hours: BlackoutHours, zone: ZoneInfo) -> Moment | None:
    """When these hours end, if a moment lies in them."""
    local = at.datetime.astimezone(zone)
    for back in (0, 1):
        day = (local - timedelta(days=back)).date()
        if day.weekday() not in hours.days:
            continue
        ends_on = day if hours.end > hours.begin else day + timedelta(days=1)
        begin = _moment_of(datetime.combine(day, hours.begin), zone)
        end = _moment_of(datetime.combine(ends_on, hours.end), zone)
        if begin <= at < end:
            return end
    return None


def _moment_of(local: datetime, zone: ZoneInfo) -> Moment:
    """The moment of a time of the day; one that the clocks skip is as far behind the gap, of two the first is meant."""
    return Moment.from_datetime(local.replace(tzinfo=zone).astimezone(UTC))


def _minute_of(at: time) -> int:
    return at.hour * 60 + at.minute


def _parse_time(hours: str, minutes: str) -> time:
    return time() if (hours, minutes) == ("24", "00") else time(int(hours), int(minutes))


def _parse_days(text: str) -> frozenset[int]:
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first not in _DAYS or (dash and last not in _DAYS):
            raise ValueError("days are mon, tue, wed, thu, fri, sat and sun")
        begin = _DAYS.index(first)
        length = (_DAYS.index(last) - begin) % 7 if dash else 0
        days |= {(begin + offset) % 7 for offset in range(length + 1)}
    return frozenset(days)
