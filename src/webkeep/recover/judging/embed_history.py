"""What is held of a part of pages in the course of time: which version goes with a page of some moment, and how likely
it is another one than the page showed.

A version that was there for sure goes before all others, and one that was not there for sure behind them; between
those the nearest is taken, for a change may lie anywhere between a version and the page. How likely it lies there is
told by the versions around: two equal ones on either side exclude it, two that differ make it as likely as the way to
the page is long, and where there is nothing on the other side it is as likely as the part changes often.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise
from math import exp
from typing import NamedTuple

from webkeep.coherence.sightings import Sighting
from webkeep.coherence.time_travel import TemporalFit, choose_sighting, judge_fit
from webkeep.model import Moment
from webkeep.recover.judging.version_ranking import AvailableVersion, VersionPreference, VersionTier, rank_key

_VERSIONS_AROUND = 3
"""How many versions on either side of a page's moment are looked at."""
_YEAR_MICROS = 365.25 * 86_400_000_000
_MONTH_MICROS = _YEAR_MICROS / 12


class ChosenVersion(NamedTuple):
    """A version that goes with a page."""

    version: AvailableVersion | None
    """None where none is held."""
    fit: TemporalFit | None = None
    """None where that cannot be said: one of both has no date."""
    doubt: float = 0.0
    """How likely it was another at the page's moment, where it is not known that it was."""


_NO_VERSION = ChosenVersion(None)


class EmbedHistory:
    """The versions of one part, by time."""

    __slots__ = ("_allowed", "_allowed_micros", "_evidence", "_moments", "_rate", "_undated")

    def __init__(self, versions: Sequence[AvailableVersion], preference: VersionPreference) -> None:
        usable = [each for each in versions if preference.period.covers(_moment_of(each))]
        best = min((_effective_tier(each, preference) for each in usable), default=VersionTier.WHOLE)
        top = [each for each in usable if _effective_tier(each, preference) == best]
        self._allowed = sorted((each for each in top if each.micros is not None), key=lambda each: each.micros or 0)
        self._allowed_micros = [each.micros or 0 for each in self._allowed]
        self._undated = min(
            (each for each in top if each.micros is None), key=lambda each: rank_key(each, preference), default=None
        )
        evidence = [(version, sighting) for version in versions if (sighting := version.sighting()) is not None]
        self._evidence = sorted(evidence, key=lambda each: each[1].moment)
        self._moments = [sighting.moment.micros for _, sighting in self._evidence]
        self._rate = _change_rate([sighting for _, sighting in self._evidence])

    def version_at(self, moment: Moment, among: Collection[int] | None = None) -> ChosenVersion:
        """The version that goes best with a page of this moment; `among` some, if they are given."""
        if not self._allowed and (self._undated is None or among is not None):
            return _NO_VERSION
        if not self._allowed:
            return ChosenVersion(self._undated)
        around = self._evidence_around(moment)
        sightings = [sighting for _, sighting in around]
        choice = choose_sighting(moment, sightings) if around else None
        if choice is not None and self._is_allowed(around[choice.place][0], among):
            version = around[choice.place][0]
            return ChosenVersion(version, choice.fit, self._change_probability(moment, version, choice.fit))
        return self._nearest_allowed(moment, around, among)

    def newest_version(self) -> ChosenVersion:
        """The newest version, for a page without a date."""
        return ChosenVersion(self._allowed[-1] if self._allowed else self._undated)

    def _is_allowed(self, version: AvailableVersion, among: Collection[int] | None) -> bool:
        place = bisect_left(self._allowed_micros, version.micros or 0)
        alike = self._allowed[place : bisect_right(self._allowed_micros, version.micros or 0)]
        return version in alike and (among is None or version.number in among)

    def _nearest_allowed(
        self, moment: Moment, around: Sequence[tuple[AvailableVersion, Sighting]], among: Collection[int] | None
    ) -> ChosenVersion:
        """The nearest that may be taken, where the best by all that is known may not."""
        allowed = self._allowed if among is None else [each for each in self._allowed if each.number in among]
        if not allowed:
            return _NO_VERSION
        version = min(allowed, key=lambda each: abs((each.micros or 0) - moment.micros))
        place = next((place for place, each in enumerate(around) if each[0] is version), None)
        fit = TemporalFit.PROBABLY_VIOLATIVE
        if place is not None:
            fit = judge_fit(moment, [sighting for _, sighting in around], place)
        return ChosenVersion(version, fit, self._change_probability(moment, version, fit))

    def _evidence_around(self, moment: Moment) -> Sequence[tuple[AvailableVersion, Sighting]]:
        later = bisect_right(self._moments, moment.micros)
        return self._evidence[max(later - _VERSIONS_AROUND, 0) : later + _VERSIONS_AROUND]

    def _change_probability(self, moment: Moment, version: AvailableVersion, fit: TemporalFit) -> float:
        """How likely the part changed between a version and a page."""
        if fit in (TemporalFit.COHERENT, TemporalFit.VIOLATIVE) or version.micros is None:
            return 0.0
        place = bisect_right(self._moments, moment.micros)
        gap = abs(moment.micros - version.micros)
        if 0 < place < len(self._moments):
            before, after = self._evidence[place - 1][1], self._evidence[place][1]
            if before.digest is not None and after.digest is not None and before.digest != after.digest:
                return min(gap / max(after.moment.micros - before.moment.micros, 1), 1.0)
        return 1.0 - exp(-self._rate * gap)


def _change_rate(sightings: Sequence[Sighting]) -> float:
    """Changes in a microsecond, by those that were seen."""
    changes = sum(
        before.digest is not None and after.digest is not None and before.digest != after.digest
        for before, after in pairwise(sightings)
    )
    span = sightings[-1].moment.micros - sightings[0].moment.micros if sightings else 0
    return (changes + 0.5) / max(span or _YEAR_MICROS, _MONTH_MICROS)


def _effective_tier(version: AvailableVersion, preference: VersionPreference) -> VersionTier:
    return VersionTier.WHOLE if preference.any_form and version.tier is VersionTier.CONVERTED else version.tier


def _moment_of(version: AvailableVersion) -> Moment | None:
    return None if version.micros is None else Moment(version.micros)
