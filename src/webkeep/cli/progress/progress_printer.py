"""How progress is said, whatever it is of: how often to a terminal, a program (`--json`) and a log, and over how many
samples a rate is taken.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from webkeep.cli.output.console import Output

_REDRAW_SECONDS, _EVENT_SECONDS, _LOG_SECONDS = 0.3, 1.0, 10.0
"""Seconds between two words, to a terminal, a program and a log."""
_RATE_SAMPLES = 40
"""Snapshots that the rate is taken over: some twenty seconds, as there are about two a second."""


def report_interval(out: Output) -> float:
    """Seconds between two words to whoever is there."""
    return _EVENT_SECONDS if out.as_json else _REDRAW_SECONDS if out.is_watched else _LOG_SECONDS


class ProgressPrinter:
    """Says how far something is, as often as whoever is there wants to know."""

    def __init__(self, out: Output, interval_seconds: float | None = None, begins_due: bool = False) -> None:
        """What is shown is said every so many seconds, or as often as suits whoever is there; the first time at once
        where it `begins_due`.
        """
        self._out = out
        self._interval_seconds = report_interval(out) if interval_seconds is None else interval_seconds
        self._began = time.monotonic()
        self._printed_at = -math.inf if begins_due else self._began

    @property
    def seconds(self) -> float:
        """How long it goes on already."""
        return time.monotonic() - self._began

    def is_due(self) -> bool:
        """Whether something is to be said now; the next time is then an interval away."""
        now = time.monotonic()
        if now - self._printed_at < self._interval_seconds:
            return False
        self._printed_at = now
        return True

    def print_progress(self, facts: Callable[[], Mapping[str, object]], lines: Callable[[], Sequence[str]]) -> None:
        """Say how far it is: facts to a program, all lines to a terminal, the first one to a log."""
        if self._out.as_json:
            self._out.event("progress", **facts())
        elif self._out.is_watched:
            self._out.status("\n".join(lines()))
        else:
            self._out.note(lines()[0])

    def print_note(self, text: str) -> None:
        """Tell both what a person should know."""
        self._out.event("note", text=text)
        self._out.note(text)


class RateMeter:
    """How many come in a second, lately."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque(maxlen=_RATE_SAMPLES)

    def add(self, count: int) -> None:
        """Take note of how many there are by now; where it is fewer, something else is counted from now on."""
        if self._samples and count < self._samples[-1][1]:
            self._samples.clear()
        self._samples.append((time.monotonic(), count))

    @property
    def per_second(self) -> float:
        """The rate; 0.0 where it cannot be told yet."""
        if len(self._samples) < 2:
            return 0.0
        (then, before), (now, after) = self._samples[0], self._samples[-1]
        return (after - before) / (now - then) if now > then else 0.0

    def seconds_for(self, count: int) -> float:
        """How long so many take at this rate; 0.0 where that cannot be told."""
        rate = self.per_second
        return count / rate if rate else 0.0
