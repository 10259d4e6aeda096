"""What demo site is wanted: seed, size, shape and speed, with their defaults and bounds, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from webkeep.errors import UsageError
from webkeep.lab.demo.noise import NoiseSet

MINUTE_SECONDS, HOUR_SECONDS, DAY_SECONDS = 60.0, 3600.0, 86400.0
_MAX_RATE = 1000.0
"""Changes a second; faster than that no request could tell two versions apart."""


class LeafRates(Enum):
    """Which end of the tree changes least."""

    COLD = "cold"
    HOT = "hot"


@dataclass(frozen=True, slots=True)
class TreeShape:
    """The generated part: a complete tree in heap order whose rates fall off by rank, λ(j) = hottest / (j+1)^skew."""

    outdegree: int = 10
    depth: int = 0
    """At most so many levels below the root, widening the tree where needed; 0 leaves the depth to the outdegree."""
    skew: float = 1.2
    hottest: float = 1 / MINUTE_SECONDS
    leaves: LeafRates = LeafRates.COLD
    still: float = 0.0
    """The share of pages, the coldest first, that never change at all."""
    cross_links: int = 2

    def __post_init__(self) -> None:
        _require(self.outdegree >= 2, "the outdegree must be 2 or more")
        _require(self.depth >= 0, "the depth must be 1 or more, or 0 for as deep as the outdegree makes it")
        _require(0 <= self.skew <= 10, "the skew must lie between 0 and 10")
        _require(0 <= self.still <= 1, "the share of still pages must lie between 0 and 1")
        _require(0 <= self.hottest <= _MAX_RATE, f"the hottest rate must lie between 0 and {_MAX_RATE:g} a second")
        _require(0 <= self.cross_links <= 100, "there may be 0 to 100 cross links to a page")


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A whole site: with the same plan and start, everything it ever shows is the same."""

    seed: int = 1
    pages: int = 0
    """How many HTML pages in all; 0 for the town alone. More than the town has are grown as a tree."""
    speed: float = 1.0
    spread: bool = False
    town: bool = True
    tree: TreeShape = field(default_factory=TreeShape)
    noise: NoiseSet = NoiseSet.OFF
    """What differs whenever a page is fetched. With any, grown pages change in more ways than one, and some are taken
    away in the course of time."""

    def __post_init__(self) -> None:
        _require(0 <= self.pages <= 1_000_000, "the site can have up to a million pages")
        _require(self.town or self.pages > 0, "a site without the town needs a number of pages")
        _require(math.isfinite(self.speed) and self.speed > 0, "the speed must be a number above 0")
        hottest = max(self.tree.hottest, 1 / MINUTE_SECONDS) * self.speed
        _require(hottest <= _MAX_RATE, f"at this speed pages change {hottest:g} times a second; choose a lower speed")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise UsageError(f"{otherwise} (demo site)")
