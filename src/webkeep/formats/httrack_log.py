"""HTTrack's logs: when a mirror was made, and when each URL was fetched.

The cache itself dates its entries by what servers said of the last change, which may be years before the copying. The
log of a run begins with its day and time; the list of what it got (`new.txt`) has the time of day of each URL, in the
order they came. Both are by the clock of the machine that mirrored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from email.utils import parsedate

_BEGUN = re.compile(r"\b(?:launched|automatically) on (\w{3}, [0-9]{1,2} \w{3} [0-9]{4} [0-9:]{8})")
_LINE = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})\t")
_URL_COLUMN = 7
_DAY = timedelta(days=1)


def begun_at(log: str) -> datetime | None:
    """When the run of a log (`hts-log.txt`, or `hts-cache/doit.log`) began; None where it does not say."""
    found = _BEGUN.search(log)
    read = parsedate(found[1]) if found is not None else None
    try:
        return datetime(*read[:6]) if read is not None else None
    except ValueError:
        return None


def fetch_times(lines: Iterable[str], begun: datetime) -> Iterator[tuple[str, datetime]]:
    """Each URL in a list of what a run got, and when it came; lines that cannot be read are passed over."""
    last = begun.replace(microsecond=0)
    for line in lines:
        told = _LINE.match(line)
        cells = line.split("\t")
        if told is None or len(cells) <= _URL_COLUMN:
            continue
        hour, minute, second = map(int, told.groups())
        if hour > 23 or minute > 59 or second > 59:
            continue
        came = last.replace(hour=hour, minute=minute, second=second)
        # A time of day much earlier than the one before is of the next day; a little earlier, and the clock was set.
        last = came + _DAY if came < last - _DAY / 2 else came
        yield cells[_URL_COLUMN], last
