"""The product's own crawl, let loose on simulated repositories: nothing is written, and nothing waited for; and what it
comes to beside the published policies and the ceiling.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean

from webkeep.lab.recovery.experiments.policy_comparison import PolicyOutcome, build_outcome, mean_outcome, run_policies
from webkeep.lab.recovery.simulation.efficiency_ceiling import efficiency_ceiling
from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.repository_holdings import LOST_AT, build_repositories
from webkeep.lab.recovery.simulation.simulated_repository import NO_FAULTS, RepositoryFaults, SimulatedRepository
from webkeep.lab.recovery.simulation.site_content import resource_url, site_origin
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.model import Moment
from webkeep.process import RunLoop
from webkeep.recover import RecoveryPlan, RecoveryPolicy
from webkeep.recover.judging import detect_placeholder
from webkeep.recover.repositories import FetchedVersion, Repository
from webkeep.recover.run import NullRecoveryObserver, RecoveredLinks, RecoveryContext, RecoveryRun, extract_page_links
from webkeep.recover.state import RecoveredResource, RecoveryProvenance, RecoveryStore

_STEP_SECONDS = 30.0
"""Seconds by which a clock runs on when it is looked at."""


class SteppingClock:
    """A clock that runs on whenever it is looked at, so that nothing has to be waited for."""

    def __init__(self, begin: Moment) -> None:
        self._now = begin

    def now(self) -> Moment:
        """A moment later than the last."""
        self._now = self._now.plus(_STEP_SECONDS)
        return self._now


@dataclass(slots=True)
class MemorySink:
    """Keeps in memory what came."""

    kept: dict[str, FetchedVersion] = field(default_factory=dict)
    """By URL; of several versions the last."""
    came: list[FetchedVersion] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """How much came."""
        return sum(each.exchange.body.size for each in self.came)

    async def store_version(
        self, _resource: RecoveredResource, found: FetchedVersion, _provenance: RecoveryProvenance
    ) -> RecoveredLinks:
        """Keep it, and say where it leads."""
        self.kept[found.exchange.url] = found
        self.came.append(found)
        return extract_page_links(found.exchange)

    def write_pending(self) -> None:
        """There is nobody to tell."""

    async def flush(self) -> None:
        """All that came is kept."""


@dataclass(frozen=True, slots=True)
class ProductRun:
    """What the product brought home."""

    kept: dict[str, FetchedVersion]
    """By URL."""
    came: list[FetchedVersion]
    """All versions."""
    requests: Counter[str]
    """By repository, as the repositories counted them."""

    @property
    def cost(self) -> int:
        """All requests."""
        return self.requests.total()


def recover_site(
    seed: str, holders: Sequence[SimulatedRepository], policy: RecoveryPolicy = RecoveryPolicy.SPARING
) -> ProductRun:
    """Recover a site from repositories."""
    return recover_by_plan(RecoveryPlan((seed,), policy=policy), holders)


def recover_by_plan(plan: RecoveryPlan, holders: Sequence[SimulatedRepository]) -> ProductRun:
    """Recover what a plan says, from repositories."""
    return asyncio.run(_run_recovery(plan, holders))


async def _run_recovery(plan: RecoveryPlan, holders: Sequence[SimulatedRepository]) -> ProductRun:
    basket = await gather_versions(plan, holders)
    return ProductRun(basket.kept, basket.came, Counter({each.traits.name: each.requests.total() for each in holders}))


async def gather_versions(plan: RecoveryPlan, holders: Sequence[Repository]) -> MemorySink:
    """What a plan brings home from repositories."""
    basket = MemorySink()
    with RecoveryStore(Path(":memory:")) as recovery_store:
        judge = (
            partial(_suspect_response, frozenset(map(plan.identity.key, plan.seeds)))
            if plan.suspicious
            else _trust_response
        )
        clock = SteppingClock(LOST_AT)
        context = RecoveryContext(plan, holders, recovery_store, basket, clock, NullRecoveryObserver(), judge)
        await RecoveryRun(context, RunLoop()).run()
    return basket


def _suspect_response(roots: frozenset[str], resource: RecoveredResource, found: FetchedVersion) -> str:
    suspicion = detect_placeholder(found.exchange, is_root=resource.key in roots)
    return "" if suspicion is None else suspicion.value


def _trust_response(_resource: RecoveredResource, _found: FetchedVersion) -> str:
    return ""


def run_product(
    world: LostSite, policy: RecoveryPolicy = RecoveryPolicy.SPARING, faults: RepositoryFaults = NO_FAULTS
) -> PolicyOutcome:
    """What the product comes to on one lost site."""
    run = recover_site(site_origin(world), build_repositories(world, faults), policy)
    numbers = {resource_url(world, number): number for number in world.held_anywhere}
    return build_outcome(world, frozenset(numbers[url] for url in run.kept), run.cost)


PRODUCT_ROW = "webkeep"
COLUMNS = (
    ResultColumn("recovered", "recovered"),
    ResultColumn("recovered_of_held", "of all held"),
    ResultColumn("requests", "requests", is_share=False, digits=0),
    ResultColumn("efficiency", "efficiency", is_share=False, digits=2),
    ResultColumn("of_ceiling", "of the ceiling", is_share=False, digits=3),
)


def product_block(sites: Sequence[LostSite]) -> ResultTable:
    """The product beside the published policies on the same sites, and how near each comes to the ceiling."""
    best = [efficiency_ceiling(site).efficiency for site in sites]
    outcomes = {policy.value: made for policy, made in run_policies(sites).items()}
    outcomes[PRODUCT_ROW] = [run_product(site) for site in sites]
    rows = []
    for name, made in outcomes.items():
        shares = [each.efficiency / most for each, most in zip(made, best, strict=True)]
        rows.append(build_row(name, COLUMNS, mean_outcome(made) | {"of_ceiling": fmean(shares)}))
    notes = (f"The ceiling is {fmean(best):.3f}: all that is held, for the fewest requests by which it can be had.",)
    return ResultTable("E4", f"The product on {len(sites)} of these sites", "policy", COLUMNS, tuple(rows), notes)
