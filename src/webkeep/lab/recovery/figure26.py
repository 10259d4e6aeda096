"""The published crawl over repositories, request by request: the three policies as their author ran them.

This is the yardstick, not the product: it follows the published algorithm, which asks every holder of a page and takes
the first holder of a picture, and counts what each answer costs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from webkeep.lab.recovery.parameters import Holder
from webkeep.lab.recovery.world import ROOT, Kind, World
from webkeep.recover.plan import Policy
from webkeep.recover.repository_traits import DateKind, Depth

POLICIES = (Policy.NAIVE, Policy.KNOWLEDGEABLE, Policy.EXHAUSTIVE)
"""The published policies."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl over repositories brought home, and what it cost."""

    recovered: frozenset[int]
    requests: Mapping[str, int]
    """By repository, listings included."""
    skipped: frozenset[int]
    """What was known to be held and not asked for."""
    givers: Mapping[int, Holder]
    """The repository that each resource came from."""

    @property
    def given(self) -> Counter[str]:
        """How many resources came from each repository."""
        return Counter(holder.name for holder in self.givers.values())

    @property
    def cost(self) -> int:
        """All requests."""
        return sum(self.requests.values())

    @property
    def efficiency(self) -> float:
        """Resources to each request."""
        return len(self.recovered) / self.cost if self.cost else 0.0

    def efficiency_of(self, current: int) -> float:
        """Resources to each request, those that were added not counted."""
        return sum(number < current for number in self.recovered) / self.cost if self.cost else 0.0


def crawl(world: World, policy: Policy) -> Crawled:
    """Recover a lost site by a published policy."""
    return _Crawl(world, policy).run()


def listing_cost(world: World, holder: Holder) -> int:
    """How many requests it takes to have all that a repository lists."""
    return max(ceil(len(world.held[holder.name]) / holder.listing_page), 1)


class _Crawl:
    def __init__(self, world: World, policy: Policy) -> None:
        self._world = world
        self._lists = policy.lists
        self._requests: Counter[str] = Counter()
        self._givers: dict[int, Holder] = {}
        self._seeds = [ROOT, *(sorted(world.anywhere - {ROOT}) if policy.takes_all else ())]
        self._deep_first = sorted(world.holders, key=lambda holder: holder.depth is not Depth.DEEP)

    def run(self) -> Crawled:
        if self._lists:
            for holder in self._world.holders:
                self._requests[holder.name] += listing_cost(self._world, holder)
        visited, recovered = set(self._seeds), set()
        frontier = deque(self._seeds)
        while frontier:
            number = frontier.popleft()
            if not self._ask(number):
                continue
            recovered.add(number)
            for target in self._world.links.get(number, ()):
                if target not in visited:
                    visited.add(target)
                    frontier.append(target)
        skipped = self._world.anywhere - visited if self._lists else frozenset()
        return Crawled(frozenset(recovered), self._requests, skipped, self._givers)

    def _ask(self, number: int) -> bool:
        """Ask for a resource; whether anyone gave it."""
        is_image = self._world.kinds[number] is Kind.IMAGE
        givers = []
        for holder in self._asked(number):
            is_held = number in self._world.held[holder.name]
            self._requests[holder.name] += max(holder.queries if is_held else 1, 1 if self._lists else holder.asked)
            if is_held:
                givers.append(holder)
                if is_image:
                    break
        if givers:
            self._givers[number] = self._best(givers, number)
        return bool(givers)

    def _asked(self, number: int) -> Iterator[Holder]:
        for holder in self._deep_first:
            if not self._lists or number in self._world.held[holder.name]:
                yield holder

    def _best(self, givers: list[Holder], number: int) -> Holder:
        """Pages are taken from the cache with the newest date, other things from the archive, which has them whole.

        Dates of changes look older than dates of crawls, so that who tells those is passed over.
        """
        if self._world.kinds[number] is not Kind.HTML:
            return givers[0]
        flat = [holder for holder in givers if holder.depth is Depth.FLAT]
        dated = [holder for holder in flat if holder.dates is DateKind.CRAWL] or flat or givers
        return dated[number % len(dated)]
