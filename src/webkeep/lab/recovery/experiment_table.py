"""The recovery experiments by their names: E1 to E7 as they were published, and scenarios beyond; what each runs and on
how many sites, and what a quick run is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from webkeep.errors import UsageError
from webkeep.lab.recovery.experiments.cache_decay import decay_block
from webkeep.lab.recovery.experiments.digital_libraries import libraries_block
from webkeep.lab.recovery.experiments.first_reconstruction import first_reconstruction_block
from webkeep.lab.recovery.experiments.policy_comparison import policies_block
from webkeep.lab.recovery.experiments.random_sites import random_site_blocks
from webkeep.lab.recovery.experiments.recoverability_score import score_blocks
from webkeep.lab.recovery.experiments.server_components import components_block
from webkeep.lab.recovery.experiments.url_sampling import url_sampling_block
from webkeep.lab.recovery.scenarios.days_since_loss import days_since_loss_block
from webkeep.lab.recovery.scenarios.dead_site import dead_site_block
from webkeep.lab.recovery.scenarios.domain_takeover import takeover_block
from webkeep.lab.recovery.scenarios.product_recovery import product_block
from webkeep.lab.recovery.scenarios.quotas import quotas_block
from webkeep.lab.recovery.scenarios.redesign import redesign_block
from webkeep.lab.recovery.scenarios.repeated_runs import repeated_runs_block
from webkeep.lab.recovery.scenarios.size_estimation import size_estimation_block
from webkeep.lab.recovery.scenarios.unreliable_archives import unreliable_block
from webkeep.lab.recovery.scenarios.url_quirks import quirks_block
from webkeep.lab.recovery.scenarios.vault_losses import vault_losses_block
from webkeep.lab.recovery.scenarios.version_choice import archives_block, choice_block
from webkeep.lab.recovery.scenarios.version_choice_crawl import choice_crawl_block
from webkeep.lab.recovery.simulation.lost_site import LostSite, draw_lost_sites
from webkeep.lab.results.result_table import ResultTable

_MIN_SITES = 2
"""One site has no spread to judge by."""
_RANDOM_SITE_COUNT = 300
"""As many as were watched."""


@dataclass(frozen=True)
class RecoveryExtent:
    """How large the experiments are; the same seed gives the same figures."""

    sites: int = 400
    by_product: int = 24
    """How many of the sites the product itself recovers, with all that it does to each."""
    pages: int = 200
    """How many pages are chosen together with their parts."""
    seed: int = 1
    losses: int = 10_000
    """How many losses of each kind a plan for server components is tried on."""

    def __post_init__(self) -> None:
        if self.sites < _MIN_SITES:
            raise UsageError(f"{self.sites} sites teach nothing; give {_MIN_SITES} or more")

    @classmethod
    def quick(cls, seed: int = 1) -> RecoveryExtent:
        """Small enough to be waited for."""
        return cls(150, 8, 60, seed, 2000)

    @cached_property
    def lost_sites(self) -> list[LostSite]:
        """The lost sites."""
        return list(draw_lost_sites(self.sites, self.seed))


SERVED_EXPERIMENT = "served"
"""The one in which simulated archives answer over HTTP."""


def _served_blocks(sites: list[LostSite]) -> list[ResultTable]:
    # Its servers need what only the extra of the laboratory brings; the list of experiments does not.
    from webkeep.lab.recovery.scenarios.loopback_archives import loopback_block

    return [loopback_block(sites)]


EXPERIMENTS: Mapping[str, Callable[[RecoveryExtent], list[ResultTable]]] = MappingProxyType(
    {
        "E1": lambda extent: [decay_block(extent.seed)],
        "E2": lambda extent: [url_sampling_block(extent.seed)],
        "E3": lambda extent: [first_reconstruction_block(extent.seed)],
        "E4": lambda extent: [policies_block(extent.lost_sites), product_block(extent.lost_sites[: extent.by_product])],
        "E5": lambda extent: [*random_site_blocks(_RANDOM_SITE_COUNT, extent.seed), *score_blocks(seed=extent.seed)],
        "E6": lambda extent: [libraries_block(extent.seed)],
        "E7": lambda extent: [components_block(extent.seed)],
        "loss": lambda extent: [days_since_loss_block(extent.lost_sites[:100], extent.seed)],
        "repeat": lambda extent: [repeated_runs_block(seed=extent.seed)],
        "redesign": lambda extent: [redesign_block(extent.lost_sites[:100], extent.seed)],
        "dead": lambda _: [dead_site_block()],
        "quota": lambda extent: [quotas_block(extent.lost_sites[:20])],
        "quirks": lambda _: [quirks_block()],
        "unreliable": lambda extent: [unreliable_block(extent.lost_sites[: extent.by_product])],
        "takeover": lambda extent: [takeover_block(seed=extent.seed)],
        "vault": lambda extent: [vault_losses_block(extent.losses, extent.seed)],
        "estimate": lambda extent: [size_estimation_block(extent.lost_sites[:100])],
        SERVED_EXPERIMENT: lambda extent: _served_blocks(extent.lost_sites),
        "choice": lambda extent: [
            choice_block(extent.pages, extent.seed),
            archives_block(extent.pages // 4, extent.seed),
            choice_crawl_block(extent.pages // 5, extent.seed),
        ],
    }
)


def run_experiment(name: str, extent: RecoveryExtent) -> list[ResultTable]:
    """Make one experiment."""
    if name not in EXPERIMENTS:
        raise UsageError(f"there is no experiment {name!r} here; choose one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name](extent)
