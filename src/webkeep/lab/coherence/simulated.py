"""Crawls that meet changes of chance, beside what the model expects of their schedules."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from math import sqrt

from webkeep.coherence import Schedule, actual_blur, average_blur, expected_incoherence, incoherent_pages
from webkeep.lab.coherence.cell import Block, Cell, Column, Row
from webkeep.lab.coherence.contender import SINGLE_VISIT, VISIT_AND_REVISIT, Crawler
from webkeep.lab.coherence.figures import Expected
from webkeep.lab.coherence.poisson import changes
from webkeep.lab.coherence.tree import ShuffledSite, TreeSite
from webkeep.lab.demo.plan import Leaves

SIMULATED = "simulated"
RUNS = 20
_ERRORS = 4.0
"""By so many standard errors a mean may be off what is expected."""
_NOTE = "The recomputed figures are what the model expects; a mean may be off by four of its standard errors."

History = Sequence[Sequence[float]]
Score = Callable[[History, Schedule], float]


def simulated_blocks(pages: int = 2_000, outdegree: int = 80, seed: int = 0) -> list[Block]:
    """Every strategy on two sites, over the same histories."""
    once = [column for column in SINGLE_VISIT if column.name != "olston-pandey"]
    sites = [TreeSite(pages, leaves, outdegree=outdegree) for leaves in Leaves]
    blur, incoherence = (
        tuple(_row(site, columns, score, expectation, seed) for site in sites)
        for columns, score, expectation in (
            (once, _blur, average_blur),
            (VISIT_AND_REVISIT, _incoherence, expected_incoherence),
        )
    )
    title = f"{pages:,} pages, means of {RUNS} simulated crawls"
    return [
        Block(SIMULATED, f"Blur, {title}", "leaves", "actual blur of a page", tuple(once), blur, 3, (_NOTE,)),
        Block(
            SIMULATED,
            f"Incoherence, {title}",
            "leaves",
            "incoherent pages",
            VISIT_AND_REVISIT,
            incoherence,
            1,
            (_NOTE,),
        ),
    ]


def _row(
    site: TreeSite,
    columns: Sequence[Column],
    score: Score,
    expectation: Callable[[list[float], Schedule], float],
    seed: int,
) -> Row:
    crawler, rates = Crawler(ShuffledSite(site, seed)), site.rates
    schedules = [crawler.schedule(column.name) for column in columns]
    scores: list[list[float]] = [[] for _ in columns]
    for run in range(RUNS):
        history = history_of_chance(site, f"{seed}/{run}")
        for values, schedule in zip(scores, schedules, strict=True):
            values.append(score(history, schedule))
    cells = []
    for values, schedule in zip(scores, schedules, strict=True):
        error = statistics.stdev(values) / sqrt(RUNS)
        expected = Expected(expectation(rates, schedule), max(_ERRORS * error, 1e-9))
        cells.append(Cell(statistics.fmean(values), statistics.stdev(values), RUNS, expected=expected))
    return Row(site.leaves.value, 0.0, tuple(cells))


def history_of_chance(site: TreeSite, seed: str) -> list[list[float]]:
    """When each page changes while it is visited and revisited."""
    return [list(changes(site.rate(page), f"{seed}/{page}", 2.0 * site.pages)) for page in range(site.pages)]


def _blur(history: History, schedule: Schedule) -> float:
    return actual_blur(history, schedule) / len(history)


def _incoherence(history: History, schedule: Schedule) -> float:
    return float(len(incoherent_pages(history, schedule)))
