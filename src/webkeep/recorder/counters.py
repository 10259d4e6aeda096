"""Counters: what can become of the responses that pass the middleware (recorded, unchanged, dropped, private and so
on), and how many did.
"""

from __future__ import annotations

import enum
import itertools
import threading
from collections.abc import Callable, Mapping


class RecordingOutcome(enum.StrEnum):
    """What can become of an answer that might have been recorded."""

    RECORDED = "recorded"
    UNCHANGED = "unchanged"
    """It was the one recorded last."""
    DROPPED = "dropped"
    """Too much was waiting already."""
    FAILED = "failed"
    """The archive could not take it."""
    PRIVATE = "private"
    LEFT_OUT = "left-out"
    """A rule, the share, the gap, or an error at a URL that never answered well."""
    TOO_LARGE = "too-large"
    CUT = "cut"
    """It broke off, or its client went away, before it was whole."""


class OutcomeCounters:
    """Counts from any thread."""

    __slots__ = ("_asked", "_counts", "_lock", "note_unchanged")

    def __init__(self) -> None:
        self._counts = dict.fromkeys(RecordingOutcome, 0)
        self._lock = threading.Lock()
        self._asked = 0
        self.note_unchanged: Callable[[], int] = itertools.count().__next__
        """Counts one more that is unchanged: in one step that needs no lock, because it is what happens most."""

    def add(self, what: RecordingOutcome) -> int:
        """Count one more; says how many there are now."""
        with self._lock:
            self._counts[what] = number = self._counts[what] + 1
        return number

    def counts(self) -> Mapping[RecordingOutcome, int]:
        """All counts at this moment."""
        with self._lock:
            counts = dict(self._counts)
            # The only way to ask such a counter is to have it count.
            counts[RecordingOutcome.UNCHANGED] += self.note_unchanged() - self._asked
            self._asked += 1
            return counts
