"""Time travel by site: which capture answers for a moment, and which sighting of each of its pages."""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.coherence.comparing import Sameness, compared
from webkeep.coherence.sighting import Sighting
from webkeep.coherence.timeline import Mapping, capture_at
from webkeep.model import Moment


class Point(enum.StrEnum):
    """Which moment of its own time a capture without a reference moment stands for."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True)
class Span:
    """The time of a capture: its first and last sighting, and the moment it was coherent for, if any."""

    capture: str
    began: Moment
    ended: Moment
    reference: Moment | None = None

    def moment(self, point: Point = Point.MIDDLE) -> Moment:
        """The moment the capture stands for."""
        if self.reference is not None:
            return self.reference
        match point:
            case Point.START:
                return self.began
            case Point.MIDDLE:
                return Moment((self.began.micros + self.ended.micros) // 2)
            case Point.END:
                return self.ended


def capture_as_of(
    captures: Iterable[Span], moment: Moment, mapping: Mapping = Mapping.NEAREST, point: Point = Point.MIDDLE
) -> Span | None:
    """The capture that answers for a moment; of several that stand for the same one, the one that began last."""
    by_moment = {
        each.moment(point).micros: each for each in sorted(captures, key=lambda each: (each.began, each.capture))
    }
    times = sorted(by_moment)
    place = capture_at(times, moment.micros, mapping)
    return None if place is None else by_moment[times[place]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The sighting of a page that answers for a moment."""

    place: int
    """Its number among the sightings given."""
    is_proven: bool
    """Whether the page was seen to be the same before the moment and after it, or at it."""


def seen_as_of(sightings: Sequence[Sighting], moment: Moment) -> Seen | None:
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
        return Seen(nearest, True)
    is_between = len(around) == 2 and sightings[around[0]].moment < moment < sightings[around[1]].moment
    same = is_between and compared(*(sightings[place] for place in around)).sameness is Sameness.SAME
    return Seen(nearest, same)
