"""The two tables of strategies that take a probability as their parameter (5.1 and 5.2): SHARC-Threshold and
SHARC-Intervals, in which forms, and for which skews and probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

from webkeep.coherence.schedules import (
    VisitSchedule,
    expected_incoherence,
    incoherence_variance,
    intervals_schedule,
    joined_revisit_slots,
    outside_in_schedule,
    threshold_schedule,
)
from webkeep.lab.coherence.coherence_table import INCOHERENCE, CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.reference_figures import (
    ExpectedFigure,
    published_figure,
    recomputed_intervals,
    recomputed_threshold,
)
from webkeep.lab.coherence.tree_site import TreeSite
from webkeep.lab.results.result_table import ResultColumn, ResultRow, ResultTable

PROBABILITY_TABLES = {"5.1": "SHARC-Threshold", "5.2": "SHARC-Intervals"}
_SKEWS = ("1.0", "1.5", "2.0")
_COLUMNS = tuple(
    ResultColumn(name, name) for name in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.95")
)


@dataclass(frozen=True, slots=True)
class _StrategyForm:
    """One way to carry a strategy out."""

    name: str
    make: Callable[[list[float], float], VisitSchedule]
    expected: Callable[[str, str], ExpectedFigure | None]
    """The recomputed figure by skew and parameter."""
    is_published: bool = False
    """Whether the published figures follow this form."""


def _strategy_forms(table: str, pages: int) -> Iterator[_StrategyForm]:
    if table == "5.1":
        slots = joined_revisit_slots(pages)
        yield _StrategyForm(
            "inside out",
            partial(_schedule_with, threshold_schedule, slots),
            partial(recomputed_threshold, "inside out"),
        )
        outward = partial(_schedule_with, outside_in_schedule, slots)
        yield _StrategyForm("outside in", outward, partial(recomputed_threshold, "outside in"), is_published=True)
    else:
        yield _StrategyForm("as placed", intervals_schedule, recomputed_intervals, is_published=True)
        yield _StrategyForm("shrunk", partial(intervals_schedule, shrunk=True), lambda _skew, _sureness: None)


def _schedule_with(
    make: Callable[..., VisitSchedule], geometry: object, rates: list[float], sureness: float
) -> VisitSchedule:
    return make(rates, sureness, geometry)


def probability_block(table: str, pages: int) -> ResultTable:
    """The table, by skew and form."""
    rows = [_build_row(table, skew, form, pages) for skew in _SKEWS for form in _strategy_forms(table, pages)]
    title = f"Incoherence of {PROBABILITY_TABLES[table]} by its parameter"
    return build_table(
        TableSubject(table, title, "skew and form", INCOHERENCE, is_line_a_row=True), _COLUMNS, tuple(rows)
    )


def _build_row(table: str, skew: str, form: _StrategyForm, pages: int) -> ResultRow:
    rates = TreeSite(pages, skew=float(skew)).rates
    cells = []
    for column in _COLUMNS:
        schedule = form.make(rates, float(column.name))
        printed = published_figure(table, skew, column.name) if form.is_published else None
        deviation = sqrt(incoherence_variance(rates, schedule))
        value = expected_incoherence(rates, schedule)
        cells.append(CrawlFigure(value, deviation=deviation).beside(form.expected(skew, column.name), printed))
    return ResultRow(f"{skew}, {form.name}", tuple(cells), float(skew))
