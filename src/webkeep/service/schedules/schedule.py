"""Schedules as values: how often or at which times of a time zone, spread by how much, never at which hours, until
when, and what happens where the run before is still under way.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.schedules.blackout_hours import BlackoutHours, check_blackouts, parse_blackout

_MIN_INTERVAL_SECONDS = 60
"""Nobody's site is captured more often than once a minute by a schedule."""
_MAX_INTERVAL_SECONDS = 10 * 366 * 86400
"""Ten years: longer is a mistake."""
_MAX_JITTER_SECONDS = 7 * 86400
"""A week: who wants runs further apart spreads the schedules themselves."""
_MAX_CRON_CHARS = 200
"""The longest sensible expression lists all minutes of an hour."""
_CRON_FIELDS = 5
"""Minute, hour, day of the month, month, day of the week; seconds in a sixth would ask sites without end."""
_CRON_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


class OverlapPolicy(enum.StrEnum):
    """What happens where a run is due and the one before has not come to its end."""

    SKIP = "skip"
    """This run is left out."""
    QUEUE = "queue"
    """It waits for the one before."""
    REPLACE = "replace"
    """The one before is cancelled; what it captured stays."""


@dataclass(frozen=True, slots=True)
class EveryInterval:
    """Every so many seconds from a moment on, whatever clocks on walls do meanwhile."""

    seconds: int
    since: Moment


@dataclass(frozen=True, slots=True)
class CronTimes:
    """Times of the day and the calendar, by a cron expression of five fields; summer time as Debian's cron has it."""

    expression: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """When something is done again and again."""

    id: str
    times: EveryInterval | CronTimes
    zone: str = "UTC"
    jitter_seconds: int = 0
    blackouts: tuple[BlackoutHours, ...] = ()
    until: Moment | None = None
    overlap: OverlapPolicy = OverlapPolicy.SKIP

    def __post_init__(self) -> None:
        load_zone(self.zone)
        check_blackouts(self.blackouts)
        if not 0 <= self.jitter_seconds <= _MAX_JITTER_SECONDS:
            raise UsageError("jitter is from 0 seconds to a week; write 10m")


@lru_cache(1024)
def load_zone(name: str) -> ZoneInfo:
    """A time zone by its name in the IANA database."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"there is no time zone {name[:60]!r}; write one such as Europe/Berlin or UTC") from error


def parse_times(text: str, since: Moment) -> EveryInterval | CronTimes:
    """Times as people write them: `every 6h`, or the five fields of cron such as `30 2 * * mon`, or `@daily`."""
    words = text.strip()
    if words.lower().startswith("every "):
        return EveryInterval(parse_duration(words[len("every ") :]), since)
    expression = _CRON_NICKNAMES.get(words.lower(), words)
    check_cron(expression)
    return CronTimes(expression)


def parse_duration(text: str) -> int:
    """Seconds as people write them: `90s`, `10m`, `6h`, `1d`, `2w`."""
    number, unit = text.strip()[:-1].strip(), text.strip()[-1:].lower()
    if not number.isdecimal() or len(number) > 9 or unit not in _UNITS:
        raise UsageError(f"not a time: {text[:60]!r}; write 10m, 6h, 1d or 2w")
    seconds = int(number) * _UNITS[unit]
    if not _MIN_INTERVAL_SECONDS <= seconds <= _MAX_INTERVAL_SECONDS:
        raise UsageError(f"{text[:60]} is not between a minute and ten years; write 10m, 6h, 1d or 2w")
    return seconds


def parse_jitter(text: str) -> int:
    """How far runs are spread, in seconds; `0` for not at all."""
    return 0 if text.strip() == "0" else parse_duration(text)


def parse_blackouts(texts: Sequence[str]) -> tuple[BlackoutHours, ...]:
    """Several blackout hours."""
    return tuple(map(parse_blackout, texts))


def check_cron(expression: str) -> None:
    """Refuse what is no cron expression, or one that never comes true."""
    shown = expression[:80]
    from cronsim import CronSim, CronSimError

    try:
        if len(expression) > _MAX_CRON_CHARS:
            raise CronSimError("it is too long")  # noqa: TRY301
        if len(expression.split()) != _CRON_FIELDS:
            raise CronSimError("it has not five fields")  # noqa: TRY301
        first = next(CronSim(expression, datetime(2000, 1, 1, tzinfo=UTC)), None)
    except CronSimError as error:
        raise UsageError(f"not cron: {shown!r} ({error}); write five fields such as 30 2 * * mon-fri") from error
    if first is None:
        raise UsageError(f"cron {shown!r} is never due; write five fields such as 30 2 * * mon-fri")
