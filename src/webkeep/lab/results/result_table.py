"""What an experiment came to: a table of figures, each beside what it is held against and what was published; when a
figure agrees, differs, or differs for a known reason.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webkeep.presentation.drawings import PlotLine, series_style

_ROUNDING = 1e-9
"""So much two figures may differ by rounding alone."""


class ResultAgreement(enum.Enum):
    """How a figure stands to what it is held against."""

    AGREES = "agrees"
    EXPLAINED = "differs, and it is known why"
    DIFFERS = "differs"
    UNTOLD = "nothing to hold it against"


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column: how its figures are written, and by how much they may be off."""

    name: str
    heading: str
    band: float = 0.05
    """By how much a figure may be off; five percentage points where it is a share."""
    is_share: bool = True
    digits: int = 1
    is_relative: bool = False
    """Whether the band is a share of the figure itself."""
    published_digits: int | None = None
    """How many digits published figures have, where those are fewer."""

    def format_value(self, value: float) -> str:
        """A figure for people."""
        return f"{value:.{self.digits}%}" if self.is_share else f"{value:,.{self.digits}f}"

    def format_published(self, value: float) -> str:
        """A published figure for people."""
        return self.format_value(value) if self.published_digits is None else f"{value:,.{self.published_digits}f}"

    def tolerance(self, figure: float) -> float:
        """By how much a value may be off a figure of this column."""
        return self.band * abs(figure) if self.is_relative else self.band


@dataclass(frozen=True, slots=True)
class ResultCell:
    """One figure."""

    value: float | None
    """None where it was left out."""
    reference: float | None = None
    """What it is held against: a check run with the same parameters, or the published formula recomputed."""
    published: float | None = None
    reason: str = ""
    """Why it differs, where that is known."""
    tolerance: float | None = None
    """By how much it may be off the reference, or off what was published if there is no reference; None if it is held
    against neither."""
    published_tolerance: float | None = None
    """By how much a published figure may be off to count as near; None if it does not count."""
    spread: float = 0.0
    """The standard deviation over what the figure is the mean of."""
    deviation: float = 0.0
    """The standard deviation of one run around the figure, by the model."""

    @property
    def agreement(self) -> ResultAgreement:
        """How it stands to what it is held against."""
        against = self.published if self.reference is None else self.reference
        if self.value is None or against is None or self.tolerance is None:
            return ResultAgreement.UNTOLD
        if abs(self.value - against) <= self.tolerance + _ROUNDING:
            return ResultAgreement.AGREES
        return ResultAgreement.EXPLAINED if self.reason else ResultAgreement.DIFFERS

    @property
    def is_near_published(self) -> bool | None:
        """Whether what was published lies near; None where the two are not compared."""
        if self.value is None or self.published is None or self.published_tolerance is None:
            return None
        return abs(self.value - self.published) <= self.published_tolerance + _ROUNDING


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row: one repository, one policy, one setting."""

    label: str
    cells: tuple[ResultCell, ...]
    place: float = 0.0
    """Where it stands on the axis of a plot."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table, and lines to draw below it."""

    name: str
    """Of the experiment, or of the published table; several tables may have one name."""
    title: str
    axis: str
    """What rows differ in."""
    columns: tuple[ResultColumn, ...]
    rows: tuple[ResultRow, ...]
    notes: tuple[str, ...] = ()
    lines: tuple[PlotLine, ...] = ()
    across: str = ""
    """What the lines are drawn over."""
    upward: str = ""
    is_log: bool = False
    """Whether they are drawn over powers of ten."""
    measure: str = ""
    """What all figures measure, where it is the same."""
    label: str = ""
    """The name as people read it, where that is another."""
    reference: str = "calibrated"
    """What kind of figures cells are held against, in a word; its first letter stands for it."""

    def cell(self, row: ResultRow, column: str) -> ResultCell:
        """The cell of a row in the column of this name."""
        return row.cells[[each.name for each in self.columns].index(column)]

    def value(self, row: str, column: str) -> float:
        """A figure by the names of its row and column."""
        value = self.cell(next(each for each in self.rows if each.label == row), column).value
        if value is None:
            raise KeyError(f"{row}, {column}")
        return value


def build_row(
    label: str,
    columns: Sequence[ResultColumn],
    values: Mapping[str, float | None],
    calibrated: Mapping[str, float] | None = None,
    published: Mapping[str, float] | None = None,
    reasons: Mapping[str, str] | None = None,
) -> ResultRow:
    """A row of figures by the names of their columns, which say by how much they may be off."""
    cells = []
    for column in columns:
        reference, printed = ((each or {}).get(column.name) for each in (calibrated, published))
        against = printed if reference is None else reference
        cells.append(
            ResultCell(
                values.get(column.name),
                reference,
                printed,
                (reasons or {}).get(column.name, ""),
                None if against is None else column.tolerance(against),
                None if printed is None else column.tolerance(printed),
            )
        )
    return ResultRow(label, tuple(cells))


def plot_columns(columns: Sequence[ResultColumn], rows: Sequence[ResultRow]) -> tuple[PlotLine, ...]:
    """A line for each column, over the numbers that rows are labelled with."""
    return tuple(
        PlotLine(
            column.heading,
            tuple((float(row.label), row.cells[place].value or 0.0) for row in rows),
            series_style(place),
        )
        for place, column in enumerate(columns)
    )


def count_agreements(tables: Sequence[ResultTable]) -> dict[ResultAgreement, int]:
    """How many figures stand how to what they are held against."""
    counts = dict.fromkeys(ResultAgreement, 0)
    for cell in _all_cells(tables):
        counts[cell.agreement] += 1
    return counts


def count_near_published(tables: Sequence[ResultTable]) -> tuple[int, int]:
    """Of the published figures that are compared, how many lie near ours."""
    compared = [is_near for cell in _all_cells(tables) if (is_near := cell.is_near_published) is not None]
    return sum(compared), len(compared)


def _all_cells(tables: Sequence[ResultTable]) -> list[ResultCell]:
    return [cell for table in tables for row in table.rows for cell in row.cells]
