"""Experiment E6: digital libraries, whose papers an archive keeps as papers and caches as pages; how the holdings of
each library are drawn.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.parameters import LibraryParameters, read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (
    ResultColumn("recovered", "recovered"),
    ResultColumn("papers_recovered", "papers recovered"),
    ResultColumn("as_papers", "as papers"),
    ResultColumn("as_pages", "as pages"),
)
_NOTE = "Shares of libraries are drawn anew for each, so that the mean of ten scatters widely; ours is of many."


def libraries_block(seed: int = 1, repeats: int = 40) -> ResultTable:
    """The ten libraries, so many times."""
    told = read_published()["libraries"]
    habits = read_parameters().libraries
    drawn = [
        _draw_library(facts, habits, random.Random(f"{seed}/{turn}/{facts['library']}"))
        for turn in range(repeats)
        for facts in told["sites"]
    ]
    means = {column.name: fmean(each[column.name] for each in drawn) for column in COLUMNS}
    rows = (build_row("mean", COLUMNS, means, None, told["published"]),)
    return ResultTable("E6", "Digital libraries", "libraries", COLUMNS, rows, (_NOTE,))


def _draw_library(facts: Mapping[str, Any], habits: LibraryParameters, chance: random.Random) -> dict[str, float]:
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
