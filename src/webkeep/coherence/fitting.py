"""Which held version of an embedded resource fits a page best, and how well it does.

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

from webkeep.coherence.comparing import CLOCKS_APART, Sameness, compared
from webkeep.coherence.sighting import Sighting
from webkeep.coherence.version import carried
from webkeep.model import Moment


class Fit(enum.StrEnum):
    """How well a version of a resource fits the moment of a page."""

    COHERENT = "coherent"
    POSSIBLY_COHERENT = "possibly-coherent"
    PROBABLY_VIOLATIVE = "probably-violative"
    VIOLATIVE = "violative"


class Ground(enum.IntEnum):
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
class Choice:
    """The sighting to show with a page."""

    place: int
    """Its number among the sightings given."""
    fit: Fit
    ground: Ground


def chosen(page: Moment, sightings: Sequence[Sighting], capture: str = "") -> Choice | None:
    """The sighting that fits a page of some moment, and of some capture, best; None where there is nothing to show.

    Sightings may come in any order. What was missing or in trouble is evidence, and is not chosen.
    """
    moments = _Moments(page, sightings)
    candidates = (
        (_rank(page, sightings[place], run, fit, capture), place, fit)
        for run, fit in moments.fits()
        for place in run.places
        if sightings[place].is_there
    )
    best = min(candidates, default=None)
    return None if best is None else Choice(best[1], best[2], Ground(best[0][0]))


def fit_of(page: Moment, sightings: Sequence[Sighting], place: int) -> Fit:
    """How well one of the sightings of a resource fits a page, by what all of them say."""
    for run, fit in _Moments(page, sightings).fits():
        if place in run.places:
            return fit
    return Fit.PROBABLY_VIOLATIVE


def _rank(page: Moment, sighting: Sighting, run: _Run, fit: Fit, capture: str) -> tuple[int, int, Moment]:
    if run.first <= page <= run.last:
        ground = Ground.PROVEN
    elif fit is Fit.COHERENT:
        ground = Ground.DATED
    elif fit is Fit.VIOLATIVE:
        ground = Ground.LEFT
    else:
        ground = Ground.SAME_CAPTURE if capture and sighting.capture == capture else Ground.NEAREST
    return ground, abs(sighting.moment.micros - page.micros), sighting.moment


@dataclass(frozen=True, slots=True)
class _Run:
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


class _Moments:
    """The sightings of a resource in the order of time, seen from the moment of a page."""

    def __init__(self, page: Moment, sightings: Sequence[Sighting]) -> None:
        self._page = page
        self._runs = list(_runs(sightings))

    def fits(self) -> Iterator[tuple[_Run, Fit]]:
        """Every run, and how it fits."""
        page = self._page
        holder = next((run for run in self._runs if run.since <= page <= run.last), None)
        latest = max((run.level for run in self._runs if run.first <= page), default=-1)
        for run in self._runs:
            yield run, self._fit(run, holder, latest)

    def _fit(self, run: _Run, holder: _Run | None, latest: int) -> Fit:
        if holder is not None:
            if run is holder:
                return Fit.COHERENT
            return Fit.VIOLATIVE if run.level != holder.level else Fit.PROBABLY_VIOLATIVE
        if run.not_before is not None and self._page < run.not_before:
            return Fit.VIOLATIVE
        return Fit.POSSIBLY_COHERENT if run.last < self._page and run.level == latest else Fit.PROBABLY_VIOLATIVE


def _runs(sightings: Sequence[Sighting]) -> Iterator[_Run]:
    """The runs in the order of time."""
    order = sorted(
        (place for place, each in enumerate(sightings) if each.is_answer), key=lambda place: sightings[place].moment
    )
    places: list[int] = []
    level = 0
    before: Moment | None = None
    known: Sighting | None = None
    for place in order:
        sameness = Sameness.SAME if known is None else compared(known, sightings[place]).sameness
        if sameness is not Sameness.SAME:
            yield _run(places, sightings, level, before)
            before = sightings[places[-1]].moment
            level += sameness is not Sameness.UNKNOWN
            places = []
        places.append(place)
        known = carried(known, sightings[place])
    if places:
        yield _run(places, sightings, level, before)


def _run(places: list[int], sightings: Sequence[Sighting], level: int, before: Moment | None) -> _Run:
    """The run of these sightings, after another one that was last seen at some moment."""
    first = sightings[places[0]].moment
    changed = sightings[places[0]].changed_at
    if changed is not None and before is not None and changed < before:
        changed = None
    since, not_before = first, None
    if changed is not None:
        since = min(first, changed.plus(CLOCKS_APART))
        not_before = changed.plus(-CLOCKS_APART)
    return _Run(tuple(places), first, sightings[places[-1]].moment, since, not_before, level)
