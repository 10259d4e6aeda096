"""Time travel: which capture answers for a moment, and which of a page's two versions."""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from webkeep.coherence.blur import Interval
from webkeep.errors import UsageError


class Mapping(enum.StrEnum):
    """How a moment finds its capture."""

    LATEST_BEFORE = "latest-before"
    NEAREST = "nearest"


def capture_at(times: Sequence[float], moment: float, mapping: Mapping) -> int | None:
    """The index of the capture that answers for the moment; None before the first where only the past may answer."""
    _ascending(times)
    later = bisect_right(times, moment)
    if mapping is Mapping.LATEST_BEFORE:
        return later - 1 if later else None
    around = [index for index in (later - 1, later) if 0 <= index < len(times)]
    return min(around, key=lambda index: (abs(times[index] - moment), index), default=None)


def observation_intervals(times: Sequence[float], mapping: Mapping, horizon: Interval | None = None) -> list[Interval]:
    """The moments that each capture answers for: with its start, up to the start of the next.

    With nearest, a moment half-way between two captures is the earlier one's.
    """
    _ascending(times)
    limits = horizon or Interval(-inf, inf)
    if mapping is Mapping.LATEST_BEFORE:
        starts = list(times)
    else:
        starts = [limits.start] + [(before + after) / 2 for before, after in pairwise(times)]
    edges = [min(max(edge, limits.start), limits.end) for edge in [*starts[: len(times)], limits.end]]
    return [Interval(start, end) for start, end in pairwise(edges)]


def version_at(visit: float, revisit: float, moment: float) -> float:
    """The time of the version that is nearer to the moment; of the visit where both are as near."""
    return visit if abs(visit - moment) <= abs(revisit - moment) else revisit


def _ascending(times: Sequence[float]) -> None:
    if any(before >= after for before, after in pairwise(times)):
        raise UsageError("captures are given out of order; sort them by time, each time once")
