"""Time travel by site: which capture answers for a moment, the nearest or the latest before it, by its reference moment
or a point of its own time; and which sighting of each of its pages.
"""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from webkeep.coherence.schedules.blur import TimeInterval
from webkeep.coherence.sightings.sighting import Sighting
from webkeep.coherence.sightings.sighting_comparison import Sameness, compare_sightings
from webkeep.errors import UsageError
from webkeep.model import Moment

# Time travel: which capture answers for a moment, and which of a page's two versions.


class MomentMapping(enum.StrEnum):
    """How a moment finds its capture."""

    LATEST_BEFORE = "latest-before"
    NEAREST = "nearest"


def capture_index_at(times: Sequence[float], moment: float, mapping: MomentMapping) -> int | None:
    """The index of the capture that answers for the moment; None before the first where only the past may answer."""
    _check_ascending(times)
    later = bisect_right(times, moment)
    if mapping is MomentMapping.LATEST_BEFORE:
        return later - 1 if later else None
    around = [index for index in (later - 1, later) if 0 <= index < len(times)]
    return min(around, key=lambda index: (abs(times[index] - moment), index), default=None)


def capture_intervals(
    times: Sequence[float], mapping: MomentMapping, horizon: TimeInterval | None = None
) -> list[TimeInterval]:
    """The moments that each capture answers for: with its start, up to the start of the next.

    With nearest, a moment half-way between two captures is the earlier one's.
    """
    _check_ascending(times)
    limits = horizon or TimeInterval(-inf, inf)
    if mapping is MomentMapping.LATEST_BEFORE:
        starts = list(times)
    else:
        starts = [limits.start] + [(before + after) / 2 for before, after in pairwise(times)]
    edges = [min(max(edge, limits.start), limits.end) for edge in [*starts[: len(times)], limits.end]]
    return [TimeInterval(start, end) for start, end in pairwise(edges)]


def nearer_version(visit: float, revisit: float, moment: float) -> float:
    """The time of the version that is nearer to the moment; of the visit where both are as near."""
    return visit if abs(visit - moment) <= abs(revisit - moment) else revisit


def _check_ascending(times: Sequence[float]) -> None:
    if any(before >= after for before, after in pairwise(times)):
        raise UsageError("captures are given out of order; sort them by time, each time once")


class ReferencePoint(enum.StrEnum):
    """Which moment of its own time a capture without a reference moment stands for."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True)
class CaptureSpan:
    """The time of a capture: its first and last sighting, and the moment it was coherent for, if any."""

    capture: str
    began: Moment
    ended: Moment
    reference: Moment | None = None

    def reference_moment(self, point: ReferencePoint = ReferencePoint.MIDDLE) -> Moment:
        """The moment the capture stands for."""
        if self.reference is not None:
            return self.reference
        match point:
            case ReferencePoint.START:
                return self.began
            case ReferencePoint.MIDDLE:
                return Moment((self.began.micros + self.ended.micros) // 2)
            case ReferencePoint.END:
                return self.ended


def choose_capture(
    captures: Iterable[CaptureSpan],
    moment: Moment,
    mapping: MomentMapping = MomentMapping.NEAREST,
    point: ReferencePoint = ReferencePoint.MIDDLE,
) -> CaptureSpan | None:
    """The capture that answers for a moment; of several that stand for the same one, the one that began last."""
    by_moment = {
        each.reference_moment(point).micros: each
        for each in sorted(captures, key=lambda each: (each.began, each.capture))
    }
    times = sorted(by_moment)
    place = capture_index_at(times, moment.micros, mapping)
    return None if place is None else by_moment[times[place]]


@dataclass(frozen=True, slots=True)
class PageSighting:
    """The sighting of a page that answers for a moment."""

    place: int
    """Its number among the sightings given."""
    is_proven: bool
    """Whether the page was seen to be the same before the moment and after it, or at it."""


def choose_sighting_at(sightings: Sequence[Sighting], moment: Moment) -> PageSighting | None:
    """The sighting nearest to a moment, the earlier one where two are as near; None where there is no answer."""
    answers = sorted(
        (place for place, each in enumerate(sightings) if each.is_answer), key=lambda place: sightings[place].moment
    )
    if not answers:
        return None
    later = bisect_left(answers, moment, key=lambda place: sightings[place].moment)
    around = answers[max(later - 1, 0) : later + 1]
    nearest = min(around, key=lambda place: abs(sightings[place].moment.micros - moment.micros))
    if sightings[nearest].moment == moment:
        return PageSighting(nearest, True)
    is_between = len(around) == 2 and sightings[around[0]].moment < moment < sightings[around[1]].moment
    same = is_between and compare_sightings(*(sightings[place] for place in around)).sameness is Sameness.SAME
    return PageSighting(nearest, same)
