"""Scenario redesign: a site that was redesigned shortly before it was lost, with caches that have only half caught up;
what each published policy brings home.

The newest copy of the root page shows the new design, whose pages nobody holds yet. No listing has that copy so far:
who goes by listings is led to the old root page, and from there to all that kept its URL.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.lost_site import ROOT_NUMBER, LostSite
from webkeep.lab.recovery.simulation.published_crawl import PUBLISHED_POLICIES, run_published_crawl
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (ResultColumn("recovered", "recovered"),)
_NEW_SHARE = 0.3
"""The share of present URLs that came with the new design."""
_PUBLISHED_SITE = "www.digitalpreservation.gov"
_NOTE = f"Published is one such site, {_PUBLISHED_SITE}; ours is the mean of sites that are held less well."


def redesign_block(sites: Sequence[LostSite], seed: int = 1) -> ResultTable:
    """What each policy brings home of redesigned sites."""
    made = [redesign_site(site, random.Random(f"{seed}/{site.number}/redesign")) for site in sites]
    told = next(each for each in read_published()["policies"]["sites"] if each["site"] == _PUBLISHED_SITE)
    rows = []
    for policy in PUBLISHED_POLICIES:
        worlds = [old if policy.uses_listings else new for old, new in made]
        share = fmean(
            sum(number < site.current for number in run_published_crawl(site, policy).recovered) / site.current
            for site in worlds
        )
        told_share = {"recovered": 1 - told[policy][1]}
        rows.append(build_row(policy, COLUMNS, {"recovered": share}, None, told_share, {"recovered": _NOTE}))
    return ResultTable(
        "redesign", "A redesign that caches have not caught up with", "policy", COLUMNS, tuple(rows), (_NOTE,)
    )


def redesign_site(site: LostSite, chance: random.Random) -> tuple[LostSite, LostSite]:
    """The site as its old root page shows it, and as the new one does."""
    new = frozenset(number for number in range(1, site.current) if chance.random() < _NEW_SHARE)
    held = {name: numbers - new for name, numbers in site.held.items()}
    old = replace(site, held=held)
    return old, replace(old, links={**site.links, ROOT_NUMBER: tuple(sorted(new))})
