"""How fast a capture reads, lately: what stood still before, because it was paused, counts for nothing."""

from __future__ import annotations

from collections import deque

from webkeep.model import Moment

_SAMPLES = 20
"""Of which the oldest is let go: twice a second, so that the rate is that of ten seconds."""


class ReadingSpeed:
    """Bytes a second, out of how many there were when."""

    def __init__(self) -> None:
        self._samples: deque[tuple[Moment, int]] = deque(maxlen=_SAMPLES)

    def add(self, at: Moment, count: int) -> None:
        """Take note of how many there are by now."""
        self._samples.append((at, count))

    @property
    def per_second(self) -> float | None:
        """The rate; None where it cannot be told yet, or the clock was set back."""
        if not self._samples:
            return None
        (then, before), (now, after) = self._samples[0], self._samples[-1]
        seconds = now.seconds_since(then)
        return (after - before) / seconds if seconds > 0 else None
