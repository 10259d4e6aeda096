"""Cron in a time zone: which moments an expression means, also where clocks are put forward or back.

Theory of operation. The calendar (which minutes of which days) is cronsim's, asked for times without a zone. What they
are as moments is decided here, by whatever offset the zone has and however much it changes. An expression whose minute
or hour begins with `*` recurs: it goes by each offset for as long as that holds, so that it skips what clocks skip and
comes again in what comes again. Any other names times of the day: one that clocks skip is meant for the moment at which
they do, of one that comes twice the first is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from webkeep.model import Moment

_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)


def cron_moments(expression: str, zone: ZoneInfo, after: Moment) -> Iterator[Moment]:
    """The moments after another that an expression means, in order, each once."""
    recurs = any(field.startswith("*") for field in expression.split()[:2])
    start = after.datetime
    last = after
    for found in _recurring_times(expression, zone, start) if recurs else _named_times(expression, zone, start):
        moment = Moment.from_datetime(found)
        if moment > last:
            yield moment
            last = moment


def _calendar_times(expression: str, after: datetime) -> Iterator[datetime]:
    """The times that an expression means, on the clock that the one given was read from."""
    from cronsim import CronSim

    return CronSim(expression, after)


def _named_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    # A day back: what was skipped lies before the time that clocks show behind the gap.
    for local in _calendar_times(expression, after.astimezone(zone).replace(tzinfo=None) - _DAY):
        moment = local.replace(tzinfo=zone).astimezone(UTC)
        is_skipped = moment.astimezone(zone).replace(tzinfo=None) != local
        yield _latest_change(zone, moment - _DAY, moment) if is_skipped else moment


def _recurring_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    while True:
        offset = _offset_at(zone, after)
        change = None
        for local in _calendar_times(expression, _clock_time(after, offset)):
            moment = (local - offset).replace(tzinfo=UTC)
            change = _first_change(zone, after, moment)
            if change is not None:
                break
            after = moment
            yield moment
        if change is None:
            return
        after = change
        shown = _clock_time(change, _offset_at(zone, change))
        if next(_calendar_times(expression, shown - _SECOND)) == shown:
            yield change


def _first_change(zone: ZoneInfo, after: datetime, until: datetime) -> datetime | None:
    """When the offset first changes after a moment and not after another; looked for day by day."""
    offset = _offset_at(zone, after)
    while after < until:
        later = min(after + _DAY, until)
        if _offset_at(zone, later) != offset:
            return _latest_change(zone, after, later)
        after = later
    return None


def _latest_change(zone: ZoneInfo, before: datetime, behind: datetime) -> datetime:
    """The moment from which on the offset is that of the later of two moments, between which it changes."""
    offset = _offset_at(zone, behind)
    while behind - before > _SECOND:
        middle = before + (behind - before) // 2
        if _offset_at(zone, middle) == offset:
            behind = middle
        else:
            before = middle
    return behind.replace(microsecond=0)


def _offset_at(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _clock_time(moment: datetime, offset: timedelta) -> datetime:
    return (moment + offset).replace(tzinfo=None)
