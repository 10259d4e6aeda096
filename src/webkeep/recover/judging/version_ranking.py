"""What a held version is worth before anybody has seen it: by what its repository says of it, whole before converted,
cut off, leading elsewhere or doubtful, and then by its distance in time.

Completeness first: a version that shows the resource goes before one that leads elsewhere, a whole one before one that
is cut off, an original before a converted one. Then time decides: the nearest to the wanted moment, the newest where
none is wanted; what has no date comes last. Of versions of one day, bytes as they were go before bytes taken out of a
page made for showing.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.coherence.sightings import Sighting
from webkeep.formats.status import OK, PARTIAL_CONTENT, is_answered, leads_elsewhere
from webkeep.model import Digest, Moment
from webkeep.recover.judging.url_identity import guess_media_type
from webkeep.recover.repositories.repository import ALL_TIME, ListedVersion, TimePeriod
from webkeep.recover.repositories.repository_traits import DateKind, KeptForm, RepositoryTraits

_DAY_MICROS = 86_400_000_000


class VersionTier(enum.IntEnum):
    """Classes of versions, the better first."""

    WHOLE = 0
    CONVERTED = 1
    CUT_OFF = 2
    REDIRECT = 3
    DOUBTFUL = 4
    """It looks as if the resource were not in it."""


# Every resource has some: a named tuple is made in a fraction of the time of a frozen dataclass.
class AvailableVersion(NamedTuple):
    """A version that can be had, as far as choosing goes."""

    number: int
    """By which whoever chooses knows it."""
    tier: VersionTier
    micros: int | None
    """When it was captured, in microseconds since 1970."""
    is_raw: bool = True
    requests: float = 1
    digest: Digest | None = None
    status: int | None = 200
    repository: str = ""
    has_crawl_date: bool = True
    """Whether its moment is that of the crawl."""

    def sighting(self) -> Sighting | None:
        """What it says of the resource at its moment; None where that is not known."""
        if self.micros is None or not self.has_crawl_date:
            return None
        target = None if self.tier is VersionTier.REDIRECT else ""
        return Sighting(Moment(self.micros), self.status or OK, self.digest, target=target)


@dataclass(frozen=True, slots=True)
class VersionPreference:
    """Which of several versions is wanted."""

    at: Moment | None = None
    """The moment to be near to; None for the newest."""
    period: TimePeriod = ALL_TIME
    any_form: bool = False
    """Whether a newer converted copy goes before an older original."""


def rate_version(
    number: int, held: ListedVersion, traits: RepositoryTraits, doubtful: bool = False
) -> AvailableVersion | None:
    """What a held version is worth; None where it shows nothing that could be recovered."""
    status = held.status
    if status is not None and not is_answered(status):
        return None
    keeping = traits.kept_form(held.media_type or guess_media_type(held.url))
    if keeping in (KeptForm.UNREACHABLE, KeptForm.ABSENT):
        return None
    return AvailableVersion(
        number,
        VersionTier.DOUBTFUL if doubtful else _tier_of(held, traits, keeping),
        held.moment.micros if held.moment is not None else None,
        traits.raw,
        traits.requests_per_resource,
        held.digest,
        status,
        traits.name,
        held.dates is DateKind.CRAWL,
    )


def _tier_of(held: ListedVersion, traits: RepositoryTraits, keeping: KeptForm) -> VersionTier:
    if leads_elsewhere(held.status):
        return VersionTier.REDIRECT
    if held.status == PARTIAL_CONTENT:
        return VersionTier.CUT_OFF
    if traits.size_cap is not None and held.length is not None and held.length >= traits.size_cap:
        return VersionTier.CUT_OFF
    return VersionTier.CONVERTED if keeping is KeptForm.CONVERTED else VersionTier.WHOLE


def rank_versions(versions: Iterable[AvailableVersion], preference: VersionPreference) -> list[AvailableVersion]:
    """Those that may be taken, the best first."""
    allowed = [
        each for each in versions if preference.period.covers(None if each.micros is None else Moment(each.micros))
    ]
    return sorted(allowed, key=lambda each: rank_key(each, preference))


def rank_key(version: AvailableVersion, preference: VersionPreference) -> tuple[float, ...]:
    """Where a version stands; the least is the best."""
    tier = 0 if preference.any_form and version.tier is VersionTier.CONVERTED else version.tier
    distance = _distance(version, preference)
    if distance is None:
        return (tier, 1, 0, not version.is_raw, 0, version.requests, version.number)
    return (tier, 0, distance // _DAY_MICROS, not version.is_raw, distance, version.requests, version.number)


def _distance(version: AvailableVersion, preference: VersionPreference) -> int | None:
    if version.micros is None:
        return None
    return -version.micros if preference.at is None else abs(version.micros - preference.at.micros)
