"""Experiment E4: the three published policies on the same lost sites, what they bring home and what they ask for; how
efficiency is reckoned, and whether they differ by more than chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.report.statistics import wilcoxon_test
from webkeep.lab.recovery.simulation.efficiency_ceiling import EfficiencyCeiling, efficiency_ceiling
from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.published_crawl import PUBLISHED_POLICIES, CrawlResult, run_published_crawl
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover import RecoveryPolicy

COLUMNS = (
    ResultColumn("recovered", "recovered"),
    ResultColumn("added", "added"),
    ResultColumn("requests", "requests", 0.20, is_share=False, digits=0, is_relative=True),
    ResultColumn("efficiency", "efficiency", is_share=False, digits=2),
    ResultColumn("efficiency_without_added", "without added", is_share=False, digits=2),
    ResultColumn("recovered_of_held", "of all held"),
)
CEILING_ROW = "ceiling"
_NOTE = (
    "Requests scatter with the sizes of sites, so that a fifth is allowed. The recovered shares were calibrated some "
    "five points below the published ones."
)


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """What one way of recovering came to on one site."""

    recovered: float
    added: float
    requests: int
    efficiency: float
    efficiency_without_added: float
    recovered_of_held: float


def build_outcome(world: LostSite, recovered: frozenset[int], requests: int) -> PolicyOutcome:
    """The figures of a crawl that brought these resources home with so many requests."""
    present = sum(number < world.current for number in recovered)
    cost = max(requests, 1)
    return PolicyOutcome(
        present / world.current,
        (len(recovered) - present) / max(len(recovered), 1),
        requests,
        len(recovered) / cost,
        present / cost,
        len(recovered & world.held_anywhere) / len(world.held_anywhere),
    )


def run_policies(sites: Sequence[LostSite]) -> dict[RecoveryPolicy, list[PolicyOutcome]]:
    """The three policies on every site."""
    return {
        policy: [_crawl_outcome(site, run_published_crawl(site, policy)) for site in sites]
        for policy in PUBLISHED_POLICIES
    }


def _crawl_outcome(world: LostSite, crawled: CrawlResult) -> PolicyOutcome:
    return build_outcome(world, crawled.recovered, crawled.cost)


def policies_block(sites: Sequence[LostSite]) -> ResultTable:
    """The policies beside one another, and beside the efficiency that nobody can exceed."""
    told = read_published()["policies"]
    outcomes = run_policies(sites)
    rows = [
        build_row(policy, COLUMNS, mean_outcome(made), told["calibrated"][policy], told["published"][policy])
        for policy, made in outcomes.items()
    ]
    best = [efficiency_ceiling(site) for site in sites]
    rows.append(build_row(CEILING_ROW, COLUMNS, _ceiling_means(sites, best)))
    return ResultTable(
        "E4", "Three crawling policies", "policy", COLUMNS, tuple(rows), (_NOTE, *_significance_notes(outcomes))
    )


def mean_outcome(outcomes: Sequence[PolicyOutcome]) -> dict[str, float | None]:
    """The mean of every figure over all sites."""
    return {column.name: fmean(getattr(each, column.name) for each in outcomes) for column in COLUMNS}


def _ceiling_means(sites: Sequence[LostSite], best: Sequence[EfficiencyCeiling]) -> dict[str, float | None]:
    outcomes = [build_outcome(site, site.held_anywhere, each.requests) for site, each in zip(sites, best, strict=True)]
    return mean_outcome(outcomes)


def _significance_notes(outcomes: Mapping[RecoveryPolicy, Sequence[PolicyOutcome]]) -> list[str]:
    """Whether the policies differ by more than chance (matched pairs, signed ranks)."""
    told = []
    for first, second in ((0, 1), (1, 2), (0, 2)):
        one, other = PUBLISHED_POLICIES[first], PUBLISHED_POLICIES[second]
        test = wilcoxon_test(*([each.efficiency for each in outcomes[policy]] for policy in (one, other)))
        told.append(f"Efficiency of {one} and {other}: signed ranks, p {_format_p(test.p)}.")
    return told


def _format_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
