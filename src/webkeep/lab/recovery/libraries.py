"""Experiment E6: digital libraries, whose papers an archive keeps as papers and caches as pages."""

from __future__ import annotations

import random
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.parameters import Libraries, parameters
from webkeep.lab.recovery.published import published

COLUMNS = (
    Column("recovered", "recovered"),
    Column("papers_recovered", "papers recovered"),
    Column("as_papers", "as papers"),
    Column("as_pages", "as pages"),
)
_NOTE = "Shares of libraries are drawn anew for each, so that the mean of ten scatters widely; ours is of many."


def libraries_block(seed: int = 1, repeats: int = 40) -> Block:
    """The ten libraries, so many times."""
    told = published()["libraries"]
    habits = parameters().libraries
    drawn = [
        _library(facts, habits, random.Random(f"{seed}/{turn}/{facts['library']}"))
        for turn in range(repeats)
        for facts in told["sites"]
    ]
    means = {column.name: fmean(each[column.name] for each in drawn) for column in COLUMNS}
    rows = (row("mean", COLUMNS, means, None, told["published"]),)
    return Block("E6", "Digital libraries", "libraries", COLUMNS, rows, (_NOTE,))


def _library(facts: Mapping[str, Any], habits: Libraries, chance: random.Random) -> dict[str, float]:
    total, papers = facts["total"], facts["papers"]
    spread = habits.archive_spread
    archive = chance.betavariate(habits.archive_mean * spread, (1 - habits.archive_mean) * spread)
    caches = min(max(chance.gauss(habits.caches_mean, habits.caches_deviation), 0.0), 1.0)
    whole = sum(chance.random() < archive for _ in range(papers))
    converted = sum(chance.random() < caches for _ in range(papers - whole))
    pages = sum(chance.random() < habits.pages for _ in range(total - papers))
    back = max(whole + converted, 1)
    return {
        "recovered": (whole + converted + pages) / total,
        "papers_recovered": (whole + converted) / papers,
        "as_papers": whole / back,
        "as_pages": converted / back,
    }
