"""What time it is for all workers of a cluster: the database's clock, carried on by one of this machine that nobody can
set. A machine whose own clock is an hour off has the same time as all others.
"""

from __future__ import annotations

import time

from webkeep.model import Moment


def steady_micros() -> int:
    """Microseconds of a clock that starts with the machine, goes on while it sleeps, and cannot be set."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


class DatabaseClock:
    """Tells the present moment by what the database said last."""

    def __init__(self, told: Moment, asked_at: int, answered_at: int) -> None:
        """The database told its moment between these two of the steady clock."""
        self._offset = told.micros - (asked_at + answered_at) // 2

    def now(self) -> Moment:
        """The present moment."""
        return Moment(steady_micros() + self._offset)
