"""The product's own crawl, let loose on simulated repositories: nothing is written, and nothing waited for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean

from webkeep.lab.recovery.ceiling import ceiling
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.holdings import LOST_AT, repositories
from webkeep.lab.recovery.policies import Outcome, means, outcome, policy_outcomes
from webkeep.lab.recovery.simulated import CALM, SimulatedRepository, Whims
from webkeep.lab.recovery.site_content import origin, url_of
from webkeep.lab.recovery.world import World
from webkeep.model import Moment
from webkeep.recover.book import Book, Resource
from webkeep.recover.crawling import Crawl
from webkeep.recover.plan import Plan, Policy
from webkeep.recover.provenance import Provenance
from webkeep.recover.repository import Found, Repository
from webkeep.recover.study import Studied, links_of
from webkeep.recover.suspicion import suspicion_of
from webkeep.recover.watching import Nobody

_STEP = 30.0
"""Seconds by which a clock runs on when it is looked at."""


class HastyClock:
    """A clock that runs on whenever it is looked at, so that nothing has to be waited for."""

    def __init__(self, begin: Moment) -> None:
        self._now = begin

    def now(self) -> Moment:
        """A moment later than the last."""
        self._now = self._now.plus(_STEP)
        return self._now


@dataclass(slots=True)
class Basket:
    """Keeps in memory what came."""

    kept: dict[str, Found] = field(default_factory=dict)
    """By URL; of several versions the last."""
    came: list[Found] = field(default_factory=list)

    async def keep(self, _resource: Resource, found: Found, _provenance: Provenance) -> Studied:
        """Keep it, and say where it leads."""
        self.kept[found.exchange.url] = found
        self.came.append(found)
        redirect, links = links_of(found.exchange)
        return Studied(links, redirect)

    def tell(self) -> None:
        """There is nobody to tell."""

    async def settle(self) -> None:
        """All that came is kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the product brought home."""

    kept: dict[str, Found]
    """By URL."""
    came: list[Found]
    """All versions."""
    requests: Counter[str]
    """By repository, as the repositories counted them."""

    @property
    def cost(self) -> int:
        """All requests."""
        return self.requests.total()


def recover(seed: str, holders: Sequence[SimulatedRepository], policy: Policy = Policy.SPARING) -> Run:
    """Recover a site from repositories."""
    return recover_by(Plan((seed,), policy=policy), holders)


def recover_by(plan: Plan, holders: Sequence[SimulatedRepository]) -> Run:
    """Recover what a plan says, from repositories."""
    return asyncio.run(_recover(plan, holders))


async def _recover(plan: Plan, holders: Sequence[SimulatedRepository]) -> Run:
    basket = await gather(plan, holders)
    return Run(basket.kept, basket.came, Counter({each.traits.name: each.requests.total() for each in holders}))


async def gather(plan: Plan, holders: Sequence[Repository]) -> Basket:
    """What a plan brings home from repositories."""
    basket = Basket()
    with Book(Path(":memory:")) as book:
        judge = partial(_suspected, frozenset(map(plan.identity.key, plan.seeds))) if plan.suspicious else _trusted
        await Crawl(plan, holders, book, basket, HastyClock(LOST_AT), Nobody(), judge).run()
    return basket


def _suspected(roots: frozenset[str], resource: Resource, found: Found) -> str:
    suspicion = suspicion_of(found.exchange, is_root=resource.key in roots)
    return "" if suspicion is None else suspicion.value


def _trusted(_resource: Resource, _found: Found) -> str:
    return ""


def product_outcome(world: World, policy: Policy = Policy.SPARING, whims: Whims = CALM) -> Outcome:
    """What the product comes to on one lost site."""
    run = recover(origin(world), repositories(world, whims), policy)
    numbers = {url_of(world, number): number for number in world.anywhere}
    return outcome(world, frozenset(numbers[url] for url in run.kept), run.cost)


OURS = "webkeep"
COLUMNS = (
    Column("recovered", "recovered"),
    Column("recovered_of_held", "of all held"),
    Column("requests", "requests", is_share=False, digits=0),
    Column("efficiency", "efficiency", is_share=False, digits=2),
    Column("of_ceiling", "of the ceiling", is_share=False, digits=3),
)


def product_block(sites: Sequence[World]) -> Block:
    """The product beside the published policies on the same sites, and how near each comes to the ceiling."""
    best = [ceiling(site).efficiency for site in sites]
    outcomes = {policy.value: made for policy, made in policy_outcomes(sites).items()}
    outcomes[OURS] = [product_outcome(site) for site in sites]
    rows = []
    for name, made in outcomes.items():
        shares = [each.efficiency / most for each, most in zip(made, best, strict=True)]
        rows.append(row(name, COLUMNS, means(made) | {"of_ceiling": fmean(shares)}))
    notes = (f"The ceiling is {fmean(best):.3f}: all that is held, for the fewest requests by which it can be had.",)
    return Block("E4", f"The product on {len(sites)} of these sites", "policy", COLUMNS, tuple(rows), notes)
