"""Crawls that meet changes of chance, beside what the model expects of their schedules: of how many crawls a figure is
the mean, and by how many standard errors it may be off.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from math import sqrt

from webkeep.coherence.schedules import (
    VisitSchedule,
    actual_blur,
    expected_average_blur,
    expected_incoherence,
    incoherent_pages,
)
from webkeep.lab.coherence.coherence_table import CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.poisson_process import draw_changes
from webkeep.lab.coherence.reference_figures import ExpectedFigure
from webkeep.lab.coherence.site_crawler import REVISIT_COLUMNS, SINGLE_VISIT_COLUMNS, SiteCrawler
from webkeep.lab.coherence.tree_site import ShuffledSite, TreeSite
from webkeep.lab.demo.site_plan import LeafRates
from webkeep.lab.results.result_table import ResultColumn, ResultRow, ResultTable

SIMULATED_TABLE = "simulated"
SIMULATED_RUNS = 20
"""Crawls of which a figure is the mean; its standard error is known from their spread."""
_MAX_STANDARD_ERRORS = 4.0
"""By so many standard errors a mean may be off what is expected."""
_SIMULATED_NOTE = "The recomputed figures are what the model expects; a mean may be off by four of its standard errors."

ChangeHistory = Sequence[Sequence[float]]
CrawlScore = Callable[[ChangeHistory, VisitSchedule], float]


def build_simulated_blocks(pages: int = 2_000, outdegree: int = 80, seed: int = 0) -> list[ResultTable]:
    """Every strategy on two sites, over the same histories."""
    once = [column for column in SINGLE_VISIT_COLUMNS if column.name != "olston-pandey"]
    sites = [TreeSite(pages, leaves, outdegree=outdegree) for leaves in LeafRates]
    blur, incoherence = (
        tuple(_simulate_row(site, columns, score, expectation, seed) for site in sites)
        for columns, score, expectation in (
            (once, _score_blur, expected_average_blur),
            (REVISIT_COLUMNS, _score_incoherence, expected_incoherence),
        )
    )
    title = f"{pages:,} pages, means of {SIMULATED_RUNS} simulated crawls"
    return [
        build_table(
            TableSubject(SIMULATED_TABLE, f"Blur, {title}", "leaves", "actual blur of a page", 3),
            once,
            blur,
            (_SIMULATED_NOTE,),
        ),
        build_table(
            TableSubject(SIMULATED_TABLE, f"Incoherence, {title}", "leaves", "incoherent pages", 1),
            REVISIT_COLUMNS,
            incoherence,
            (_SIMULATED_NOTE,),
        ),
    ]


def _simulate_row(
    site: TreeSite,
    columns: Sequence[ResultColumn],
    score: CrawlScore,
    expectation: Callable[[list[float], VisitSchedule], float],
    seed: int,
) -> ResultRow:
    crawler, rates = SiteCrawler(ShuffledSite(site, seed)), site.rates
    schedules = [crawler.schedule(column.name) for column in columns]
    scores: list[list[float]] = [[] for _ in columns]
    for run in range(SIMULATED_RUNS):
        history = draw_history(site, f"{seed}/{run}")
        for values, schedule in zip(scores, schedules, strict=True):
            values.append(score(history, schedule))
    cells = []
    for values, schedule in zip(scores, schedules, strict=True):
        error = statistics.stdev(values) / sqrt(SIMULATED_RUNS)
        expected = ExpectedFigure(expectation(rates, schedule), max(_MAX_STANDARD_ERRORS * error, 1e-9))
        cells.append(CrawlFigure(statistics.fmean(values), statistics.stdev(values), SIMULATED_RUNS).beside(expected))
    return ResultRow(site.leaves.value, tuple(cells))


def draw_history(site: TreeSite, seed: str) -> list[list[float]]:
    """When each page changes while it is visited and revisited."""
    return [list(draw_changes(site.rate(page), f"{seed}/{page}", 2.0 * site.pages)) for page in range(site.pages)]


def _score_blur(history: ChangeHistory, schedule: VisitSchedule) -> float:
    return actual_blur(history, schedule) / len(history)


def _score_incoherence(history: ChangeHistory, schedule: VisitSchedule) -> float:
    return float(len(incoherent_pages(history, schedule)))
