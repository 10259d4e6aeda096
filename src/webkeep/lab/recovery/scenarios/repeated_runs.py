"""Scenario repeat: copies that can be had on some days only, asked for again and again, and what came put together,
beside what is to be expected.
"""

from __future__ import annotations

import random

from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row, plot_columns

COLUMNS = (ResultColumn("recovered", "recovered", 0.03),)
_RUN_COUNT = 7
"""Daily runs: a week of them."""


def repeated_runs_block(pages: int = 3000, seed: int = 1) -> ResultTable:
    """The share of pages that came back by the first, second, third … run, beside what is to be expected."""
    reachable = 1 - read_parameters().decay.caches["yahoo"].flicker
    chance = random.Random(f"{seed}/repeating")
    missing = pages
    rows = []
    for run in range(1, _RUN_COUNT + 1):
        missing = sum(chance.random() >= reachable for _ in range(missing))
        expected = {"recovered": 1 - (1 - reachable) ** run}
        rows.append(build_row(str(run), COLUMNS, {"recovered": 1 - missing / pages}, expected))
    title = "Daily runs, merged, over a cache whose copies flicker"
    lines = plot_columns(COLUMNS, rows)
    return ResultTable(
        "repeat", title, "runs", COLUMNS, tuple(rows), lines=lines, across="runs", upward="share recovered"
    )
