"""Scenario: how much of a lost site is left to be had, the longer one waits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

from webkeep.lab.coherence.plot import Line
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.parameters import CacheHabits, parameters
from webkeep.lab.recovery.world import World
from webkeep.recover.repository_traits import Depth

DAYS = (0, 7, 30, 90, 365)
COLUMNS = (
    Column("caches", "from caches"),
    Column("archive", "from the archive"),
    Column("union", "from either"),
)
_NOTE = "Caches let a page go when a visit finds it gone; what an archive has it keeps."


def since_loss_block(sites: Sequence[World], seed: int = 1) -> Block:
    """The share of lost resources that somebody still has, by days since the loss."""
    ends = [_ends(site, random.Random(f"{seed}/{site.number}/purges")) for site in sites]
    deep = [
        frozenset().union(*(site.held[each.name] for each in site.holders if each.depth is Depth.DEEP))
        for site in sites
    ]
    rows = []
    for day in DAYS:
        kept = [{number for number, end in each.items() if end > day} for each in ends]
        shares = {
            "caches": _share(sites, kept),
            "archive": _share(sites, deep),
            "union": _share(sites, [set(held) | left for held, left in zip(deep, kept, strict=True)]),
        }
        rows.append(row(str(day), COLUMNS, shares))
    lines = tuple(
        Line(column.heading, tuple((float(each.label), each.cells[place].value or 0.0) for each in rows), f"l{place}")
        for place, column in enumerate(COLUMNS)
    )
    title = "What is left of a lost site"
    return Block("loss", title, "days", COLUMNS, tuple(rows), (_NOTE,), lines, "days since the loss", "share left")


def _ends(site: World, chance: random.Random) -> dict[int, float]:
    """The day on which the last cache lets go of each resource."""
    ends: dict[int, float] = {}
    for holder in site.holders:
        if holder.depth is Depth.FLAT:
            habits = parameters().decay.caches[holder.name]
            for number in sorted(site.held[holder.name]):
                ends[number] = max(ends.get(number, 0.0), _purged(habits, chance))
    return ends


def _purged(habits: CacheHabits, chance: random.Random) -> float:
    """The first visit after the loss that comes about."""
    day = chance.uniform(0, habits.revisit)
    while chance.random() >= habits.take:
        day += habits.revisit
    return day


def _share(sites: Sequence[World], kept: Sequence[frozenset[int] | set[int]]) -> float:
    return fmean(
        sum(number < site.current for number in each) / site.current for site, each in zip(sites, kept, strict=True)
    )
