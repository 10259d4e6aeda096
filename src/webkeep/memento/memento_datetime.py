"""Moments as Memento writes them (Accept-Datetime, Memento-Datetime): the one form of date that RFC 7089 allows
(section 2.1.1), to the second; and the end of the period that some digits name.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.model import Moment

SECOND_MICROS = 1_000_000
"""Microseconds of one second: what Memento and 14 digits can tell apart."""

_UNITS = ((8, 86400), (10, 3600), (12, 60), (14, 1))
"""Digits of a timestamp, and the seconds that one of so many digits stands for."""
_LAST_MOMENT = Moment.parse("99991231235959")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HTTP_DATE = re.compile(
    rf"(?:{'|'.join(_DAYS)}), ([0-9]{{2}}) ({'|'.join(_MONTHS)}) ([0-9]{{4}}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT"
)


def format_http_date(moment: Moment) -> str:
    """The moment as `Memento-Datetime` and the `datetime` of a link carry it."""
    return _format_seconds(moment.micros // SECOND_MICROS)


@lru_cache(4096)
def _format_seconds(seconds: int) -> str:
    when = Moment(seconds * SECOND_MICROS).datetime
    day, month = _DAYS[when.weekday()], _MONTHS[when.month - 1]
    return f"{day}, {when.day:02d} {month} {when.year:04d} {when.hour:02d}:{when.minute:02d}:{when.second:02d} GMT"


def parse_accept_datetime(text: str) -> Moment:
    """The moment an `Accept-Datetime` asks for; what is not in its one form is an error of the client."""
    match = _HTTP_DATE.fullmatch(text.strip(" \t"))
    if match is None:
        raise UsageError(f"not an Accept-Datetime: {text[:60]!r}; write it as in Thu, 31 May 2007 20:35:00 GMT")
    day, month, year, hour, minute, second = match.groups()
    try:
        # A leap second is read as the last second that datetime knows.
        last = min(int(second), 59) if second == "60" else int(second)
        when = datetime(int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), last, tzinfo=UTC)
    except ValueError:
        raise UsageError(f"there is no such moment: {text[:60]!r}; check the day and the time") from None
    return Moment.from_datetime(when)


def truncate_to_second(moment: Moment) -> Moment:
    """The second that a moment lies in."""
    return Moment(moment.micros - moment.micros % SECOND_MICROS)


def end_of_period(begin: Moment, digits: int) -> Moment:
    """The last moment of the year, month, day, hour, minute or second that begins then, by how many digits name it."""
    when = begin.datetime
    if digits <= 4:
        end = Moment.parse(f"{when.year + 1:04d}") if when.year < 9999 else _LAST_MOMENT
    elif digits <= 6:
        year, month = divmod(when.year * 12 + when.month, 12)
        end = Moment.parse(f"{year:04d}{month + 1:02d}") if year <= 9999 else _LAST_MOMENT
    else:
        end = begin.plus(next(seconds for size, seconds in _UNITS if digits <= size))
    return Moment(end.micros - 1)
