"""How often the pages of a series change: the distribution of rates, what they let expect of the last capture beside
what came, and the blur of a capture.

Theory of operation. The rate of a URL follows from how long it stayed the same and between which looks it changed. URLs
with the same history to three digits are counted together, so that a million of them take little memory, and rates are
computed at the end, when the mean of the site is known, which stands in for pages that were looked at a few times only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, floor, log10

from webkeep.change.rates import Poll, hinted_rate
from webkeep.coherence.schedules import TimeInterval, expected_page_blur
from webkeep.model import Moment, VisitKind
from webkeep.quality.report.capture_series import CaptureSeries, SeriesCapture
from webkeep.quality.report.url_course import SeriesChange, UrlCourse, compare_looks, is_there
from webkeep.store.views import UrlLook

_HINT_WEIGHT = 0.5
"""How many changes the mean of the site is worth against what was seen of a page."""
_MAX_CHANGES_A_HISTORY = 50
"""Changes of one URL that are told apart; its rate is known well by then."""
_FALLBACK_RATE = 1e-9
"""Changes a second, where none was ever seen: one in thirty years."""
_PROBABILITY_BINS = 10
"""Tenths of a probability: fine enough to see where expectations are off."""
_SECONDS = 1e6
"""Microseconds in a second."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Pages that were likely to change in about the same degree, and how many did."""

    low: float
    high: float
    pages: int
    expected: float
    observed: int


@dataclass(frozen=True, slots=True)
class RateFigures:
    """What rates say of a series."""

    rated: int = 0
    """URLs that were looked at twice or more."""
    mean_interval_seconds: float | None = None
    """Between two changes of a page, on average over all; None where no change was seen."""
    distribution: tuple[tuple[str, int], ...] = ()
    """URLs by how often they change."""
    predicted: int = 0
    """URLs with a history before the last capture, of which it was expected what they would do."""
    expected_changes: float = 0.0
    observed_changes: int = 0
    reliability: tuple[ReliabilityBin, ...] = ()
    blur: float | None = None
    """Changes to expect between what is held of a resource and what there was at a moment of the capture; the mean."""
    blur_resources: int = 0
    blur_before: float | None = None
    """The same of the capture before, by the same rates."""


_RATE_CLASSES = (
    ("several times an hour", 3600.0),
    ("several times a day", 86_400.0),
    ("several times a week", 7 * 86_400.0),
    ("several times a month", 30 * 86_400.0),
    ("several times a year", 365 * 86_400.0),
    ("more rarely", float("inf")),
)
"""By the mean time between two changes."""
NO_CHANGE_SEEN = "no change seen"

_History = tuple[int, float, float]
"""Changes seen, seconds that saw a change, seconds that saw none."""


@dataclass(slots=True)
class _HistoryGroup:
    """URLs with one history."""

    count: int = 0
    penalty: float = 0.0
    """The blur that a rate of one change a second would give, summed up."""
    blurred: int = 0
    penalty_before: float = 0.0
    """The same of the capture before."""
    blurred_before: int = 0
    outcomes: dict[float, list[int]] = field(default_factory=dict)
    """By the seconds up to the look of the last capture: how many URLs, and how many of them changed."""


class RateSurvey:
    """Gathers histories, one URL at a time."""

    def __init__(self, series: CaptureSeries) -> None:
        self._place = len(series.captures) - 1
        self._subject = series.captures[-1] if series.captures else None
        self._capture_before = series.captures[-2] if len(series.captures) > 1 else None
        self._number = self._subject.number if self._subject else None
        self._whole: dict[_History, _HistoryGroup] = {}
        self._before: dict[_History, _HistoryGroup] = {}

    def add(self, course: UrlCourse) -> None:
        """Take in what was seen of a URL."""
        there = [look for look in course.looks if is_there(look)]
        polls = [
            ((after.micros - before.micros) / _SECONDS, compare_looks(before, after))
            for before, after in pairwise(there)
        ]
        group = self._whole.setdefault(_history_of(polls), _HistoryGroup())
        if polls:
            group.count += 1
        if (penalty := _blur_penalty(there, self._subject)) is not None:
            group.penalty += penalty
            group.blurred += 1
        if (penalty := _blur_penalty(there, self._capture_before)) is not None:
            group.penalty_before += penalty
            group.blurred_before += 1
        ahead = next((place for place, look in enumerate(there) if look.capture == self._number), 0)
        if ahead >= 2 and len(polls) >= ahead:
            self._add_outcome(polls, ahead)

    def _add_outcome(self, polls: list[tuple[float, SeriesChange]], ahead: int) -> None:
        """What came of a URL in the last capture, with what was known before."""
        length, change = polls[ahead - 1]
        if change is SeriesChange.UNKNOWN:
            return
        group = self._before.setdefault(_history_of(polls[: ahead - 1]), _HistoryGroup())
        counts = group.outcomes.setdefault(_round(length), [0, 0])
        counts[0] += 1
        counts[1] += change is SeriesChange.CHANGED

    def figures(self) -> RateFigures:
        """What all of it comes to."""
        changes = sum(history[0] * group.count for history, group in self._whole.items())
        seconds = sum((history[1] + history[2]) * group.count for history, group in self._whole.items())
        hint = changes / seconds if changes and seconds else _FALLBACK_RATE
        blurred = sum(group.blurred for group in self._whole.values())
        blur = sum(_rate_of(history, hint) * group.penalty for history, group in self._whole.items())
        blurred_before = sum(group.blurred_before for group in self._whole.values())
        blur_before = sum(_rate_of(history, hint) * group.penalty_before for history, group in self._whole.items())
        bins, expected, observed = self._reliability(hint)
        return RateFigures(
            sum(group.count for group in self._whole.values()),
            1 / hint if changes else None,
            self._distribution(hint),
            sum(each.pages for each in bins),
            expected,
            observed,
            bins,
            blur / blurred if blurred and seconds else None,
            blurred,
            blur_before / blurred_before if blurred_before and seconds else None,
        )

    def _distribution(self, hint: float) -> tuple[tuple[str, int], ...]:
        counts = dict.fromkeys([*(name for name, _ in _RATE_CLASSES), NO_CHANGE_SEEN], 0)
        for history, group in self._whole.items():
            interval = 1 / _rate_of(history, hint)
            name = next(name for name, most in _RATE_CLASSES if interval < most or most == float("inf"))
            counts[name if history[0] else NO_CHANGE_SEEN] += group.count
        return tuple(counts.items())

    def _reliability(self, hint: float) -> tuple[tuple[ReliabilityBin, ...], float, int]:
        bins = [[0.0, 0.0, 0.0] for _ in range(_PROBABILITY_BINS)]
        for history, group in self._before.items():
            rate = _rate_of(history, hint)
            for length, (count, changed) in group.outcomes.items():
                likely = 1 - exp(-rate * length)
                row = bins[min(int(likely * _PROBABILITY_BINS), _PROBABILITY_BINS - 1)]
                row[0] += count
                row[1] += likely * count
                row[2] += changed
        step = 1 / _PROBABILITY_BINS
        made = tuple(
            ReliabilityBin(round(place * step, 3), round((place + 1) * step, 3), int(pages), expected, int(observed))
            for place, (pages, expected, observed) in enumerate(bins)
            if pages
        )
        return made, sum(each.expected for each in made), sum(each.observed for each in made)


def _blur_penalty(there: list[UrlLook], capture: SeriesCapture | None) -> float | None:
    """The blur of a resource in a capture at a rate of one change a second; None where the capture did not see it."""
    mine = [] if capture is None else [look for look in there if look.capture == capture.number]
    if capture is None or not mine:
        return None
    first = Moment(mine[0].micros).seconds_since(capture.first)
    again = mine[-1] if mine[-1].visit == VisitKind.REVISIT else mine[0]
    second = Moment(again.micros).seconds_since(capture.first)
    span = TimeInterval(0.0, capture.last.seconds_since(capture.first))
    return expected_page_blur(1.0, min(first, second), max(first, second), span)


def _history_of(polls: list[tuple[float, SeriesChange]]) -> _History:
    changed = [length for length, change in polls if change is SeriesChange.CHANGED]
    calm = sum(length for length, change in polls if change is SeriesChange.SAME)
    return min(len(changed), _MAX_CHANGES_A_HISTORY), _round(sum(changed)), _round(calm)


def _rate_of(history: _History, hint: float) -> float:
    changes, changed_seconds, calm_seconds = history
    polls = [Poll(changed_seconds / changes, changed=True)] * changes if changes else []
    return hinted_rate([*polls, Poll(calm_seconds, changed=False)], hint, _HINT_WEIGHT)


def _round(value: float) -> float:
    """Three digits of a number, so that histories which are nearly alike are counted together."""
    if value <= 0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - 2)
    return round(value / unit) * unit
