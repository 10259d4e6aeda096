"""Blur, as SHARC has it: how many changes lie between what is stored and what there was when somebody asks; to be
expected by change rates, or counted from the changes that happened.

The moment asked for may be anything in the observation interval. Expected blur follows from change rates, actual blur
from the changes that happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.coherence.schedules.schedule import VisitSchedule
from webkeep.errors import UsageError


@dataclass(frozen=True, slots=True)
class TimeInterval:
    """A stretch of time, ends included."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not self.start <= self.end:
            raise UsageError(f"an interval from {self.start} to {self.end} ends before it begins; exchange its ends")

    @property
    def length(self) -> float:
        """From start to end."""
        return self.end - self.start

    @property
    def middle(self) -> float:
        """Half-way from start to end."""
        return (self.start + self.end) / 2

    def __contains__(self, time: float) -> bool:
        return self.start <= time <= self.end


def visit_penalty(time: float, seen: TimeInterval) -> float:
    """The distance of a download from all moments of an interval, summed up; hot pages want it small."""
    if time in seen:
        return (time - seen.middle) ** 2 + seen.length**2 / 4
    return seen.length * abs(time - seen.middle)


def revisit_penalty(visit: float, revisit: float, seen: TimeInterval) -> float:
    """The distance of the nearer of two downloads from all moments of an interval, summed up."""
    between = (visit + revisit) / 2
    halves = (
        (visit, TimeInterval(seen.start, min(max(between, seen.start), seen.end))),
        (
            revisit,
            TimeInterval(min(max(between, seen.start), seen.end), seen.end),
        ),
    )
    return sum(visit_penalty(time, half) for time, half in halves)


def expected_page_blur(rate: float, visit: float, revisit: float, seen: TimeInterval) -> float:
    """The changes to expect between a moment of the interval and the version that is nearer to it."""
    if seen.length == 0:
        return rate * min(abs(seen.start - visit), abs(seen.start - revisit))
    if visit == revisit:
        return rate * visit_penalty(visit, seen) / seen.length
    return rate * revisit_penalty(visit, revisit, seen) / seen.length


def expected_blur(
    rates: Sequence[float],
    schedule: VisitSchedule,
    seen: TimeInterval | None = None,
    weights: Sequence[float] | None = None,
) -> float:
    """The expected blur of a capture, the sum over its pages; asked about in its own time unless `seen` says when."""
    observed = seen or capture_interval(schedule)
    times = schedule.times()
    factors = weights or [1.0] * len(rates)
    return sum(
        weight * expected_page_blur(rate, visit, revisit, observed)
        for weight, rate, (visit, revisit) in zip(factors, rates, times, strict=True)
    )


def expected_average_blur(rates: Sequence[float], schedule: VisitSchedule, seen: TimeInterval | None = None) -> float:
    """The expected blur of a page of the capture."""
    return expected_blur(rates, schedule, seen) / len(rates) if rates else 0.0


def blur_bounds(rates: Sequence[float], duration: float) -> TimeInterval:
    """Between what any order of single visits must lie."""
    total = sum(rates)
    return TimeInterval(duration * total / 4, duration * total / 2)


def capture_interval(schedule: VisitSchedule) -> TimeInterval:
    """The capture's own time, from the first request to the last."""
    return TimeInterval(0.0, schedule.geometry.duration)


def actual_page_blur(changes: Iterable[float], visit: float, revisit: float, seen: TimeInterval) -> float:
    """The changes that lay, on average, between a moment of the interval and the version nearer to it."""
    if seen.length == 0:
        near = visit if abs(seen.start - visit) <= abs(seen.start - revisit) else revisit
        return float(sum(1 for change in changes if min(near, seen.start) < change <= max(near, seen.start)))
    between = (visit + revisit) / 2
    return sum(_misled_time(change, visit, between, revisit, seen) for change in changes) / seen.length


def _misled_time(change: float, visit: float, between: float, revisit: float, seen: TimeInterval) -> float:
    """For how long moments asked about have this change between them and the version they get."""
    if change <= visit:
        held = min(change, between) - seen.start
    elif change <= between:
        held = min(between, seen.end) - max(change, seen.start)
    elif change <= revisit:
        held = min(change, seen.end) - max(between, seen.start)
    else:
        held = seen.end - max(change, seen.start)
    return min(max(held, 0.0), seen.length)


def actual_blur(
    histories: Sequence[Iterable[float]], schedule: VisitSchedule, seen: TimeInterval | None = None
) -> float:
    """The blur of a capture, the sum over its pages, by the changes that really happened."""
    observed = seen or capture_interval(schedule)
    return sum(
        actual_page_blur(changes, visit, revisit, observed)
        for changes, (visit, revisit) in zip(histories, schedule.times(), strict=True)
    )
