"""The experiments by their names: E1 to E6 as they were published, and scenarios beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from webkeep.errors import UsageError
from webkeep.lab.recovery.choice import archives_block, choice_block
from webkeep.lab.recovery.choice_crawl import choice_crawl_block
from webkeep.lab.recovery.dead_site import dead_site_block
from webkeep.lab.recovery.decay import decay_block
from webkeep.lab.recovery.estimating import estimating_block
from webkeep.lab.recovery.figure import Block
from webkeep.lab.recovery.first_reconstruction import first_block
from webkeep.lab.recovery.libraries import libraries_block
from webkeep.lab.recovery.policies import policies_block
from webkeep.lab.recovery.product import product_block
from webkeep.lab.recovery.quirks import quirks_block
from webkeep.lab.recovery.quotas import quotas_block
from webkeep.lab.recovery.redesign import redesign_block
from webkeep.lab.recovery.repeating import repeating_block
from webkeep.lab.recovery.sampled import sampled_block
from webkeep.lab.recovery.score import score_blocks
from webkeep.lab.recovery.served import served_block
from webkeep.lab.recovery.since_loss import since_loss_block
from webkeep.lab.recovery.takeover import takeover_block
from webkeep.lab.recovery.unreliable import unreliable_block
from webkeep.lab.recovery.weeks import weeks_blocks
from webkeep.lab.recovery.world import World, worlds

_FEWEST = 2
_RANDOM_SITES = 300
"""As many as were watched."""


@dataclass(frozen=True)
class Extent:
    """How large the experiments are; the same seed gives the same figures."""

    sites: int = 400
    by_product: int = 24
    """How many of the sites the product itself recovers, with all that it does to each."""
    pages: int = 200
    """How many pages are chosen together with their parts."""
    seed: int = 1

    def __post_init__(self) -> None:
        if self.sites < _FEWEST:
            raise UsageError(f"{self.sites} sites teach nothing; give {_FEWEST} or more")

    @classmethod
    def quick(cls, seed: int = 1) -> Extent:
        """Small enough to be waited for."""
        return cls(150, 8, 60, seed)

    @cached_property
    def worlds(self) -> list[World]:
        """The lost sites."""
        return list(worlds(self.sites, self.seed))


EXPERIMENTS: Mapping[str, Callable[[Extent], list[Block]]] = MappingProxyType(
    {
        "E1": lambda extent: [decay_block(extent.seed)],
        "E2": lambda extent: [sampled_block(extent.seed)],
        "E3": lambda extent: [first_block(extent.seed)],
        "E4": lambda extent: [policies_block(extent.worlds), product_block(extent.worlds[: extent.by_product])],
        "E5": lambda extent: [*weeks_blocks(_RANDOM_SITES, extent.seed), *score_blocks(seed=extent.seed)],
        "E6": lambda extent: [libraries_block(extent.seed)],
        "loss": lambda extent: [since_loss_block(extent.worlds[:100], extent.seed)],
        "repeat": lambda extent: [repeating_block(seed=extent.seed)],
        "redesign": lambda extent: [redesign_block(extent.worlds[:100], extent.seed)],
        "dead": lambda _: [dead_site_block()],
        "quota": lambda extent: [quotas_block(extent.worlds[:20])],
        "quirks": lambda _: [quirks_block()],
        "unreliable": lambda extent: [unreliable_block(extent.worlds[: extent.by_product])],
        "takeover": lambda extent: [takeover_block(seed=extent.seed)],
        "estimate": lambda extent: [estimating_block(extent.worlds[:100])],
        "served": lambda extent: [served_block(extent.worlds)],
        "choice": lambda extent: [
            choice_block(extent.pages, extent.seed),
            archives_block(extent.pages // 4, extent.seed),
            choice_crawl_block(extent.pages // 5, extent.seed),
        ],
    }
)


def run(name: str, extent: Extent) -> list[Block]:
    """Make one experiment."""
    if name not in EXPERIMENTS:
        raise UsageError(f"there is no experiment {name!r} here; choose one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name](extent)
