"""Scenario: copies that can be had on some days only, asked for again and again, and what came put together."""

from __future__ import annotations

import random

from webkeep.lab.coherence.plot import Line
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.parameters import parameters

COLUMNS = (Column("recovered", "recovered", 0.03),)
_RUNS = 7


def repeating_block(pages: int = 3000, seed: int = 1) -> Block:
    """The share of pages that came back by the first, second, third … run, beside what is to be expected."""
    reachable = 1 - parameters().decay.caches["yahoo"].flicker
    chance = random.Random(f"{seed}/repeating")
    missing = pages
    rows = []
    for run in range(1, _RUNS + 1):
        missing = sum(chance.random() >= reachable for _ in range(missing))
        expected = {"recovered": 1 - (1 - reachable) ** run}
        rows.append(row(str(run), COLUMNS, {"recovered": 1 - missing / pages}, expected))
    points = tuple((float(each.label), each.cells[0].value or 0.0) for each in rows)
    title = "Daily runs, merged, over a cache whose copies flicker"
    lines = (Line("recovered", points, "l0"),)
    return Block("repeat", title, "runs", COLUMNS, tuple(rows), lines=lines, across="runs", upward="share recovered")
