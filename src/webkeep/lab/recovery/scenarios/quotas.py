"""Scenario quota: quotas that run out, slept through or worked around; how many days each way takes, beside the
published bound and the least possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from statistics import fmean

from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.recovery.simulation.published_crawl import listing_cost
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (
    ResultColumn("bound", "published bound", is_share=False),
    ResultColumn("sleeping", "sleeping", is_share=False),
    ResultColumn("parking", "parking", is_share=False),
    ResultColumn("least", "least possible", is_share=False),
)
_NOTE = (
    "The published bound divides all requests by the tightest quota. Sleeping: when any quota is used up nothing is "
    "asked until the next day. Parking: only what needs that repository waits. Where one quota is the bottleneck, as "
    "the archive's is here, both take as long; parking brings home more on the first days."
)
RequestNeed = Mapping[str, int]


def quotas_block(sites: Sequence[LostSite], tightness: Sequence[int] = (1, 5, 20)) -> ResultTable:
    """Days to bring home all that is held, with the quotas of the day divided by some number."""
    rows = []
    for divisor in tightness:
        quota = {name: max(limit // divisor, 20) for name, limit in read_parameters().quota.items()}
        days = [count_days(request_needs(site), quota) for site in sites]
        means = {column.name: fmean(each[column.name] for each in days) for column in COLUMNS}
        rows.append(build_row(f"1/{divisor}", COLUMNS, means))
    return ResultTable("quota", "Days to finish with tight quotas", "quota", COLUMNS, tuple(rows), (_NOTE,))


def request_needs(site: LostSite) -> list[RequestNeed]:
    """What an exhaustive crawl asks for, step by step: pages of listings, then every holder of every resource."""
    steps: list[RequestNeed] = [{each.name: 1} for each in site.holders for _ in range(listing_cost(site, each))]
    steps += [
        {each.name: each.queries for each in site.holders if number in site.held[each.name]}
        for number in sorted(site.held_anywhere)
    ]
    return steps


def count_days(steps: Sequence[RequestNeed], quota: Mapping[str, int]) -> dict[str, float]:
    """The days that each way of dealing with quotas takes."""
    total: Counter[str] = Counter()
    for step in steps:
        total.update(step)
    return {
        "bound": total.total() / min(quota[name] for name in total),
        "sleeping": _count_days_sleeping(steps, quota),
        "parking": _count_days_parking(steps, quota),
        "least": max(ceil(count / quota[name]) for name, count in total.items()),
    }


def _count_days_sleeping(steps: Sequence[RequestNeed], quota: Mapping[str, int]) -> int:
    days, used = 1, Counter[str]()
    for step in steps:
        if not _is_within_quota(step, used, quota):
            days += 1
            used.clear()
        used.update(step)
    return days


def _count_days_parking(steps: Sequence[RequestNeed], quota: Mapping[str, int]) -> int:
    days, waiting = 0, list(steps)
    while waiting:
        days += 1
        used, left = Counter[str](), []
        for step in waiting:
            if _is_within_quota(step, used, quota):
                used.update(step)
            else:
                left.append(step)
        waiting = left
    return days


def _is_within_quota(step: RequestNeed, used: Counter[str], quota: Mapping[str, int]) -> bool:
    return all(used[name] + count <= quota[name] for name, count in step.items())
