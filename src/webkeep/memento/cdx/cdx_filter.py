"""Filters and collapsing of CDX answers: what the signs of a `filter` mean, as pywb and the Wayback Machine read them,
how many there may be, and which rows `collapse` takes for one.

`[!][=|~]FIELD:TEXT` is read as pywb reads it: the field contains the text, is the text (`=`), or begins with what a
regular expression describes (`~`). Under the Wayback Machine's own names of fields (`original`, `mimetype`,
`statuscode`) a plain text is, as there, a regular expression for the whole field.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from webkeep.errors import UsageError
from webkeep.memento.cdx.cdx_row import WAYBACK_NAMES, CdxRow
from webkeep.url import LinearPattern

MAX_FILTERS = 16
"""More conditions than this are refused: each is held against every row."""

R = TypeVar("R", bound=CdxRow)


class FilterOperator(enum.Enum):
    """How a field is held against a filter's text."""

    CONTAINS = enum.auto()
    EQUALS = enum.auto()
    BEGINS = enum.auto()
    MATCHES = enum.auto()


@dataclass(frozen=True, slots=True)
class CdxFilter:
    """One condition; a name of "" means the whole line."""

    name: str
    comparison: FilterOperator
    text: str
    is_negated: bool = False
    pattern: LinearPattern | None = None

    @classmethod
    def parse(cls, written: str) -> CdxFilter:
        """Read `!=status:200` and its like."""
        rest = written.removeprefix("!")
        mark = rest[:1] if rest[:1] in ("=", "~") else ""
        name, colon, text = rest[len(mark) :].partition(":")
        if not colon:
            name, text = "", rest[len(mark) :]
        comparison = _OPERATORS[mark]
        if not mark and name in WAYBACK_NAMES:
            comparison = FilterOperator.MATCHES
        needs_pattern = comparison in (FilterOperator.BEGINS, FilterOperator.MATCHES)
        return cls(
            name, comparison, text, rest != written, LinearPattern.from_stranger(text) if needs_pattern else None
        )

    def matches(self, row: CdxRow) -> bool:
        """Whether a row is wanted."""
        return self._compare(row.get(self.name) if self.name else str(row)) is not self.is_negated

    def _compare(self, value: str) -> bool:
        if self.pattern is not None:
            whole = self.comparison is FilterOperator.MATCHES
            return self.pattern.matches(value) if whole else self.pattern.matches_start(value)
        return self.text == value if self.comparison is FilterOperator.EQUALS else self.text in value


@dataclass(frozen=True, slots=True)
class CdxCollapse:
    """Of rows in succession that agree in a field, or in its first characters, only the first is wanted."""

    name: str
    length: int | None = None

    @classmethod
    def parse(cls, written: str) -> CdxCollapse:
        """Read `timestamp:8` and its like."""
        name, colon, length = written.partition(":")
        if colon and not (length.isascii() and length.isdigit() and len(length) < 5):
            raise UsageError(f"collapse cannot be {written[:60]!r}; write a field, or one with a length: timestamp:8")
        return cls(name, int(length) if colon else None)

    def key(self, row: CdxRow) -> str:
        """What rows must share to count as one."""
        return row.get(self.name)[: self.length]


def filter_rows(rows: Iterable[R], filters: Iterable[CdxFilter], collapses: Iterable[CdxCollapse]) -> Iterator[R]:
    """The rows that pass every filter, less those that collapse into the one before."""
    conditions, groups = tuple(filters), tuple(collapses)
    last: list[str] | None = None
    for row in rows:
        if not all(condition.matches(row) for condition in conditions):
            continue
        if groups:
            keys = [group.key(row) for group in groups]
            # Each collapse works on what the one before it left: a row goes if any of them takes it for the last.
            if last is not None and any(key == before for key, before in zip(keys, last, strict=True)):
                continue
            last = keys
        yield row


_OPERATORS = {"": FilterOperator.CONTAINS, "=": FilterOperator.EQUALS, "~": FilterOperator.BEGINS}
