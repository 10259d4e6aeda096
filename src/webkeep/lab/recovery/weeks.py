"""Experiment E5: 300 random sites recovered by the knowledgeable policy, judged by the five loss scores."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from statistics import fmean

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import Crawled, crawl
from webkeep.lab.recovery.parameters import Weeks, parameters
from webkeep.lab.recovery.published import published
from webkeep.lab.recovery.world import Kind, World, worlds
from webkeep.recover.difference import Difference
from webkeep.recover.plan import Policy
from webkeep.recover.repository_traits import Depth
from webkeep.recover.success import Losses, losses

LOSSES = tuple(Column(each.name, each.name, is_share=False, digits=3) for each in fields(Losses))
KINDS = tuple(Column(kind.name.lower(), f"{kind.name.lower()} recovered") for kind in Kind)
_ONE_FIGURE = "Documents and other things are calibrated by one figure, which lies between both."


@dataclass(frozen=True, slots=True)
class Judged:
    """One site: its scores, and what came back of each kind."""

    losses: Losses
    recovered: Counter[Kind]
    present: Counter[Kind]


def weeks_blocks(sites: int, seed: int = 1) -> list[Block]:
    """The scores of so many sites, and what came back of each kind and from whom."""
    judged, given, requests = [], Counter[str](), Counter[str]()
    for site in _sites(sites, seed):
        crawled = crawl(site, Policy.KNOWLEDGEABLE)
        judged.append(judge(site, crawled, random.Random(f"{seed}/{site.number}/changes")))
        given.update(crawled.given)
        requests.update(crawled.requests)
    told = published()["weeks"]
    scores = {column.name: fmean(getattr(each.losses, column.name) for each in judged) for column in LOSSES}
    first = row("mean", LOSSES, scores, None, told["losses"])
    shares = {column.name: _mean_share(judged, kind) for column, kind in zip(KINDS, Kind, strict=True)}
    second = row("mean", KINDS, shares, None, told["kinds"], dict.fromkeys(("document", "other"), _ONE_FIGURE))
    return [
        Block("E5", "Loss scores of random sites (0 is best)", "sites", LOSSES, (first,)),
        Block("E5", "What came back of each kind", "sites", KINDS, (second,), (_ONE_FIGURE,)),
        _contributions(given, requests),
    ]


def _sites(count: int, seed: int) -> Sequence[World]:
    given = parameters()
    weeks = given.weeks
    habits = replace(
        given.site,
        factor_mean=weeks.factor_mean,
        factor_deviation=weeks.factor_deviation,
        factor_least=weeks.factor_least,
        factor_most=weeks.factor_most,
        obsolete=weeks.obsolete,
        orphaned=weeks.orphaned,
    )
    return list(worlds(count, seed, replace(given, site=habits)))


def judge(site: World, crawled: Crawled, chance: random.Random) -> Judged:
    """What a reconstruction is worth, once it is known which pages had changed since they were copied."""
    weeks = parameters().weeks
    present = Counter(site.kinds[: site.current])
    recovered = Counter(site.kinds[number] for number in crawled.recovered if number < site.current)
    changed = similar = 0
    for number in sorted(crawled.recovered):
        if number < site.current and _is_changed(site.kinds[number], crawled.givers[number].depth, weeks, chance):
            changed += 1
            similar += site.kinds[number] in (Kind.HTML, Kind.DOCUMENT) and chance.random() < weeks.similar
    back = recovered.total()
    skipped = sum(number < site.current for number in crawled.skipped)
    difference = Difference(back - changed, changed, site.current - back, len(crawled.recovered) - back)
    return Judged(losses(difference, similar, skipped), recovered, present)


def _is_changed(kind: Kind, depth: Depth, weeks: Weeks, chance: random.Random) -> bool:
    """Whether a copy differs from what was lost: pages change, and caches convert all else."""
    if kind is not Kind.HTML:
        return depth is Depth.FLAT
    ages = weeks.archive_days if depth is Depth.DEEP else (1.0, weeks.fresh_days)
    age = chance.uniform(*ages) / 7
    habit = chance.random()
    if habit < weeks.always_changing:
        return True
    if habit > 1 - weeks.never_changing:
        return chance.random() < weeks.altered
    same: float = (1 - weeks.weekly_chance) ** age * (1 - weeks.altered)
    return chance.random() >= same


def _mean_share(judged: Sequence[Judged], kind: Kind) -> float:
    return fmean(each.recovered[kind] / each.present[kind] for each in judged if each.present[kind])


def _contributions(given: Counter[str], requests: Counter[str]) -> Block:
    told = published()["weeks"]
    columns = (Column("contribution", "contribution", 0.10), Column("efficiency", "efficiency", 0.2, False, 2))
    why = {
        "contribution": "Which cache has the newest copy decides what it gives, and crawls are not simulated here.",
        "efficiency": "Of several copies of a page one is taken, and by chance here; all are asked for.",
    }
    rows = []
    for name in given:
        values = {"contribution": given[name] / given.total(), "efficiency": given[name] / requests[name]}
        printed = {column.name: told[column.name][name] for column in columns}
        rows.append(row(name, columns, values, None, printed, why))
    return Block("E5", "Who gave what, and how often in vain", "repository", columns, tuple(rows), tuple(why.values()))
