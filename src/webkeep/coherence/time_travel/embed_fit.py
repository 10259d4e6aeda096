"""Temporal coherence of a page and what it embeds: which held version of a resource fits the page best, and how well,
from coherent over possibly coherent and probably violative to violative.

A page was seen at one moment, and the resources it shows at others. What is known of a resource at the page's moment
gives four classes:

- coherent: it was what is shown. It was seen the same before and after, or at the very moment; or it was seen after
  it, with a date of last change before it.
- possibly coherent: it was seen before, and nothing is known of what came between.
- probably violative: it was seen only after, or another version was seen between.
- violative: it was another. It changed last after the page's moment, by its date; or another version was there.

A date of last change counts if it can be true: not after the sighting, not before a sighting of another version, and
further from the page's moment than clocks may differ.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.coherence.sightings.seen_versions import fill_not_modified
from webkeep.coherence.sightings.sighting import Sighting
from webkeep.coherence.sightings.sighting_comparison import MAX_CLOCK_SKEW_SECONDS, Sameness, compare_sightings
from webkeep.model import Moment


class TemporalFit(enum.StrEnum):
    """How well a version of a resource fits the moment of a page."""

    COHERENT = "coherent"
    POSSIBLY_COHERENT = "possibly-coherent"
    PROBABLY_VIOLATIVE = "probably-violative"
    VIOLATIVE = "violative"


class FitGround(enum.IntEnum):
    """Why a version was chosen; the better first."""

    PROVEN = 0
    """Seen the same before the page's moment and after it."""
    DATED = 1
    """Seen after it, and not changed since before it, by its date."""
    SAME_CAPTURE = 2
    NEAREST = 3
    LEFT = 4
    """Known to be another one, and the best there is."""


@dataclass(frozen=True, slots=True)
class FittingChoice:
    """The sighting to show with a page."""

    place: int
    """Its number among the sightings given."""
    fit: TemporalFit
    ground: FitGround


def choose_sighting(page: Moment, sightings: Sequence[Sighting], capture: str = "") -> FittingChoice | None:
    """The sighting that fits a page of some moment, and of some capture, best; None where there is nothing to show.

    Sightings may come in any order. What was missing or in trouble is evidence, and is not chosen.
    """
    moments = _SightingsAround(page, sightings)
    candidates = (
        (_choice_rank(page, sightings[place], run, fit, capture), place, fit)
        for run, fit in moments.judge_runs()
        for place in run.places
        if sightings[place].is_present
    )
    best = min(candidates, default=None)
    return None if best is None else FittingChoice(best[1], best[2], FitGround(best[0][0]))


def judge_fit(page: Moment, sightings: Sequence[Sighting], place: int) -> TemporalFit:
    """How well one of the sightings of a resource fits a page, by what all of them say."""
    for run, fit in _SightingsAround(page, sightings).judge_runs():
        if place in run.places:
            return fit
    return TemporalFit.PROBABLY_VIOLATIVE


def _choice_rank(
    page: Moment, sighting: Sighting, run: _SameRun, fit: TemporalFit, capture: str
) -> tuple[int, int, Moment]:
    if run.first <= page <= run.last:
        ground = FitGround.PROVEN
    elif fit is TemporalFit.COHERENT:
        ground = FitGround.DATED
    elif fit is TemporalFit.VIOLATIVE:
        ground = FitGround.LEFT
    else:
        ground = FitGround.SAME_CAPTURE if capture and sighting.capture == capture else FitGround.NEAREST
    return ground, abs(sighting.moment.micros - page.micros), sighting.moment


@dataclass(frozen=True, slots=True)
class _SameRun:
    """Sightings on end that were the same."""

    places: tuple[int, ...]
    first: Moment
    last: Moment
    since: Moment
    """From when on it was certainly so, dates considered."""
    not_before: Moment | None
    """Before this it was certainly another, by its date."""
    level: int
    """Runs of different levels are known to differ from what lies between them."""


class _SightingsAround:
    """The sightings of a resource in the order of time, seen from the moment of a page."""

    def __init__(self, page: Moment, sightings: Sequence[Sighting]) -> None:
        self._page = page
        self._runs = list(_group_runs(sightings))

    def judge_runs(self) -> Iterator[tuple[_SameRun, TemporalFit]]:
        """Every run, and how it fits."""
        page = self._page
        holder = next((run for run in self._runs if run.since <= page <= run.last), None)
        latest = max((run.level for run in self._runs if run.first <= page), default=-1)
        for run in self._runs:
            yield run, self._judge_run(run, holder, latest)

    def _judge_run(self, run: _SameRun, holder: _SameRun | None, latest: int) -> TemporalFit:
        if holder is not None:
            if run is holder:
                return TemporalFit.COHERENT
            return TemporalFit.VIOLATIVE if run.level != holder.level else TemporalFit.PROBABLY_VIOLATIVE
        if run.not_before is not None and self._page < run.not_before:
            return TemporalFit.VIOLATIVE
        return (
            TemporalFit.POSSIBLY_COHERENT
            if run.last < self._page and run.level == latest
            else TemporalFit.PROBABLY_VIOLATIVE
        )


def _group_runs(sightings: Sequence[Sighting]) -> Iterator[_SameRun]:
    """The runs in the order of time."""
    order = sorted(
        (place for place, each in enumerate(sightings) if each.is_answer), key=lambda place: sightings[place].moment
    )
    places: list[int] = []
    level = 0
    before: Moment | None = None
    known: Sighting | None = None
    for place in order:
        sameness = Sameness.SAME if known is None else compare_sightings(known, sightings[place]).sameness
        if sameness is not Sameness.SAME:
            yield _build_run(places, sightings, level, before)
            before = sightings[places[-1]].moment
            level += sameness is not Sameness.UNKNOWN
            places = []
        places.append(place)
        known = fill_not_modified(known, sightings[place])
    if places:
        yield _build_run(places, sightings, level, before)


def _build_run(places: list[int], sightings: Sequence[Sighting], level: int, before: Moment | None) -> _SameRun:
    """The run of these sightings, after another one that was last seen at some moment."""
    first = sightings[places[0]].moment
    changed = sightings[places[0]].credible_modified_at
    if changed is not None and before is not None and changed < before:
        changed = None
    since, not_before = first, None
    if changed is not None:
        since = min(first, changed.plus(MAX_CLOCK_SKEW_SECONDS))
        not_before = changed.plus(-MAX_CLOCK_SKEW_SECONDS)
    return _SameRun(tuple(places), first, sightings[places[-1]].moment, since, not_before, level)
