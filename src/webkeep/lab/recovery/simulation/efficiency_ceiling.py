"""The efficiency that nobody can exceed who brings home all that is held of a site, reckoned from the truth.

Whoever knows everything still has to send a request for each resource, and must have been told of it: by a link of a
page that came back, or by a listing. So the least cost is one request for each held resource, and the pages of the
cheapest listings without which some of them would stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from webkeep.lab.recovery.simulation.lost_site import ROOT_NUMBER, LostSite
from webkeep.lab.recovery.simulation.parameters import RepositoryHolder
from webkeep.lab.recovery.simulation.published_crawl import listing_cost


@dataclass(frozen=True, slots=True)
class EfficiencyCeiling:
    """The best that can be."""

    held: int
    """Resources that any repository holds."""
    listed: tuple[str, ...]
    """The repositories whose listings are needed."""
    requests: int
    """The fewest that bring all of them home."""

    @property
    def efficiency(self) -> float:
        """Resources to each request."""
        return self.held / self.requests


def efficiency_ceiling(world: LostSite) -> EfficiencyCeiling:
    """The cheapest way to all that is held of a site."""
    held = world.held_anywhere
    for cost, listers in _choices_by_cost(world):
        listed = (world.held[lister.name] for lister in listers)
        if held <= world.reachable(held, frozenset({ROOT_NUMBER}).union(*listed)):
            return EfficiencyCeiling(len(held), tuple(lister.name for lister in listers), cost + len(held))
    raise AssertionError("all listings together name all that is held")


def _choices_by_cost(world: LostSite) -> Iterable[tuple[int, tuple[RepositoryHolder, ...]]]:
    return sorted(_listing_choices(world), key=lambda choice: (choice[0], len(choice[1])))


def _listing_choices(world: LostSite) -> Iterator[tuple[int, tuple[RepositoryHolder, ...]]]:
    costs = {holder.name: listing_cost(world, holder) for holder in world.holders}
    for count in range(len(world.holders) + 1):
        for chosen in combinations(world.holders, count):
            yield sum(costs[holder.name] for holder in chosen), chosen
