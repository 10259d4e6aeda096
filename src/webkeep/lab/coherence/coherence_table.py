"""Tables of blur and coherence: figures beside the recomputed and the published ones, by how much they may be off, and
which lines are drawn through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

from webkeep.lab.coherence.reference_figures import LINK_ORDERS, ExpectedFigure
from webkeep.lab.results.result_table import ResultCell, ResultColumn, ResultRow, ResultTable
from webkeep.presentation.drawings import PlotLine, series_style

BLUR, INCOHERENCE = "average blur of a page", "incoherent pages expected"
"""What is measured."""
_PUBLISHED_DIGITS = 2
"""Digits of published figures at most."""
_FIFO_STRATEGY = "hottest-first-fifo"
"""With FIFO revisits the order of visits makes no difference, so that one line stands for all."""
_AXES_OF_NAMES = frozenset({"site", "leaves"})
"""What rows differ in where they stand on no scale, so that no lines are drawn."""


@dataclass(frozen=True, slots=True)
class CrawlFigure:
    """What crawls came to: the mean over orders of links where it depends on them."""

    value: float | None
    """None where it was left out."""
    spread: float = 0.0
    """The standard deviation over orders of links."""
    samples: int = 1
    deviation: float = 0.0
    """The standard deviation of one simulated crawl around the value, by the model."""

    def beside(
        self, expected: ExpectedFigure | None = None, published: float | None = None, reason: str = ""
    ) -> ResultCell:
        """The figure beside the recomputed one, which it is held against, and the published one.

        A published number of incoherent pages comes from one crawl, and is near within three standard deviations.
        """
        return ResultCell(
            self.value,
            None if expected is None else expected.value,
            published,
            reason,
            None if expected is None else self._tolerance(expected),
            3 * max(self.deviation, 1.0) + 3 * self.spread if self.deviation else None,
            self.spread,
            self.deviation,
        )

    def _tolerance(self, expected: ExpectedFigure) -> float:
        if not expected.is_mean:
            return expected.tolerance
        return expected.tolerance + 3 * self.spread * sqrt(1 / LINK_ORDERS + 1 / self.samples)


@dataclass(frozen=True, slots=True)
class TableSubject:
    """What a table is about."""

    name: str
    title: str
    axis: str
    """What rows differ in."""
    measure: str
    digits: int = 0
    is_line_a_row: bool = False
    """Whether a plot has a line for each row, over the columns, and not for each column."""


def build_table(
    subject: TableSubject,
    columns: Iterable[ResultColumn],
    rows: tuple[ResultRow, ...],
    notes: Iterable[str] = (),
) -> ResultTable:
    """The table, with lines where its rows stand on a scale."""
    printed = min(subject.digits, _PUBLISHED_DIGITS)
    written = tuple(replace(each, is_share=False, digits=subject.digits, published_digits=printed) for each in columns)
    lines = tuple(_row_lines(written, rows) if subject.is_line_a_row else _column_lines(written, rows))
    has_lines = subject.axis not in _AXES_OF_NAMES and max((len(line.points) for line in lines), default=0) > 1
    return ResultTable(
        subject.name,
        subject.title,
        subject.axis,
        written,
        rows,
        tuple(f"* {note}" for note in notes),
        lines if has_lines else (),
        "parameter" if subject.is_line_a_row else subject.axis,
        subject.measure,
        subject.axis == "pages",
        subject.measure,
        table_label(subject.name),
        "recomputed",
    )


def table_label(name: str) -> str:
    """A table's name as people read it: those of the literature have numbers."""
    return f"Table {name}" if name[0].isdigit() else name.capitalize()


def _row_lines(columns: tuple[ResultColumn, ...], rows: tuple[ResultRow, ...]) -> Iterator[PlotLine]:
    for number, row in enumerate(rows):
        points = [(float(column.name), cell.value) for column, cell in zip(columns, row.cells, strict=True)]
        yield PlotLine(row.label, _known_points(points), series_style(number // 2, number % 2))


def _column_lines(columns: tuple[ResultColumn, ...], rows: tuple[ResultRow, ...]) -> Iterator[PlotLine]:
    number = 0
    for place, column in enumerate(columns):
        if column.name == "sharc-revisits" or (column.name.endswith("-fifo") and column.name != _FIFO_STRATEGY):
            continue
        heading = "Revisits, and FIFO in any order" if column.name == _FIFO_STRATEGY else column.heading
        points = _known_points([(row.place, row.cells[place].value) for row in rows])
        yield PlotLine(heading, points, series_style(number, number // 3))
        number += 1


def _known_points(points: Iterable[tuple[float, float | None]]) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in points if y is not None)
