"""Synthetic sites at the moment of their loss, and which repository held what of them: how sizes, kinds, links, orphans
and holdings are drawn.

Pages of the present site link to one another; URLs of earlier versions are held by archives and, but for a few, linked
from nowhere. Every repository holds or does not hold each URL by chance, independently, as the calibration has it.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp

from webkeep.lab.recovery.simulation.parameters import (
    RepositoryHolder,
    SimulationParameters,
    SiteDistribution,
    read_parameters,
)

ROOT_NUMBER = 0
"""The number of the root page among the resources of a site."""
_REFERRERS_A_RESOURCE = 4
"""How many pages link to a resource: its parent and some others, as menus and lists do."""


class WorldKind(enum.IntEnum):
    """What a resource is."""

    HTML = 0
    IMAGE = 1
    DOCUMENT = 2
    OTHER = 3


@dataclass(frozen=True)
class LostSite:
    """A lost site and its holders; resources are numbers, the present ones first."""

    number: int
    kinds: tuple[WorldKind, ...]
    current: int
    """How many of the resources belong to the site as it was when it was lost."""
    links: Mapping[int, tuple[int, ...]]
    """The resources that each page names."""
    held: Mapping[str, frozenset[int]]
    """What each repository holds, by its name."""
    holders: tuple[RepositoryHolder, ...]

    @property
    def size(self) -> int:
        """Resources, present and obsolete."""
        return len(self.kinds)

    @cached_property
    def held_anywhere(self) -> frozenset[int]:
        """All that is held by anyone."""
        return frozenset().union(*self.held.values())

    def reachable(self, recovered: frozenset[int], known: frozenset[int] = frozenset({ROOT_NUMBER})) -> frozenset[int]:
        """What is known when links have been followed: from what was known before, over pages that are recovered."""
        found, waiting = set(known), list(known)
        while waiting:
            page = waiting.pop()
            for target in self.links.get(page, ()) if page in recovered else ():
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


def draw_lost_sites(count: int, seed: int = 1, given: SimulationParameters | None = None) -> Iterator[LostSite]:
    """So many lost sites; the same seed gives the same ones."""
    return (draw_lost_site(number, seed, given) for number in range(count))


def draw_lost_site(number: int, seed: int = 1, given: SimulationParameters | None = None) -> LostSite:
    """The lost site of this number."""
    given = given or read_parameters()
    chance = random.Random(f"{seed}/{number}")
    size = max(round(exp(chance.gauss(given.site.size_mu, given.site.size_sigma))), 5)
    kinds = (WorldKind.HTML, *_draw_kinds(size - 1, given.site, chance))
    return build_lost_site(number, kinds, chance, given)


def build_lost_site(
    number: int, present: Sequence[WorldKind], chance: random.Random, given: SimulationParameters
) -> LostSite:
    """A lost site of these resources, the root first."""
    habits, current = given.site, len(present)
    obsolete = round(chance.expovariate(1.0) * habits.obsolete * current)
    kinds = (*present, *_draw_kinds(obsolete, habits, chance))
    factor = habits.factor.draw(chance)
    held = {holder.name: _draw_holdings(holder, kinds, current, factor, chance) for holder in given.holders}
    links = _draw_links(kinds, current, habits, chance)
    return LostSite(number, kinds, current, links, held, given.holders)


def _draw_kinds(count: int, habits: SiteDistribution, chance: random.Random) -> list[WorldKind]:
    return chance.choices(tuple(WorldKind), (habits.html, habits.image, habits.document, habits.other), k=count)


def _draw_holdings(
    holder: RepositoryHolder, kinds: tuple[WorldKind, ...], current: int, factor: float, chance: random.Random
) -> frozenset[int]:
    chances = {
        WorldKind.HTML: holder.html * factor,
        WorldKind.IMAGE: holder.image * factor,
        WorldKind.DOCUMENT: holder.other * factor,
        WorldKind.OTHER: holder.other * factor,
    }
    taken = (
        number
        for number, kind in enumerate(kinds)
        if chance.random() < (chances[kind] if number < current else holder.obsolete)
    )
    # Whoever looks at a site at all has its root page.
    return frozenset({ROOT_NUMBER}).union(taken)


def _draw_links(
    kinds: tuple[WorldKind, ...], current: int, habits: SiteDistribution, chance: random.Random
) -> dict[int, tuple[int, ...]]:
    """The links of present pages: a tree that keeps every page near the root, and some across it."""
    targets: dict[int, list[int]] = {ROOT_NUMBER: []}
    pages = [ROOT_NUMBER]
    for number in range(1, len(kinds)):
        is_linked = chance.random() >= habits.orphaned if number < current else chance.random() < habits.obsolete_linked
        if is_linked:
            for page in {pages[int(len(pages) * chance.random() ** 2)] for _ in range(_REFERRERS_A_RESOURCE)}:
                targets[page].append(number)
        if number < current and kinds[number] is WorldKind.HTML:
            targets[number] = []
            pages.append(number)
    return {page: tuple(found) for page, found in targets.items()}
