"""The shelves of a world's repositories, so that the product can be let loose on it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from webkeep.lab.recovery.parameters import Holder
from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.lab.recovery.simulated import CALM, DAY, SimulatedRepository, Whims
from webkeep.lab.recovery.site_content import MEDIA_TYPES, body_of, url_of, words
from webkeep.lab.recovery.world import Kind, World
from webkeep.model import Moment
from webkeep.recover.repository import Fidelity
from webkeep.recover.repository_traits import Depth, Keeping, Spelling, Traits

LOST_AT = Moment.parse("2006-02-25T00:00:00Z")
"""When sites are lost."""
_FRESH_DAYS, _OLD_DAYS, _OBSOLETE_DAYS = 30, (180, 365), (400, 2000)
_CONVERTED = {"image": Keeping.CONVERTED, "application/pdf": Keeping.CONVERTED, "application/zip": Keeping.CONVERTED}


def repositories(world: World, whims: Whims = CALM) -> list[SimulatedRepository]:
    """The repositories of a world, as the product meets them."""
    return [
        SimulatedRepository(traits_of(holder), shelf(world, holder), LOST_AT, whims, world.number)
        for holder in world.holders
    ]


def traits_of(holder: Holder) -> Traits:
    """What a repository of the calibration is like."""
    is_deep = holder.depth is Depth.DEEP
    return Traits(
        holder.name,
        depth=holder.depth,
        lists_periods=is_deep,
        tells_versions=is_deep,
        listing_page=holder.listing_page,
        spelling=Spelling(either_www=holder.asked == 1),
        keepings={} if is_deep else _CONVERTED,
    )


def shelf(world: World, holder: Holder) -> Shelf:
    """What a repository holds of a lost site."""
    return Shelf(_stored(world, holder))


def _stored(world: World, holder: Holder) -> Iterator[Stored]:
    chance = random.Random(f"{world.number}/{holder.name}/moments")
    for number in sorted(world.held[holder.name]):
        moment = LOST_AT.plus(-DAY * _age(number < world.current, holder, chance))
        kind = world.kinds[number]
        if holder.depth is Depth.DEEP or kind is Kind.HTML:
            yield Stored(url_of(world, number), moment, body_of(world, number), MEDIA_TYPES[kind])
        else:
            yield _converted(world, number, moment)


def _age(is_current: bool, holder: Holder, chance: random.Random) -> float:
    if not is_current:
        return chance.uniform(*_OBSOLETE_DAYS)
    return chance.uniform(*_OLD_DAYS) if holder.depth is Depth.DEEP else chance.uniform(1, _FRESH_DAYS)


def _converted(world: World, number: int, moment: Moment) -> Stored:
    """Pictures made small, documents made pages: what a search engine kept of them."""
    url = url_of(world, number)
    if world.kinds[number] is Kind.IMAGE:
        small = body_of(world, number) + b"small"
        return Stored(url, moment, small, MEDIA_TYPES[Kind.IMAGE], fidelity=Fidelity.CONVERTED)
    text = f"<html><title>{url}</title><p>{words(url)}</p></html>\n"
    return Stored(url, moment, text.encode(), fidelity=Fidelity.CONVERTED)
