"""What an experiment came to: figures beside those of check runs and those that were published."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webkeep.lab.coherence.line_plot import PlotLine


class FigureAgreement(enum.Enum):
    """How a figure stands to what it is held against."""

    AGREES = "agrees"
    EXPLAINED = "differs, and it is known why"
    DIFFERS = "differs"
    UNTOLD = "nothing to hold it against"


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column: how its figures are written, and by how much they may be off."""

    name: str
    heading: str
    band: float = 0.05
    """By how much a figure may be off; five percentage points where it is a share."""
    is_share: bool = True
    digits: int = 1
    is_relative: bool = False
    """Whether the band is a share of the figure itself."""

    def format_value(self, value: float) -> str:
        """A figure for people."""
        return f"{value:.{self.digits}%}" if self.is_share else f"{value:,.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class FigureCell:
    """One figure."""

    value: float | None
    """None where it was left out."""
    calibrated: float | None = None
    """What check runs with the same parameters gave."""
    published: float | None = None
    reason: str = ""
    """Why it differs, where that is known."""

    def agreement(self, column: FigureColumn) -> FigureAgreement:
        """How it stands to the check run, or else to what was published."""
        against = self.published if self.calibrated is None else self.calibrated
        if self.value is None or against is None:
            return FigureAgreement.UNTOLD
        band = column.band * abs(against) if column.is_relative else column.band
        if abs(self.value - against) <= band + 1e-9:
            return FigureAgreement.AGREES
        return FigureAgreement.EXPLAINED if self.reason else FigureAgreement.DIFFERS


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A row: one repository, one policy, one setting."""

    label: str
    cells: tuple[FigureCell, ...]


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A table, and lines to draw below it."""

    experiment: str
    title: str
    axis: str
    """What rows differ in."""
    columns: tuple[FigureColumn, ...]
    rows: tuple[FigureRow, ...]
    notes: tuple[str, ...] = ()
    lines: tuple[PlotLine, ...] = ()
    across: str = ""
    """What the lines are drawn over."""
    upward: str = ""

    def value(self, row: str, column: str) -> float:
        """A figure by the names of its row and column."""
        place = [each.name for each in self.columns].index(column)
        cell = next(each for each in self.rows if each.label == row).cells[place]
        if cell.value is None:
            raise KeyError(f"{row}, {column}")
        return cell.value


def build_row(
    label: str,
    columns: Sequence[FigureColumn],
    values: Mapping[str, float | None],
    calibrated: Mapping[str, float] | None = None,
    published: Mapping[str, float] | None = None,
    reasons: Mapping[str, str] | None = None,
) -> FigureRow:
    """A row of figures by the names of their columns."""
    beside, printed, why = calibrated or {}, published or {}, reasons or {}
    return FigureRow(
        label,
        tuple(
            FigureCell(values.get(each.name), beside.get(each.name), printed.get(each.name), why.get(each.name, ""))
            for each in columns
        ),
    )


def count_agreements(blocks: Sequence[FigureBlock]) -> dict[FigureAgreement, int]:
    """How many figures stand how to what they are held against."""
    counts = dict.fromkeys(FigureAgreement, 0)
    for block in blocks:
        for each in block.rows:
            for column, cell in zip(block.columns, each.cells, strict=True):
                counts[cell.agreement(column)] += 1
    return counts


def count_near_published(blocks: Sequence[FigureBlock]) -> tuple[int, int]:
    """Of the published figures, how many lie within the band of ours."""
    compared = [
        FigureCell(cell.value, published=cell.published).agreement(column) is FigureAgreement.AGREES
        for block in blocks
        for each in block.rows
        for column, cell in zip(block.columns, each.cells, strict=True)
        if cell.value is not None and cell.published is not None
    ]
    return sum(compared), len(compared)
