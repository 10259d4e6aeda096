"""Times that texts tell: clocks, ages and countdowns, and whether two of them are as far apart as the fetches that they
come from.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webkeep.change.detection.noise_rule import GAP

_CLOCK_TIME = re.compile(r"\b([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?\b")
_TIME_SPAN = re.compile(
    r"\b([0-9]{1,6}) ?(?:(weeks?|wochen?)|(days?|d|tagen?|tage)|(hours?|hrs?|h|stunden?)"
    r"|(minutes?|minuten?|mins?|m)|(seconds?|sekunden?|secs?|s))\b",
    re.IGNORECASE,
)
_DAY_SECONDS = 86_400
_UNIT_SECONDS = (7 * _DAY_SECONDS, _DAY_SECONDS, 3600, 60, 1)
"""Of the units of a span, in their order there."""
_TIMES = re.compile(rf"(?:(?:{_CLOCK_TIME.pattern}|{_TIME_SPAN.pattern})[ ,]*)+", re.IGNORECASE)
_SLACK_SECONDS = 2.0
"""Between the moment that a page tells and that at which its server dated it."""
_MAX_TIME_CHARS = 200
"""A longer text is more than a clock."""


def gap_times(text: str) -> str:
    """A text with a gap for each row of times and spans of time in it."""
    return _TIMES.sub(GAP, text)


def moves_with_time(before: str, after: str, seconds: float) -> bool | None:
    """Whether a text tells a time that is so many seconds from that of another, forth or back; None where neither can
    be said.
    """
    if max(len(before), len(after)) > _MAX_TIME_CHARS or gap_times(before) != gap_times(after):
        return None
    one, other = _read_time(before), _read_time(after)
    if one is None or other is None or seconds < 2 * max(one.unit, other.unit):
        return None
    steps = [sign * (other.seconds - one.seconds) - seconds for sign in (1, -1)]
    if one.is_daily:
        steps = [(step + _DAY_SECONDS / 2) % _DAY_SECONDS - _DAY_SECONDS / 2 for step in steps]
    return any(abs(step) <= max(one.unit, other.unit) + _SLACK_SECONDS for step in steps)


class _ToldTime(NamedTuple):
    seconds: int
    unit: int
    """The least that it tells, in seconds."""
    is_daily: bool
    """Whether it begins anew every day."""


def _read_time(text: str) -> _ToldTime | None:
    """The time or the span of time that a text tells; None where it tells none."""
    total, units, is_daily = 0, [], True
    for hours, minutes, seconds in _CLOCK_TIME.findall(text):
        total += int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0)
        units.append(1 if seconds else 60)
    for number, *names in _TIME_SPAN.findall(text):
        unit = next(unit for unit, name in zip(_UNIT_SECONDS, names, strict=True) if name)
        total, is_daily = total + int(number) * unit, False
        units.append(unit)
    return _ToldTime(total, min(units), is_daily) if units else None
