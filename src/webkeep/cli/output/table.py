"""Tables for people: aligned columns, printed while the rows still come; how many rows say how wide the columns are,
and how many cells of a terminal a wide or combining character takes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webkeep.presentation import escape_controls

_SAMPLED_ROWS = 100
"""Rows that are held back to tell how wide the columns are; a list of millions begins at once all the same."""
_COLUMN_GAP = "  "


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A column: its heading, and on which side its cells stand."""

    heading: str
    right: bool = False


def build_columns(*headings: str) -> tuple[PrintedColumn, ...]:
    """Columns by their headings; the cells of one that ends in `>` stand on the right."""
    return tuple(PrintedColumn(each.removesuffix(">"), right=each.endswith(">")) for each in headings)


class PrintedTable:
    """Prints rows under headings; the first hundred say how wide the columns are, wider cells push their row aside."""

    def __init__(self, columns: Sequence[PrintedColumn], line: Callable[[str], None]) -> None:
        self._columns = tuple(columns)
        self._line = line
        self._waiting: list[list[str]] = [[column.heading for column in columns]]
        self._widths: list[int] = []

    def add_row(self, *cells: str) -> None:
        """Add a row."""
        shown = [escape_controls(cell) for cell in cells]
        if self._widths:
            self._line(self._align_cells(shown))
            return
        self._waiting.append(shown)
        if len(self._waiting) > _SAMPLED_ROWS:
            self._print_headings()

    def finish(self) -> None:
        """Print what is still held back; a table without rows is not printed."""
        if not self._widths and len(self._waiting) > 1:
            self._print_headings()

    def _print_headings(self) -> None:
        self._widths = [max(map(cell_width, cells)) for cells in zip(*self._waiting, strict=True)]
        for cells in self._waiting:
            self._line(self._align_cells(cells))
        self._waiting = []

    def _align_cells(self, cells: Sequence[str]) -> str:
        parts = []
        for cell, column, wide in zip(cells, self._columns, self._widths, strict=True):
            padding = " " * (wide - cell_width(cell))
            parts.append(padding + cell if column.right else cell + padding)
        return _COLUMN_GAP.join(parts).rstrip()


def print_facts(facts: Sequence[tuple[str, str]], line: Callable[[str], None]) -> None:
    """Names and values in two columns; a fact without a value is left out."""
    told = [(name, value) for name, value in facts if value]
    wide = max((cell_width(name) for name, _ in told), default=0)
    for name, value in told:
        line(f"{name}{' ' * (wide - cell_width(name))}{_COLUMN_GAP}{value}")


def cell_width(text: str) -> int:
    """How many cells of a terminal a text takes: two for wide letters, none for marks that combine."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def cut_to_width(text: str, cells: int) -> str:
    """The beginning of a text that takes no more than so many cells of a terminal."""
    taken = 0
    for at, char in enumerate(text):
        taken += _char_width(char)
        if taken > cells:
            return text[:at]
    return text


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
