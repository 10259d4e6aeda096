"""The shelves of a lost site's repositories, so that the product can be let loose on it: how old copies are in caches
and archives, what caches convert, and when sites are lost.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from webkeep.lab.recovery.simulation.lost_site import LostSite, WorldKind
from webkeep.lab.recovery.simulation.parameters import RepositoryHolder
from webkeep.lab.recovery.simulation.simulated_repository import (
    DAY_SECONDS,
    NO_FAULTS,
    RepositoryFaults,
    SimulatedRepository,
)
from webkeep.lab.recovery.simulation.site_content import MEDIA_TYPES, draw_words, resource_body, resource_url
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.model import Moment
from webkeep.recover.repositories import KeptForm, RepositoryTraits, UrlSpelling, VersionDepth, VersionFidelity

LOST_AT = Moment.parse("2006-02-25T00:00:00Z")
"""When sites are lost."""
_FRESH_DAYS, _OLD_DAYS, _OBSOLETE_DAYS = 30, (180, 365), (400, 2000)
"""How old copies are: in a cache, in an archive, and of what the site no longer has."""
_CONVERTED_TYPES = {
    "image": KeptForm.CONVERTED,
    "application/pdf": KeptForm.CONVERTED,
    "application/zip": KeptForm.CONVERTED,
}


def build_repositories(world: LostSite, faults: RepositoryFaults = NO_FAULTS) -> list[SimulatedRepository]:
    """The repositories of a world, as the product meets them."""
    return [
        SimulatedRepository(repository_traits(holder), build_shelf(world, holder), LOST_AT, faults, world.number)
        for holder in world.holders
    ]


def repository_traits(holder: RepositoryHolder) -> RepositoryTraits:
    """What a repository of the calibration is like."""
    is_deep = holder.depth is VersionDepth.DEEP
    return RepositoryTraits(
        holder.name,
        depth=holder.depth,
        lists_periods=is_deep,
        tells_versions=is_deep,
        listing_page=holder.listing_page,
        spelling=UrlSpelling(either_www=holder.asked == 1),
        kept_forms={} if is_deep else _CONVERTED_TYPES,
    )


def build_shelf(world: LostSite, holder: RepositoryHolder) -> VersionShelf:
    """What a repository holds of a lost site."""
    return VersionShelf(_stored_versions(world, holder))


def _stored_versions(world: LostSite, holder: RepositoryHolder) -> Iterator[ShelfVersion]:
    chance = random.Random(f"{world.number}/{holder.name}/moments")
    for number in sorted(world.held[holder.name]):
        moment = LOST_AT.plus(-DAY_SECONDS * _draw_age_days(number < world.current, holder, chance))
        kind = world.kinds[number]
        if holder.depth is VersionDepth.DEEP or kind is WorldKind.HTML:
            yield ShelfVersion(resource_url(world, number), moment, resource_body(world, number), MEDIA_TYPES[kind])
        else:
            yield _convert_version(world, number, moment)


def _draw_age_days(is_current: bool, holder: RepositoryHolder, chance: random.Random) -> float:
    if not is_current:
        return chance.uniform(*_OBSOLETE_DAYS)
    return chance.uniform(*_OLD_DAYS) if holder.depth is VersionDepth.DEEP else chance.uniform(1, _FRESH_DAYS)


def _convert_version(world: LostSite, number: int, moment: Moment) -> ShelfVersion:
    """Pictures made small, documents made pages: what a search engine kept of them."""
    url = resource_url(world, number)
    if world.kinds[number] is WorldKind.IMAGE:
        small = resource_body(world, number) + b"small"
        return ShelfVersion(url, moment, small, MEDIA_TYPES[WorldKind.IMAGE], fidelity=VersionFidelity.CONVERTED)
    text = f"<html><title>{url}</title><p>{draw_words(url)}</p></html>\n"
    return ShelfVersion(url, moment, text.encode(), fidelity=VersionFidelity.CONVERTED)
