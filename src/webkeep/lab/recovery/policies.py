"""Experiment E4: the three published policies on the same lost sites, what they bring home and what they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from webkeep.lab.recovery.ceiling import Ceiling, ceiling
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import POLICIES, Crawled, crawl
from webkeep.lab.recovery.published import published
from webkeep.lab.recovery.statistics import signed_ranks
from webkeep.lab.recovery.world import World
from webkeep.recover.plan import Policy

COLUMNS = (
    Column("recovered", "recovered"),
    Column("added", "added"),
    Column("requests", "requests", 0.20, is_share=False, digits=0, is_relative=True),
    Column("efficiency", "efficiency", is_share=False, digits=2),
    Column("efficiency_without_added", "without added", is_share=False, digits=2),
    Column("recovered_of_held", "of all held"),
)
CEILING = "ceiling"
_NOTE = (
    "Requests scatter with the sizes of sites, so that a fifth is allowed. The recovered shares were calibrated some "
    "five points below the published ones."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way of recovering came to on one site."""

    recovered: float
    added: float
    requests: int
    efficiency: float
    efficiency_without_added: float
    recovered_of_held: float


def outcome(world: World, recovered: frozenset[int], requests: int) -> Outcome:
    """The figures of a crawl that brought these resources home with so many requests."""
    present = sum(number < world.current for number in recovered)
    cost = max(requests, 1)
    return Outcome(
        present / world.current,
        (len(recovered) - present) / max(len(recovered), 1),
        requests,
        len(recovered) / cost,
        present / cost,
        len(recovered & world.anywhere) / len(world.anywhere),
    )


def policy_outcomes(sites: Sequence[World]) -> dict[Policy, list[Outcome]]:
    """The three policies on every site."""
    return {policy: [_outcome(site, crawl(site, policy)) for site in sites] for policy in POLICIES}


def _outcome(world: World, crawled: Crawled) -> Outcome:
    return outcome(world, crawled.recovered, crawled.cost)


def policies_block(sites: Sequence[World]) -> Block:
    """The policies beside one another, and beside the efficiency that nobody can exceed."""
    told = published()["policies"]
    outcomes = policy_outcomes(sites)
    rows = [
        row(policy, COLUMNS, means(made), told["calibrated"][policy], told["published"][policy])
        for policy, made in outcomes.items()
    ]
    best = [ceiling(site) for site in sites]
    rows.append(row(CEILING, COLUMNS, _ceiling_means(sites, best)))
    return Block("E4", "Three crawling policies", "policy", COLUMNS, tuple(rows), (_NOTE, *_tests(outcomes)))


def means(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """The mean of every figure over all sites."""
    return {column.name: fmean(getattr(each, column.name) for each in outcomes) for column in COLUMNS}


def _ceiling_means(sites: Sequence[World], best: Sequence[Ceiling]) -> dict[str, float | None]:
    outcomes = [outcome(site, site.anywhere, each.requests) for site, each in zip(sites, best, strict=True)]
    return means(outcomes)


def _tests(outcomes: Mapping[Policy, Sequence[Outcome]]) -> list[str]:
    """Whether the policies differ by more than chance (matched pairs, signed ranks)."""
    told = []
    for first, second in ((0, 1), (1, 2), (0, 2)):
        one, other = POLICIES[first], POLICIES[second]
        test = signed_ranks(*([each.efficiency for each in outcomes[policy]] for policy in (one, other)))
        told.append(f"Efficiency of {one} and {other}: signed ranks, p {_p(test.p)}.")
    return told


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
