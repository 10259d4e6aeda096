"""What an experiment came to: blocks of cells, each beside what was expected and what was published."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from webkeep.lab.coherence.figures import FIVE, Expected

BLUR, INCOHERENCE = "average blur of a page", "incoherent pages expected"
"""What is measured."""


class Agreement(enum.Enum):
    """How a cell stands to the recomputed figure."""

    AGREES = "agrees"
    EXPLAINED = "differs, and it is known why"
    DIFFERS = "differs"
    UNTOLD = "nothing to hold it against"


@dataclass(frozen=True, slots=True)
class Cell:
    """A value: the mean over orders of links where it depends on them."""

    value: float | None
    """None where it was left out."""
    spread: float = 0.0
    """The standard deviation over orders of links."""
    samples: int = 1
    deviation: float = 0.0
    """The standard deviation of one simulated crawl around the value, by the model."""
    expected: Expected | None = None
    published: float | None = None
    reason: str = ""
    """Why the recomputed figure is another, where that is known."""

    @property
    def agreement(self) -> Agreement:
        """How it stands to the recomputed figure."""
        if self.value is None or self.expected is None:
            return Agreement.UNTOLD
        allowed = self.expected.tolerance
        if self.expected.is_mean:
            allowed += 3 * self.spread * sqrt(1 / FIVE + 1 / self.samples)
        if abs(self.value - self.expected.value) <= allowed:
            return Agreement.AGREES
        return Agreement.EXPLAINED if self.reason else Agreement.DIFFERS


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a block: one strategy, or one parameter of it."""

    name: str
    heading: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a block: one setting."""

    label: str
    place: float
    """Where it stands on the axis of a plot."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A table or one half of it."""

    table: str
    title: str
    axis: str
    """What rows differ in."""
    measure: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    digits: int = 0
    notes: tuple[str, ...] = ()
    is_line_a_row: bool = False
    """Whether a plot has a line for each row, over the columns, and not for each column."""

    def cell(self, row: Row, column: str) -> Cell:
        """The cell of a row in the column of this name."""
        return row.cells[[each.name for each in self.columns].index(column)]


def counted(blocks: Sequence[Block]) -> dict[Agreement, int]:
    """How many cells stand how to their recomputed figures."""
    counts = dict.fromkeys(Agreement, 0)
    for block in blocks:
        for row in block.rows:
            for cell in row.cells:
                counts[cell.agreement] += 1
    return counts


def near_published(blocks: Sequence[Block]) -> tuple[int, int]:
    """Of the published numbers of incoherent pages, how many lie within three standard deviations of one crawl."""
    cells = [cell for block in blocks for row in block.rows for cell in row.cells]
    compared = [
        abs(cell.value - cell.published) <= 3 * max(cell.deviation, 1.0) + 3 * cell.spread
        for cell in cells
        if cell.value is not None and cell.published is not None and cell.deviation
    ]
    return sum(compared), len(compared)
