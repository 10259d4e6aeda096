"""Synthetic sites at the moment of their loss, and which repository held what of them.

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

from webkeep.lab.recovery.parameters import Holder, Parameters, SiteHabits, parameters

ROOT = 0
"""The number of the root page among the resources of a site."""
_REFERRERS = 4
"""How many pages link to a resource: its parent and some others, as menus and lists do."""


class Kind(enum.IntEnum):
    """What a resource is."""

    HTML = 0
    IMAGE = 1
    DOCUMENT = 2
    OTHER = 3


@dataclass(frozen=True)
class World:
    """A lost site and its holders; resources are numbers, the present ones first."""

    number: int
    kinds: tuple[Kind, ...]
    current: int
    """How many of the resources belong to the site as it was when it was lost."""
    links: Mapping[int, tuple[int, ...]]
    """The resources that each page names."""
    held: Mapping[str, frozenset[int]]
    """What each repository holds, by its name."""
    holders: tuple[Holder, ...]

    @property
    def size(self) -> int:
        """Resources, present and obsolete."""
        return len(self.kinds)

    @cached_property
    def anywhere(self) -> frozenset[int]:
        """All that is held by anyone."""
        return frozenset().union(*self.held.values())

    def reached(self, recovered: frozenset[int], known: frozenset[int] = frozenset({ROOT})) -> frozenset[int]:
        """What is known when links have been followed: from what was known before, over pages that are recovered."""
        found, waiting = set(known), list(known)
        while waiting:
            page = waiting.pop()
            for target in self.links.get(page, ()) if page in recovered else ():
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


def worlds(count: int, seed: int = 1, given: Parameters | None = None) -> Iterator[World]:
    """So many lost sites; the same seed gives the same ones."""
    return (lost_site(number, seed, given) for number in range(count))


def lost_site(number: int, seed: int = 1, given: Parameters | None = None) -> World:
    """The lost site of this number."""
    given = given or parameters()
    chance = random.Random(f"{seed}/{number}")
    size = max(round(exp(chance.gauss(given.site.size_mu, given.site.size_sigma))), 5)
    kinds = (Kind.HTML, *_kinds(size - 1, given.site, chance))
    return world(number, kinds, chance, given)


def world(number: int, present: Sequence[Kind], chance: random.Random, given: Parameters) -> World:
    """A lost site of these resources, the root first."""
    habits, current = given.site, len(present)
    obsolete = round(chance.expovariate(1.0) * habits.obsolete * current)
    kinds = (*present, *_kinds(obsolete, habits, chance))
    factor = chance.gauss(habits.factor_mean, habits.factor_deviation)
    factor = min(max(factor, habits.factor_least), habits.factor_most)
    held = {holder.name: _held(holder, kinds, current, factor, chance) for holder in given.holders}
    links = _links(kinds, current, habits, chance)
    return World(number, kinds, current, links, held, given.holders)


def _kinds(count: int, habits: SiteHabits, chance: random.Random) -> list[Kind]:
    return chance.choices(tuple(Kind), (habits.html, habits.image, habits.document, habits.other), k=count)


def _held(
    holder: Holder, kinds: tuple[Kind, ...], current: int, factor: float, chance: random.Random
) -> frozenset[int]:
    chances = {
        Kind.HTML: holder.html * factor,
        Kind.IMAGE: holder.image * factor,
        Kind.DOCUMENT: holder.other * factor,
        Kind.OTHER: holder.other * factor,
    }
    taken = (
        number
        for number, kind in enumerate(kinds)
        if chance.random() < (chances[kind] if number < current else holder.obsolete)
    )
    # Whoever looks at a site at all has its root page.
    return frozenset({ROOT}).union(taken)


def _links(
    kinds: tuple[Kind, ...], current: int, habits: SiteHabits, chance: random.Random
) -> dict[int, tuple[int, ...]]:
    """The links of present pages: a tree that keeps every page near the root, and some across it."""
    targets: dict[int, list[int]] = {ROOT: []}
    pages = [ROOT]
    for number in range(1, len(kinds)):
        is_linked = chance.random() >= habits.orphaned if number < current else chance.random() < habits.obsolete_linked
        if is_linked:
            for page in {pages[int(len(pages) * chance.random() ** 2)] for _ in range(_REFERRERS)}:
                targets[page].append(number)
        if number < current and kinds[number] is Kind.HTML:
            targets[number] = []
            pages.append(number)
    return {page: tuple(found) for page, found in targets.items()}
