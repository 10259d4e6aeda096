"""Scenario: a site of which the root page is all that is left, and what an archive and a cache still hold of it.

Of the one such site among the 24 of E4 two policies brought home a single page, and the exhaustive one 2,244 resources.
"""

from __future__ import annotations

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import POLICIES, crawl
from webkeep.lab.recovery.holdings import repositories
from webkeep.lab.recovery.parameters import parameters
from webkeep.lab.recovery.product import recover
from webkeep.lab.recovery.site_content import origin
from webkeep.lab.recovery.world import ROOT, Kind, World

COLUMNS = (Column("recovered", "resources", 0.5, is_share=False, digits=0),)
_ARCHIVE, _CACHE = 1952, 292
"""What the archive and one cache held of that site."""
_TOLD = {"naive": 1.0, "knowledgeable": 1.0, "exhaustive": 2244.0}


def dead_site() -> World:
    """A site of one page, with earlier versions that nothing leads to."""
    held: dict[str, frozenset[int]] = dict.fromkeys((each.name for each in parameters().holders), frozenset())
    held["ia"] = frozenset(range(_ARCHIVE))
    held["google"] = frozenset({ROOT, *range(_ARCHIVE, _ARCHIVE + _CACHE)})
    kinds = tuple(_kind(number) for number in range(_ARCHIVE + _CACHE))
    return World(0, kinds, 1, {}, held, parameters().holders)


def _kind(number: int) -> Kind:
    return Kind.IMAGE if number % 2 else Kind.HTML


def dead_site_share() -> float:
    """The share of all held that the product brings home of the dead site."""
    world = dead_site()
    return len(recover(origin(world), repositories(world)).kept) / len(world.anywhere)


def dead_site_block() -> Block:
    """The published policies and the product on the dead site."""
    world = dead_site()
    rows = [
        row(
            policy,
            COLUMNS,
            {"recovered": float(len(crawl(world, policy).recovered))},
            None,
            {"recovered": _TOLD[policy]},
        )
        for policy in POLICIES
    ]
    kept = recover(origin(world), repositories(world)).kept
    rows.append(row("webkeep", COLUMNS, {"recovered": float(len(kept))}))
    return Block("dead", "A site that is really lost", "policy", COLUMNS, tuple(rows))
