"""Experiment E5: random sites recovered by the knowledgeable policy, judged by the five loss scores; which copies count
as changed, and which of these as similar.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from statistics import fmean

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.lost_site import LostSite, WorldKind, draw_lost_sites
from webkeep.lab.recovery.simulation.parameters import RandomSiteParameters, read_parameters
from webkeep.lab.recovery.simulation.published_crawl import CrawlResult, run_published_crawl
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover import RecoveryPolicy
from webkeep.recover.report import DifferenceCounts, LossScores, score_losses
from webkeep.recover.repositories import VersionDepth

LOSS_COLUMNS = tuple(ResultColumn(each.name, each.name, is_share=False, digits=3) for each in fields(LossScores))
KIND_COLUMNS = tuple(ResultColumn(kind.name.lower(), f"{kind.name.lower()} recovered") for kind in WorldKind)
_DOCUMENTS_NOTE = "Documents and other things are calibrated by one figure, which lies between both."


@dataclass(frozen=True, slots=True)
class JudgedSite:
    """One site: its scores, and what came back of each kind."""

    losses: LossScores
    recovered: Counter[WorldKind]
    present: Counter[WorldKind]


def random_site_blocks(sites: int, seed: int = 1) -> list[ResultTable]:
    """The scores of so many sites, and what came back of each kind and from whom."""
    judged, given, requests = [], Counter[str](), Counter[str]()
    for site in _draw_sites(sites, seed):
        crawled = run_published_crawl(site, RecoveryPolicy.KNOWLEDGEABLE)
        judged.append(judge_site(site, crawled, random.Random(f"{seed}/{site.number}/changes")))
        given.update(crawled.resources_by_holder)
        requests.update(crawled.requests)
    told = read_published()["weeks"]
    scores = {column.name: fmean(getattr(each.losses, column.name) for each in judged) for column in LOSS_COLUMNS}
    first = build_row("mean", LOSS_COLUMNS, scores, None, told["losses"])
    shares = {column.name: _mean_share(judged, kind) for column, kind in zip(KIND_COLUMNS, WorldKind, strict=True)}
    second = build_row(
        "mean", KIND_COLUMNS, shares, None, told["kinds"], dict.fromkeys(("document", "other"), _DOCUMENTS_NOTE)
    )
    return [
        ResultTable("E5", "Loss scores of random sites (0 is best)", "sites", LOSS_COLUMNS, (first,)),
        ResultTable("E5", "What came back of each kind", "sites", KIND_COLUMNS, (second,), (_DOCUMENTS_NOTE,)),
        _contributions_block(given, requests),
    ]


def _draw_sites(count: int, seed: int) -> Sequence[LostSite]:
    given = read_parameters()
    weeks = given.weeks
    habits = replace(given.site, factor=weeks.factor, obsolete=weeks.obsolete, orphaned=weeks.orphaned)
    return list(draw_lost_sites(count, seed, replace(given, site=habits)))


def judge_site(site: LostSite, crawled: CrawlResult, chance: random.Random) -> JudgedSite:
    """What a reconstruction is worth, once it is known which pages had changed since they were copied."""
    weeks = read_parameters().weeks
    present = Counter(site.kinds[: site.current])
    recovered = Counter(site.kinds[number] for number in crawled.recovered if number < site.current)
    changed = similar = 0
    for number in sorted(crawled.recovered):
        if number < site.current and _is_changed(site.kinds[number], crawled.givers[number].depth, weeks, chance):
            changed += 1
            similar += site.kinds[number] in (WorldKind.HTML, WorldKind.DOCUMENT) and chance.random() < weeks.similar
    back = recovered.total()
    skipped = sum(number < site.current for number in crawled.skipped)
    difference = DifferenceCounts(back - changed, changed, site.current - back, len(crawled.recovered) - back)
    return JudgedSite(score_losses(difference, similar, skipped), recovered, present)


def _is_changed(kind: WorldKind, depth: VersionDepth, weeks: RandomSiteParameters, chance: random.Random) -> bool:
    """Whether a copy differs from what was lost: pages change, and caches convert all else."""
    if kind is not WorldKind.HTML:
        return depth is VersionDepth.FLAT
    ages = weeks.archive_days if depth is VersionDepth.DEEP else (1.0, weeks.fresh_days)
    age = chance.uniform(*ages) / 7
    habit = chance.random()
    if habit < weeks.always_changing:
        return True
    if habit > 1 - weeks.never_changing:
        return chance.random() < weeks.altered
    same: float = (1 - weeks.weekly_chance) ** age * (1 - weeks.altered)
    return chance.random() >= same


def _mean_share(judged: Sequence[JudgedSite], kind: WorldKind) -> float:
    return fmean(each.recovered[kind] / each.present[kind] for each in judged if each.present[kind])


def _contributions_block(given: Counter[str], requests: Counter[str]) -> ResultTable:
    told = read_published()["weeks"]
    columns = (
        ResultColumn("contribution", "contribution", 0.10),
        ResultColumn("efficiency", "efficiency", 0.2, False, 2),
    )
    why = {
        "contribution": "Which cache has the newest copy decides what it gives, and crawls are not simulated here.",
        "efficiency": "Of several copies of a page one is taken, and by chance here; all are asked for.",
    }
    rows = []
    for name in given:
        values = {"contribution": given[name] / given.total(), "efficiency": given[name] / requests[name]}
        printed = {column.name: told[column.name][name] for column in columns}
        rows.append(build_row(name, columns, values, None, printed, why))
    return ResultTable(
        "E5", "Who gave what, and how often in vain", "repository", columns, tuple(rows), tuple(why.values())
    )
