"""What an experiment came to: blocks of cells, each beside what was expected and what was published."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from webkeep.lab.coherence.reference_figures import LINK_ORDERS, ExpectedFigure

BLUR, INCOHERENCE = "average blur of a page", "incoherent pages expected"
"""What is measured."""


class TableAgreement(enum.Enum):
    """How a cell stands to the recomputed figure."""

    AGREES = "agrees"
    EXPLAINED = "differs, and it is known why"
    DIFFERS = "differs"
    UNTOLD = "nothing to hold it against"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A value: the mean over orders of links where it depends on them."""

    value: float | None
    """None where it was left out."""
    spread: float = 0.0
    """The standard deviation over orders of links."""
    samples: int = 1
    deviation: float = 0.0
    """The standard deviation of one simulated crawl around the value, by the model."""
    expected: ExpectedFigure | None = None
    published: float | None = None
    reason: str = ""
    """Why the recomputed figure is another, where that is known."""

    @property
    def agreement(self) -> TableAgreement:
        """How it stands to the recomputed figure."""
        if self.value is None or self.expected is None:
            return TableAgreement.UNTOLD
        allowed = self.expected.tolerance
        if self.expected.is_mean:
            allowed += 3 * self.spread * sqrt(1 / LINK_ORDERS + 1 / self.samples)
        if abs(self.value - self.expected.value) <= allowed:
            return TableAgreement.AGREES
        return TableAgreement.EXPLAINED if self.reason else TableAgreement.DIFFERS


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a block: one strategy, or one parameter of it."""

    name: str
    heading: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a block: one setting."""

    label: str
    place: float
    """Where it stands on the axis of a plot."""
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table or one half of it."""

    table: str
    title: str
    axis: str
    """What rows differ in."""
    measure: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    digits: int = 0
    notes: tuple[str, ...] = ()
    is_line_a_row: bool = False
    """Whether a plot has a line for each row, over the columns, and not for each column."""

    def cell(self, row: TableRow, column: str) -> TableCell:
        """The cell of a row in the column of this name."""
        return row.cells[[each.name for each in self.columns].index(column)]


def count_agreements(blocks: Sequence[TableBlock]) -> dict[TableAgreement, int]:
    """How many cells stand how to their recomputed figures."""
    counts = dict.fromkeys(TableAgreement, 0)
    for block in blocks:
        for row in block.rows:
            for cell in row.cells:
                counts[cell.agreement] += 1
    return counts


def count_near_published(blocks: Sequence[TableBlock]) -> tuple[int, int]:
    """Of the published numbers of incoherent pages, how many lie within three standard deviations of one crawl."""
    cells = [cell for block in blocks for row in block.rows for cell in row.cells]
    compared = [
        abs(cell.value - cell.published) <= 3 * max(cell.deviation, 1.0) + 3 * cell.spread
        for cell in cells
        if cell.value is not None and cell.published is not None and cell.deviation
    ]
    return sum(compared), len(compared)
