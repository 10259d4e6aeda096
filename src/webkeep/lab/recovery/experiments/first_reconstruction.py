"""Experiment E3: sites of given sizes, reconstructed by the naive policy from each repository alone and from all of
them together, and what each contributes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.lost_site import LostSite, WorldKind, build_lost_site
from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.recovery.simulation.published_crawl import CrawlResult, run_published_crawl
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover import RecoveryPolicy

COLUMNS = (
    ResultColumn("recovered", "recovered"),
    ResultColumn("recovered_median", "median", 0.08),
    ResultColumn("html", "pages", 0.10),
    ResultColumn("images", "pictures", 0.10),
    ResultColumn("contribution", "contribution", 0.10),
)
ALL_REPOSITORIES = "all together"
_KIND_COLUMNS = (("html", (WorldKind.HTML,)), ("images", (WorldKind.IMAGE,)))
_DATES_NOTE = "Which cache has the newest copy decides what it contributes, and its crawls are not simulated here."
_CALIBRATION_NOTE = (
    "Holdings are calibrated for the same sites half a year later, of which less was published of each kind."
)


def first_reconstruction_block(seed: int = 1, repeats: int = 5) -> ResultTable:
    """The 24 sites, as often as it takes for means to settle."""
    told = read_published()["first"]
    sites = [
        _draw_site(number, facts, random.Random(f"{seed}/{number}/{facts['site']}"))
        for number, facts in enumerate(told["sites"] * repeats)
    ]
    together = [run_published_crawl(site, RecoveryPolicy.NAIVE) for site in sites]
    given = [crawled.resources_by_holder for crawled in together]
    whole = sum(sum(each.values()) for each in given)
    printed = told["published"] | _published_shares(told["sites"])
    rows = [
        build_row(
            ALL_REPOSITORIES,
            COLUMNS,
            _reconstruction_figures(sites, together),
            None,
            printed,
            dict.fromkeys(("html", "images"), _CALIBRATION_NOTE),
        )
    ]
    for holder in sites[0].holders:
        alone = [run_published_crawl(replace(site, holders=(holder,)), RecoveryPolicy.NAIVE) for site in sites]
        values = _reconstruction_figures(sites, alone) | {
            "contribution": sum(each[holder.name] for each in given) / whole
        }
        share = {"contribution": told["contribution"][holder.name]}
        rows.append(build_row(holder.name, COLUMNS, values, None, share, {"contribution": _DATES_NOTE}))
    return ResultTable(
        "E3", "The first 24 sites, naive policy", "repositories", COLUMNS, tuple(rows), (_CALIBRATION_NOTE, _DATES_NOTE)
    )


def _draw_site(number: int, facts: Mapping[str, Any], chance: random.Random) -> LostSite:
    counts = (
        (WorldKind.HTML, facts["html"][0]),
        (WorldKind.IMAGE, facts["images"][0]),
        (WorldKind.OTHER, facts["other"][0]),
    )
    kinds = [kind for kind, count in counts for _ in range(count)]
    rest = kinds[1:]
    chance.shuffle(rest)
    return build_lost_site(number, [WorldKind.HTML, *rest], chance, read_parameters())


def _reconstruction_figures(sites: Sequence[LostSite], crawls: Sequence[CrawlResult]) -> dict[str, float | None]:
    shares = [_recovered_share(site, crawled, tuple(WorldKind)) for site, crawled in zip(sites, crawls, strict=True)]
    figures: dict[str, float | None] = {"recovered": fmean(shares), "recovered_median": median(shares)}
    for name, kinds in _KIND_COLUMNS:
        figures[name] = fmean(
            _recovered_share(site, crawled, kinds) for site, crawled in zip(sites, crawls, strict=True)
        )
    return figures


def _recovered_share(site: LostSite, crawled: CrawlResult, kinds: Sequence[WorldKind]) -> float:
    present = {number for number in range(site.current) if site.kinds[number] in kinds}
    return len(present & crawled.recovered) / len(present) if present else 0.0


def _published_shares(sites: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The published shares of each kind, as means over sites."""
    return {
        name: fmean(facts[name][1] / facts[name][0] for facts in sites if facts[name][0]) for name in ("html", "images")
    }
