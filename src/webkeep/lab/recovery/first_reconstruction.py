"""Experiment E3: 24 sites of given sizes, reconstructed from each repository alone and from all of them together."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import Crawled, crawl
from webkeep.lab.recovery.parameters import parameters
from webkeep.lab.recovery.published import published
from webkeep.lab.recovery.world import Kind, World, world
from webkeep.recover.plan import Policy

COLUMNS = (
    Column("recovered", "recovered"),
    Column("recovered_median", "median", 0.08),
    Column("html", "pages", 0.10),
    Column("images", "pictures", 0.10),
    Column("contribution", "contribution", 0.10),
)
ALL = "all together"
_KINDS = (("html", (Kind.HTML,)), ("images", (Kind.IMAGE,)))
_DATES = "Which cache has the newest copy decides what it contributes, and its crawls are not simulated here."
_CALIBRATED = "Holdings are calibrated for the same sites half a year later, of which less was published of each kind."


def first_block(seed: int = 1, repeats: int = 5) -> Block:
    """The 24 sites, as often as it takes for means to settle."""
    told = published()["first"]
    sites = [
        _site(number, facts, random.Random(f"{seed}/{number}/{facts['site']}"))
        for number, facts in enumerate(told["sites"] * repeats)
    ]
    together = [crawl(site, Policy.NAIVE) for site in sites]
    given = [crawled.given for crawled in together]
    whole = sum(sum(each.values()) for each in given)
    printed = told["published"] | _by_kind(told["sites"])
    rows = [row(ALL, COLUMNS, _figures(sites, together), None, printed, dict.fromkeys(("html", "images"), _CALIBRATED))]
    for holder in sites[0].holders:
        alone = [crawl(replace(site, holders=(holder,)), Policy.NAIVE) for site in sites]
        values = _figures(sites, alone) | {"contribution": sum(each[holder.name] for each in given) / whole}
        share = {"contribution": told["contribution"][holder.name]}
        rows.append(row(holder.name, COLUMNS, values, None, share, {"contribution": _DATES}))
    return Block("E3", "The first 24 sites, naive policy", "repositories", COLUMNS, tuple(rows), (_CALIBRATED, _DATES))


def _site(number: int, facts: Mapping[str, Any], chance: random.Random) -> World:
    counts = ((Kind.HTML, facts["html"][0]), (Kind.IMAGE, facts["images"][0]), (Kind.OTHER, facts["other"][0]))
    kinds = [kind for kind, count in counts for _ in range(count)]
    rest = kinds[1:]
    chance.shuffle(rest)
    return world(number, [Kind.HTML, *rest], chance, parameters())


def _figures(sites: Sequence[World], crawls: Sequence[Crawled]) -> dict[str, float | None]:
    shares = [_share(site, crawled, tuple(Kind)) for site, crawled in zip(sites, crawls, strict=True)]
    figures: dict[str, float | None] = {"recovered": fmean(shares), "recovered_median": median(shares)}
    for name, kinds in _KINDS:
        figures[name] = fmean(_share(site, crawled, kinds) for site, crawled in zip(sites, crawls, strict=True))
    return figures


def _share(site: World, crawled: Crawled, kinds: Sequence[Kind]) -> float:
    present = {number for number in range(site.current) if site.kinds[number] in kinds}
    return len(present & crawled.recovered) / len(present) if present else 0.0


def _by_kind(sites: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The published shares of each kind, as means over sites."""
    return {
        name: fmean(facts[name][1] / facts[name][0] for facts in sites if facts[name][0]) for name in ("html", "images")
    }
