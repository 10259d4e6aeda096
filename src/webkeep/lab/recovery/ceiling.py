"""The efficiency that nobody can exceed who brings home all that is held of a site, reckoned from the truth.

Whoever knows everything still has to send a request for each resource, and must have been told of it: by a link of a
page that came back, or by a listing. So the least cost is one request for each held resource, and the pages of the
cheapest listings without which some of them would stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from webkeep.lab.recovery.figure26 import listing_cost
from webkeep.lab.recovery.parameters import Holder
from webkeep.lab.recovery.world import ROOT, World


@dataclass(frozen=True, slots=True)
class Ceiling:
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


def ceiling(world: World) -> Ceiling:
    """The cheapest way to all that is held of a site."""
    held = world.anywhere
    for cost, listers in _by_cost(world):
        listed = (world.held[lister.name] for lister in listers)
        if held <= world.reached(held, frozenset({ROOT}).union(*listed)):
            return Ceiling(len(held), tuple(lister.name for lister in listers), cost + len(held))
    raise AssertionError("all listings together name all that is held")


def _by_cost(world: World) -> Iterable[tuple[int, tuple[Holder, ...]]]:
    return sorted(_choices(world), key=lambda choice: (choice[0], len(choice[1])))


def _choices(world: World) -> Iterator[tuple[int, tuple[Holder, ...]]]:
    costs = {holder.name: listing_cost(world, holder) for holder in world.holders}
    for count in range(len(world.holders) + 1):
        for chosen in combinations(world.holders, count):
            yield sum(costs[holder.name] for holder in chosen), chosen
