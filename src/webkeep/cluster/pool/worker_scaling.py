"""How many workers a capture is to have now: enough for all its hosts, more where those that there are have their
processors full, fewer when there is less to do. Pure: the load and the moment are handed in.

Adding is quick and taking away slow: a worker takes seconds to start, and a site that was just begun shows only later
how many hosts it leads to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from webkeep.errors import UsageError

_FULL_SHARE = 0.85
"""A worker whose processor is busy for so much of the time asks its hosts later than it could."""
_EASY_SHARE = 0.5
"""Workers that would be no busier than this with one fewer can do with one fewer."""
_SETTLE_SECONDS = 10.0
"""After a worker was added for the sake of the others' processors, so long it is waited what that brings."""
_PATIENCE_SECONDS = 15.0
"""For so long fewer must be enough before one is taken away."""


@dataclass(frozen=True, slots=True)
class PoolBounds:
    """How many workers there may be, and how many hosts each may have at once."""

    least: int
    most: int
    hosts: int

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise UsageError(f"there cannot be {self.least} to {self.most} workers; say --workers 4, or --workers 2-8")
        if self.hosts < 1:
            raise UsageError(f"--hosts cannot be {self.hosts}; give it one at least")

    @classmethod
    def parse(cls, text: str, hosts: int) -> PoolBounds:
        """Read `4`, or `2-8`."""
        least, dash, most = text.partition("-")
        if not (least.isdecimal() and (most.isdecimal() or not dash)):
            raise UsageError(f"{text!r} is no number of workers; say --workers 4, or --workers 2-8")
        return cls(int(least), int(most or least), hosts)

    @property
    def room(self) -> int:
        """How many hosts all workers together can have."""
        return self.most * self.hosts


class WorkerScaling:
    """Decides how many workers are wanted, and remembers since when fewer would do."""

    def __init__(self, bounds: PoolBounds) -> None:
        self._bounds = bounds
        self._added_at = -math.inf
        self._enough_since: float | None = None

    def count_wanted(self, hosts: int, workers: int, busy_share: float, now: float) -> int:
        """How many workers there should be, with so many hosts to be asked, when those there are are so busy."""
        bounds = self._bounds
        needed = max(bounds.least, min(bounds.most, math.ceil(hosts / bounds.hosts)))
        if needed > workers:
            self._enough_since = None
            return needed
        if busy_share >= _FULL_SHARE and workers < min(bounds.most, hosts):
            self._enough_since = None
            if now - self._added_at < _SETTLE_SECONDS:
                return workers
            self._added_at = now
            return workers + 1
        if needed == workers or busy_share * workers > _EASY_SHARE * (workers - 1):
            self._enough_since = None
            return workers
        if self._enough_since is None:
            self._enough_since = now
        if now - self._enough_since < _PATIENCE_SECONDS:
            return workers
        self._enough_since = now
        return workers - 1
