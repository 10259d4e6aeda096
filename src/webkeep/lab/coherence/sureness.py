"""The two tables of strategies that take a probability as their parameter: SHARC-Threshold and SHARC-Intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

from webkeep.coherence import (
    Schedule,
    expected_incoherence,
    incoherence_variance,
    intervals,
    joined,
    threshold,
    threshold_outside_in,
)
from webkeep.lab.coherence.cell import INCOHERENCE, Block, Cell, Column, Row
from webkeep.lab.coherence.figures import Expected, expected_intervals, expected_threshold, published
from webkeep.lab.coherence.tree import TreeSite

SURENESS_TABLES = {"5.1": "SHARC-Threshold", "5.2": "SHARC-Intervals"}
_SKEWS = ("1.0", "1.5", "2.0")
_COLUMNS = tuple(Column(name, name) for name in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.95"))


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to carry a strategy out."""

    name: str
    make: Callable[[list[float], float], Schedule]
    expected: Callable[[str, str], Expected | None]
    """The recomputed figure by skew and parameter."""
    is_published: bool = False
    """Whether the published figures follow this form."""


def _forms(table: str, pages: int) -> Iterator[_Form]:
    if table == "5.1":
        geometry = joined(pages)
        yield _Form("inside out", partial(_placed, threshold, geometry), partial(expected_threshold, "inside out"))
        outward = partial(_placed, threshold_outside_in, geometry)
        yield _Form("outside in", outward, partial(expected_threshold, "outside in"), is_published=True)
    else:
        yield _Form("as placed", intervals, expected_intervals, is_published=True)
        yield _Form("shrunk", partial(intervals, shrunk=True), lambda _skew, _sureness: None)


def _placed(make: Callable[..., Schedule], geometry: object, rates: list[float], sureness: float) -> Schedule:
    return make(rates, sureness, geometry)


def sureness_block(table: str, pages: int) -> Block:
    """The table, by skew and form."""
    rows = [_row(table, skew, form, pages) for skew in _SKEWS for form in _forms(table, pages)]
    title = f"Incoherence of {SURENESS_TABLES[table]} by its parameter"
    return Block(table, title, "skew and form", INCOHERENCE, _COLUMNS, tuple(rows), is_line_a_row=True)


def _row(table: str, skew: str, form: _Form, pages: int) -> Row:
    rates = TreeSite(pages, skew=float(skew)).rates
    cells = []
    for column in _COLUMNS:
        schedule = form.make(rates, float(column.name))
        printed = published(table, skew, column.name) if form.is_published else None
        deviation = sqrt(incoherence_variance(rates, schedule))
        value = expected_incoherence(rates, schedule)
        cells.append(Cell(value, deviation=deviation, expected=form.expected(skew, column.name), published=printed))
    return Row(f"{skew}, {form.name}", float(skew), tuple(cells))
