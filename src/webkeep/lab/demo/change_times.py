"""When each resource of the demo site changes: Poisson processes that are a pure function of seed, start and path; how
old first versions are, and pages that change with what they show.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from heapq import merge

from webkeep.errors import UsageError
from webkeep.lab.demo.seeded_random import draw_exponential, stream_name
from webkeep.model import Moment

_DAY_MICROS = 86_400_000_000
_STILL_AGE_DAYS = 400
"""The mean age of what never changes, when the site begins."""
_MAX_GAP_MICROS = 1000 * 365 * _DAY_MICROS
"""However slowly a page changes, so far from the site's start there still are dates."""


class ChangeTimes:
    """The change moments of one resource after the start; known as far as anyone has asked.

    Gap k is a numbered draw, so what has been asked before never alters what comes after.
    """

    def __init__(self, seed: int, path: str, rate: float, start: Moment) -> None:
        self.rate = rate
        self._name = stream_name("changes", seed, path)
        self._start = start.micros
        self._moments = array("q")
        self._lock = threading.Lock()

    def count_changes(self, at: Moment) -> int:
        """How many changes had happened by then; this is the version's number."""
        self._extend(at.micros)
        return bisect_right(self._moments, at.micros)

    def changes_until(self, at: Moment) -> list[Moment]:
        """Every change up to and at that moment."""
        return [Moment(micros) for micros in self._moments[: self.count_changes(at)]]

    def version_start(self, version: int) -> Moment:
        """When that version came to be; version 0 is older than the start by a gap of the same kind."""
        if version == 0:
            return Moment(self._start - self._initial_age())
        with self._lock:
            while len(self._moments) < version:
                self._append()
        return Moment(self._moments[version - 1])

    def _initial_age(self) -> int:
        draw = draw_exponential(self._name, 0)
        mean_micros = 1e6 / self.rate if self.rate else _STILL_AGE_DAYS * _DAY_MICROS
        return round(min(draw * mean_micros, _MAX_GAP_MICROS))

    def _extend(self, micros: int) -> None:
        if not self.rate:
            return
        with self._lock:
            while self._last() <= micros:
                self._append()

    def _append(self) -> None:
        if not self.rate:
            raise UsageError("this page of the demo site never changes; it has only version 0")
        gap = min(draw_exponential(self._name, len(self._moments) + 1) * 1e6 / self.rate, _MAX_GAP_MICROS)
        self._moments.append(self._last() + max(1, round(gap)))

    def _last(self) -> int:
        return self._moments[-1] if self._moments else self._start


@dataclass(frozen=True, slots=True)
class CombinedChangeTimes:
    """The changes of a resource that shows others: it changes whenever one of them does."""

    parts: tuple[ChangeTimes, ...]

    @property
    def rate(self) -> float:
        """Poisson processes add up."""
        return sum(part.rate for part in self.parts)

    def count_changes(self, at: Moment) -> int:
        """How many changes had happened by then."""
        return sum(part.count_changes(at) for part in self.parts)

    def changes_until(self, at: Moment) -> list[Moment]:
        """Every change up to and at that moment."""
        return list(merge(*(part.changes_until(at) for part in self.parts)))

    def version_start(self, version: int) -> Moment:
        """When that version came to be: the moment by which so many changes had happened."""
        low = max(part.version_start(0) for part in self.parts).micros
        if version == 0:
            return Moment(low)
        step = 1_000_000
        while self.count_changes(Moment(low + step)) < version:
            step *= 2
        high = low + step
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.count_changes(Moment(middle)) >= version else (middle, high)
        return Moment(high)

    def latest_change(self, at: Moment) -> Moment:
        """The newest change by then; quicker than asking when the counted version began."""
        return max(part.version_start(part.count_changes(at)) for part in self.parts)
