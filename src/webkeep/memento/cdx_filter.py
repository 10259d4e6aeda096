"""Filters and collapsing of CDX answers.

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
from webkeep.memento.cdx_row import WAYBACK_NAMES, Row
from webkeep.memento.pattern import Pattern

MOST_FILTERS = 16
"""More conditions than this are refused."""

R = TypeVar("R", bound=Row)


class Comparison(enum.Enum):
    """How a field is held against a filter's text."""

    CONTAINS = enum.auto()
    EQUALS = enum.auto()
    BEGINS = enum.auto()
    MATCHES = enum.auto()


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition; a name of "" means the whole line."""

    name: str
    comparison: Comparison
    text: str
    negated: bool = False
    pattern: Pattern | None = None

    @classmethod
    def read(cls, written: str) -> Filter:
        """Read `!=status:200` and its like."""
        rest = written.removeprefix("!")
        mark = rest[:1] if rest[:1] in ("=", "~") else ""
        name, colon, text = rest[len(mark) :].partition(":")
        if not colon:
            name, text = "", rest[len(mark) :]
        comparison = _COMPARISONS[mark]
        if not mark and name in WAYBACK_NAMES:
            comparison = Comparison.MATCHES
        needs_pattern = comparison in (Comparison.BEGINS, Comparison.MATCHES)
        return cls(name, comparison, text, rest != written, Pattern(text) if needs_pattern else None)

    def passes(self, row: Row) -> bool:
        """Whether a row is wanted."""
        return self._holds(row.get(self.name) if self.name else str(row)) is not self.negated

    def _holds(self, value: str) -> bool:
        if self.pattern is not None:
            whole = self.comparison is Comparison.MATCHES
            return self.pattern.matches(value) if whole else self.pattern.begins(value)
        return self.text == value if self.comparison is Comparison.EQUALS else self.text in value


@dataclass(frozen=True, slots=True)
class Collapse:
    """Of rows in succession that agree in a field, or in its first characters, only the first is wanted."""

    name: str
    length: int | None = None

    @classmethod
    def read(cls, written: str) -> Collapse:
        """Read `timestamp:8` and its like."""
        name, colon, length = written.partition(":")
        if colon and not (length.isascii() and length.isdigit() and len(length) < 5):
            raise UsageError(f"collapse cannot be {written[:60]!r}; write a field, or one with a length: timestamp:8")
        return cls(name, int(length) if colon else None)

    def key(self, row: Row) -> str:
        """What rows must share to count as one."""
        return row.get(self.name)[: self.length]


def wanted(rows: Iterable[R], filters: Iterable[Filter], collapses: Iterable[Collapse]) -> Iterator[R]:
    """The rows that pass every filter, less those that collapse into the one before."""
    conditions, groups = tuple(filters), tuple(collapses)
    last: list[str] | None = None
    for row in rows:
        if not all(condition.passes(row) for condition in conditions):
            continue
        if groups:
            keys = [group.key(row) for group in groups]
            # Each collapse works on what the one before it left: a row goes if any of them takes it for the last.
            if last is not None and any(key == before for key, before in zip(keys, last, strict=True)):
                continue
            last = keys
        yield row


_COMPARISONS = {"": Comparison.CONTAINS, "=": Comparison.EQUALS, "~": Comparison.BEGINS}
