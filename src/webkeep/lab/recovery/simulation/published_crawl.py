"""The published crawl over repositories, request by request: the three policies as their author ran them; whom they
ask, whose copy they take, and what each answer costs.

This is the yardstick, not the product: it follows the published algorithm, which asks every holder of a page and takes
the first holder of a picture, and counts what each answer costs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from webkeep.lab.recovery.simulation.lost_site import ROOT_NUMBER, LostSite, WorldKind
from webkeep.lab.recovery.simulation.parameters import RepositoryHolder
from webkeep.recover import RecoveryPolicy
from webkeep.recover.repositories import DateKind, VersionDepth

PUBLISHED_POLICIES = (RecoveryPolicy.NAIVE, RecoveryPolicy.KNOWLEDGEABLE, RecoveryPolicy.EXHAUSTIVE)
"""The published policies."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What a crawl over repositories brought home, and what it cost."""

    recovered: frozenset[int]
    requests: Mapping[str, int]
    """By repository, listings included."""
    skipped: frozenset[int]
    """What was known to be held and not asked for."""
    givers: Mapping[int, RepositoryHolder]
    """The repository that each resource came from."""

    @property
    def resources_by_holder(self) -> Counter[str]:
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

    def efficiency_without_added(self, current: int) -> float:
        """Resources to each request, those that were added not counted."""
        return sum(number < current for number in self.recovered) / self.cost if self.cost else 0.0


def run_published_crawl(world: LostSite, policy: RecoveryPolicy) -> CrawlResult:
    """Recover a lost site by a published policy."""
    return _PublishedCrawl(world, policy).run()


def listing_cost(world: LostSite, holder: RepositoryHolder) -> int:
    """How many requests it takes to have all that a repository lists."""
    return max(ceil(len(world.held[holder.name]) / holder.listing_page), 1)


class _PublishedCrawl:
    def __init__(self, world: LostSite, policy: RecoveryPolicy) -> None:
        self._world = world
        self._lists = policy.uses_listings
        self._requests: Counter[str] = Counter()
        self._givers: dict[int, RepositoryHolder] = {}
        self._seeds = [ROOT_NUMBER, *(sorted(world.held_anywhere - {ROOT_NUMBER}) if policy.includes_orphans else ())]
        self._deep_first = sorted(world.holders, key=lambda holder: holder.depth is not VersionDepth.DEEP)

    def run(self) -> CrawlResult:
        if self._lists:
            for holder in self._world.holders:
                self._requests[holder.name] += listing_cost(self._world, holder)
        visited, recovered = set(self._seeds), set()
        frontier = deque(self._seeds)
        while frontier:
            number = frontier.popleft()
            if not self._ask_for(number):
                continue
            recovered.add(number)
            for target in self._world.links.get(number, ()):
                if target not in visited:
                    visited.add(target)
                    frontier.append(target)
        skipped = self._world.held_anywhere - visited if self._lists else frozenset()
        return CrawlResult(frozenset(recovered), self._requests, skipped, self._givers)

    def _ask_for(self, number: int) -> bool:
        """Ask for a resource; whether anyone gave it."""
        is_image = self._world.kinds[number] is WorldKind.IMAGE
        givers = []
        for holder in self._holders_to_ask(number):
            is_held = number in self._world.held[holder.name]
            self._requests[holder.name] += max(holder.queries if is_held else 1, 1 if self._lists else holder.asked)
            if is_held:
                givers.append(holder)
                if is_image:
                    break
        if givers:
            self._givers[number] = self._choose_holder(givers, number)
        return bool(givers)

    def _holders_to_ask(self, number: int) -> Iterator[RepositoryHolder]:
        for holder in self._deep_first:
            if not self._lists or number in self._world.held[holder.name]:
                yield holder

    def _choose_holder(self, givers: list[RepositoryHolder], number: int) -> RepositoryHolder:
        """Pages are taken from the cache with the newest date, other things from the archive, which has them whole.

        Dates of changes look older than dates of crawls, so that who tells those is passed over.
        """
        if self._world.kinds[number] is not WorldKind.HTML:
            return givers[0]
        flat = [holder for holder in givers if holder.depth is VersionDepth.FLAT]
        dated = [holder for holder in flat if holder.dates is DateKind.CRAWL] or flat or givers
        return dated[number % len(dated)]
