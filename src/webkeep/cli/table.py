"""Tables for people: aligned columns, printed while the rows still come."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webkeep.cli.harmless import harmless

_LOOKED_AT = 100
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and on which side its cells stand."""

    heading: str
    right: bool = False


class Table:
    """Prints rows under headings; the first hundred say how wide the columns are, wider cells push their row aside."""

    def __init__(self, columns: Sequence[Column], line: Callable[[str], None]) -> None:
        self._columns = tuple(columns)
        self._line = line
        self._waiting: list[list[str]] = [[column.heading for column in columns]]
        self._widths: list[int] = []

    def row(self, *cells: str) -> None:
        """Add a row."""
        shown = [harmless(cell) for cell in cells]
        if self._widths:
            self._line(self._aligned(shown))
            return
        self._waiting.append(shown)
        if len(self._waiting) > _LOOKED_AT:
            self._begin()

    def end(self) -> None:
        """Print what is still held back; a table without rows is not printed."""
        if not self._widths and len(self._waiting) > 1:
            self._begin()

    def _begin(self) -> None:
        self._widths = [max(map(width, cells)) for cells in zip(*self._waiting, strict=True)]
        for cells in self._waiting:
            self._line(self._aligned(cells))
        self._waiting = []

    def _aligned(self, cells: Sequence[str]) -> str:
        parts = []
        for cell, column, wide in zip(cells, self._columns, self._widths, strict=True):
            padding = " " * (wide - width(cell))
            parts.append(padding + cell if column.right else cell + padding)
        return _GAP.join(parts).rstrip()


def print_facts(facts: Sequence[tuple[str, str]], line: Callable[[str], None]) -> None:
    """Names and values in two columns; a fact without a value is left out."""
    told = [(name, value) for name, value in facts if value]
    wide = max((width(name) for name, _ in told), default=0)
    for name, value in told:
        line(f"{name}{' ' * (wide - width(name))}{_GAP}{value}")


def width(text: str) -> int:
    """How many cells of a terminal a text takes: two for wide letters, none for marks that combine."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def cut(text: str, cells: int) -> str:
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
