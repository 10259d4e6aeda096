"""Scenario: a site that was redesigned shortly before it was lost, with caches that have only half caught up.

The newest copy of the root page shows the new design, whose pages nobody holds yet. No listing has that copy so far:
who goes by listings is led to the old root page, and from there to all that kept its URL.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.figure26 import POLICIES, crawl
from webkeep.lab.recovery.published import published
from webkeep.lab.recovery.world import ROOT, World

COLUMNS = (Column("recovered", "recovered"),)
_NEW = 0.3
"""The share of present URLs that came with the new design."""
_SITE = "www.digitalpreservation.gov"
_NOTE = f"Published is one such site, {_SITE}; ours is the mean of sites that are held less well."


def redesign_block(sites: Sequence[World], seed: int = 1) -> Block:
    """What each policy brings home of redesigned sites."""
    made = [redesigned(site, random.Random(f"{seed}/{site.number}/redesign")) for site in sites]
    told = next(each for each in published()["policies"]["sites"] if each["site"] == _SITE)
    rows = []
    for policy in POLICIES:
        worlds = [old if policy.lists else new for old, new in made]
        share = fmean(
            sum(number < site.current for number in crawl(site, policy).recovered) / site.current for site in worlds
        )
        told_share = {"recovered": 1 - told[policy][1]}
        rows.append(row(policy, COLUMNS, {"recovered": share}, None, told_share, {"recovered": _NOTE}))
    return Block("redesign", "A redesign that caches have not caught up with", "policy", COLUMNS, tuple(rows), (_NOTE,))


def redesigned(site: World, chance: random.Random) -> tuple[World, World]:
    """The site as its old root page shows it, and as the new one does."""
    new = frozenset(number for number in range(1, site.current) if chance.random() < _NEW)
    held = {name: numbers - new for name, numbers in site.held.items()}
    old = replace(site, held=held)
    return old, replace(old, links={**site.links, ROOT: tuple(sorted(new))})
