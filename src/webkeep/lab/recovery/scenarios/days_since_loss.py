"""Scenario loss: how much of a lost site is left to be had, from caches and from an archive, the longer one waits; when
a cache lets go of a page.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.parameters import CacheBehaviour, read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row, plot_columns
from webkeep.recover.repositories import VersionDepth

DAYS_SINCE_LOSS = (0, 7, 30, 90, 365)
"""At once, after a week, a month, a season, a year."""
COLUMNS = (
    ResultColumn("caches", "from caches"),
    ResultColumn("archive", "from the archive"),
    ResultColumn("union", "from either"),
)
_NOTE = "Caches let a page go when a visit finds it gone; what an archive has it keeps."


def days_since_loss_block(sites: Sequence[LostSite], seed: int = 1) -> ResultTable:
    """The share of lost resources that somebody still has, by days since the loss."""
    ends = [_draw_last_days(site, random.Random(f"{seed}/{site.number}/purges")) for site in sites]
    deep = [
        frozenset().union(*(site.held[each.name] for each in site.holders if each.depth is VersionDepth.DEEP))
        for site in sites
    ]
    rows = []
    for day in DAYS_SINCE_LOSS:
        kept = [{number for number, end in each.items() if end > day} for each in ends]
        shares = {
            "caches": _held_share(sites, kept),
            "archive": _held_share(sites, deep),
            "union": _held_share(sites, [set(held) | left for held, left in zip(deep, kept, strict=True)]),
        }
        rows.append(build_row(str(day), COLUMNS, shares))
    lines = plot_columns(COLUMNS, rows)
    title = "What is left of a lost site"
    return ResultTable(
        "loss", title, "days", COLUMNS, tuple(rows), (_NOTE,), lines, "days since the loss", "share left"
    )


def _draw_last_days(site: LostSite, chance: random.Random) -> dict[int, float]:
    """The day on which the last cache lets go of each resource."""
    ends: dict[int, float] = {}
    for holder in site.holders:
        if holder.depth is VersionDepth.FLAT:
            habits = read_parameters().decay.caches[holder.name]
            for number in sorted(site.held[holder.name]):
                ends[number] = max(ends.get(number, 0.0), _draw_purge_day(habits, chance))
    return ends


def _draw_purge_day(habits: CacheBehaviour, chance: random.Random) -> float:
    """The first visit after the loss that comes about."""
    day = chance.uniform(0, habits.revisit)
    while chance.random() >= habits.take:
        day += habits.revisit
    return day


def _held_share(sites: Sequence[LostSite], kept: Sequence[frozenset[int] | set[int]]) -> float:
    return fmean(
        sum(number < site.current for number in each) / site.current for site, each in zip(sites, kept, strict=True)
    )
