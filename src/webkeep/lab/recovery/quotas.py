"""Scenario: quotas that run out, slept through or worked around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from statistics import fmean

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import listing_cost
from webkeep.lab.recovery.parameters import parameters
from webkeep.lab.recovery.world import World

COLUMNS = (
    Column("bound", "published bound", is_share=False),
    Column("sleeping", "sleeping", is_share=False),
    Column("parking", "parking", is_share=False),
    Column("least", "least possible", is_share=False),
)
_NOTE = (
    "The published bound divides all requests by the tightest quota. Sleeping: when any quota is used up nothing is "
    "asked until the next day. Parking: only what needs that repository waits. Where one quota is the bottleneck, as "
    "the archive's is here, both take as long; parking brings home more on the first days."
)
Need = Mapping[str, int]


def quotas_block(sites: Sequence[World], tightness: Sequence[int] = (1, 5, 20)) -> Block:
    """Days to bring home all that is held, with the quotas of the day divided by some number."""
    rows = []
    for divisor in tightness:
        quota = {name: max(limit // divisor, 20) for name, limit in parameters().quota.items()}
        days = [days_needed(needs(site), quota) for site in sites]
        means = {column.name: fmean(each[column.name] for each in days) for column in COLUMNS}
        rows.append(row(f"1/{divisor}", COLUMNS, means))
    return Block("quota", "Days to finish with tight quotas", "quota", COLUMNS, tuple(rows), (_NOTE,))


def needs(site: World) -> list[Need]:
    """What an exhaustive crawl asks for, step by step: pages of listings, then every holder of every resource."""
    steps: list[Need] = [{each.name: 1} for each in site.holders for _ in range(listing_cost(site, each))]
    steps += [
        {each.name: each.queries for each in site.holders if number in site.held[each.name]}
        for number in sorted(site.anywhere)
    ]
    return steps


def days_needed(steps: Sequence[Need], quota: Mapping[str, int]) -> dict[str, float]:
    """The days that each way of dealing with quotas takes."""
    total: Counter[str] = Counter()
    for step in steps:
        total.update(step)
    return {
        "bound": total.total() / min(quota[name] for name in total),
        "sleeping": _sleeping(steps, quota),
        "parking": _parking(steps, quota),
        "least": max(ceil(count / quota[name]) for name, count in total.items()),
    }


def _sleeping(steps: Sequence[Need], quota: Mapping[str, int]) -> int:
    days, used = 1, Counter[str]()
    for step in steps:
        if not _fits(step, used, quota):
            days += 1
            used.clear()
        used.update(step)
    return days


def _parking(steps: Sequence[Need], quota: Mapping[str, int]) -> int:
    days, waiting = 0, list(steps)
    while waiting:
        days += 1
        used, left = Counter[str](), []
        for step in waiting:
            if _fits(step, used, quota):
                used.update(step)
            else:
                left.append(step)
        waiting = left
    return days


def _fits(step: Need, used: Counter[str], quota: Mapping[str, int]) -> bool:
    return all(used[name] + count <= quota[name] for name, count in step.items())
