"""The end of a period that a person names (`--until`): a year, month, day, hour or minute lasts to its last instant."""

from __future__ import annotations

import re
from calendar import isleap, monthrange

from webkeep.model.moment import Moment, parse_moment

_DAY_SECONDS = 86_400
_SECONDS_BY_DIGITS = {8: _DAY_SECONDS, 10: 3600, 12: 60, 14: 1}
"""How many seconds last what is written in so many digits."""
_WRITTEN_PERIOD = re.compile(
    r"(\d{4}(?:-?\d\d(?:-?\d\d(?:[t ]?\d\d(?::?\d\d(?::?\d\d)?)?)?)?)?)(?:z|(?<=\d\d:\d\d)[+-]\d\d:?\d\d)?"
).fullmatch


def parse_period_end(text: str, now: Moment) -> Moment:
    """The last instant of the period that is named; a moment that lasts for no time as it is."""
    begin = parse_moment(text, now)
    seconds = _period_seconds(text.strip().lower(), begin)
    return Moment(begin.micros + seconds * 1_000_000 - 1) if seconds else begin


def _period_seconds(text: str, begin: Moment) -> int:
    if text in {"today", "yesterday"}:
        return _DAY_SECONDS
    written = _WRITTEN_PERIOD(text)
    if written is None:
        return 0
    count, when = sum(map(str.isdigit, written[1])), begin.datetime
    if count == 4:
        return _DAY_SECONDS * (366 if isleap(when.year) else 365)
    return _DAY_SECONDS * monthrange(when.year, when.month)[1] if count == 6 else _SECONDS_BY_DIGITS[count]
