"""Scenario dead: a site of which the root page is all that is left, and what the published policies and the product
bring home of what an archive and a cache still hold of it.

Of the one such site among the 24 of E4 two policies brought home a single page, and the exhaustive one 2,244 resources.
"""

from __future__ import annotations

from webkeep.lab.recovery.scenarios.product_recovery import recover_site
from webkeep.lab.recovery.simulation.lost_site import ROOT_NUMBER, LostSite, WorldKind
from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.recovery.simulation.published_crawl import PUBLISHED_POLICIES, run_published_crawl
from webkeep.lab.recovery.simulation.repository_holdings import build_repositories
from webkeep.lab.recovery.simulation.site_content import site_origin
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (ResultColumn("recovered", "resources", 0.5, is_share=False, digits=0),)
_ARCHIVED_RESOURCES, _CACHED_RESOURCES = 1952, 292
"""What the archive and one cache held of that site."""
_PUBLISHED_COUNTS = {"naive": 1.0, "knowledgeable": 1.0, "exhaustive": 2244.0}


def build_dead_site() -> LostSite:
    """A site of one page, with earlier versions that nothing leads to."""
    held: dict[str, frozenset[int]] = dict.fromkeys((each.name for each in read_parameters().holders), frozenset())
    held["ia"] = frozenset(range(_ARCHIVED_RESOURCES))
    held["google"] = frozenset({ROOT_NUMBER, *range(_ARCHIVED_RESOURCES, _ARCHIVED_RESOURCES + _CACHED_RESOURCES)})
    kinds = tuple(_kind_by_number(number) for number in range(_ARCHIVED_RESOURCES + _CACHED_RESOURCES))
    return LostSite(0, kinds, 1, {}, held, read_parameters().holders)


def _kind_by_number(number: int) -> WorldKind:
    return WorldKind.IMAGE if number % 2 else WorldKind.HTML


def recovered_share() -> float:
    """The share of all held that the product brings home of the dead site."""
    world = build_dead_site()
    return len(recover_site(site_origin(world), build_repositories(world)).kept) / len(world.held_anywhere)


def dead_site_block() -> ResultTable:
    """The published policies and the product on the dead site."""
    world = build_dead_site()
    rows = [
        build_row(
            policy,
            COLUMNS,
            {"recovered": float(len(run_published_crawl(world, policy).recovered))},
            None,
            {"recovered": _PUBLISHED_COUNTS[policy]},
        )
        for policy in PUBLISHED_POLICIES
    ]
    kept = recover_site(site_origin(world), build_repositories(world)).kept
    rows.append(build_row("webkeep", COLUMNS, {"recovered": float(len(kept))}))
    return ResultTable("dead", "A site that is really lost", "policy", COLUMNS, tuple(rows))
