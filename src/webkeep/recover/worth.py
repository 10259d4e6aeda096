"""What a held version is worth before anybody has seen it: by what its repository says of it.

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

from webkeep.coherence.sighting import Sighting
from webkeep.model import Digest, Moment
from webkeep.recover.identity import likely_type
from webkeep.recover.repository import ALWAYS, Held, Period
from webkeep.recover.repository_traits import DateKind, Keeping, Traits

_DAY = 86_400_000_000
_PARTIAL = 206


class Tier(enum.IntEnum):
    """Classes of versions, the better first."""

    WHOLE = 0
    CONVERTED = 1
    CUT_OFF = 2
    REDIRECT = 3
    DOUBTFUL = 4
    """It looks as if the resource were not in it."""


# Every resource has some: a named tuple is made in a fraction of the time of a frozen dataclass.
class Version(NamedTuple):
    """A version that can be had, as far as choosing goes."""

    number: int
    """By which whoever chooses knows it."""
    tier: Tier
    micros: int | None
    """When it was captured, in microseconds since 1970."""
    is_raw: bool = True
    requests: float = 1
    digest: Digest | None = None
    status: int | None = 200
    repository: str = ""
    crawled: bool = True
    """Whether its moment is that of the crawl."""

    def sighting(self) -> Sighting | None:
        """What it says of the resource at its moment; None where that is not known."""
        if self.micros is None or not self.crawled:
            return None
        target = None if self.tier is Tier.REDIRECT else ""
        return Sighting(Moment(self.micros), self.status or 200, self.digest, target=target)


@dataclass(frozen=True, slots=True)
class Wish:
    """Which of several versions is wanted."""

    at: Moment | None = None
    """The moment to be near to; None for the newest."""
    period: Period = ALWAYS
    any_form: bool = False
    """Whether a newer converted copy goes before an older original."""


def version_of(number: int, held: Held, traits: Traits, doubtful: bool = False) -> Version | None:
    """What a held version is worth; None where it shows nothing that could be recovered."""
    status = held.status
    if status is not None and not 200 <= status < 400:
        return None
    keeping = traits.keeping(held.media_type or likely_type(held.url))
    if keeping in (Keeping.UNREACHABLE, Keeping.ABSENT):
        return None
    return Version(
        number,
        Tier.DOUBTFUL if doubtful else _tier(held, traits, keeping),
        held.moment.micros if held.moment is not None else None,
        traits.raw,
        traits.requests_per_resource,
        held.digest,
        status,
        traits.name,
        held.dates is DateKind.CRAWL,
    )


def _tier(held: Held, traits: Traits, keeping: Keeping) -> Tier:
    if held.status is not None and held.status >= 300 and held.status != 304:
        return Tier.REDIRECT
    if held.status == _PARTIAL:
        return Tier.CUT_OFF
    if traits.size_cap is not None and held.length is not None and held.length >= traits.size_cap:
        return Tier.CUT_OFF
    return Tier.CONVERTED if keeping is Keeping.CONVERTED else Tier.WHOLE


def ranked(versions: Iterable[Version], wish: Wish) -> list[Version]:
    """Those that may be taken, the best first."""
    allowed = [each for each in versions if wish.period.covers(None if each.micros is None else Moment(each.micros))]
    return sorted(allowed, key=lambda each: rank(each, wish))


def rank(version: Version, wish: Wish) -> tuple[float, ...]:
    """Where a version stands; the least is the best."""
    tier = 0 if wish.any_form and version.tier is Tier.CONVERTED else version.tier
    distance = _distance(version, wish)
    if distance is None:
        return (tier, 1, 0, not version.is_raw, 0, version.requests, version.number)
    return (tier, 0, distance // _DAY, not version.is_raw, distance, version.requests, version.number)


def _distance(version: Version, wish: Wish) -> int | None:
    if version.micros is None:
        return None
    return -version.micros if wish.at is None else abs(version.micros - wish.at.micros)
