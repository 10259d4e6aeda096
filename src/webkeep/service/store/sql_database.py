"""The database behind the service as a port: statements with `?` for values, transactions that hold wholly or not at
all; and the error of one that is gone for the moment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from webkeep.errors import StorageError, UsageError

SqlValue = int | str | None
ResultRow = tuple[SqlValue, ...]
_LARGEST_NUMBER = (1 << 63) - 1
"""That a column of 64 bits holds."""
_UNKEPT_CHARACTERS = re.compile("[\0\ud800-\udfff]")
_PATTERN_CHARACTERS = re.compile("([!%_])")


class DatabaseGoneError(StorageError):
    """The database does not answer for now: what was asked for was not done, and is tried again."""


class SqlDatabase(Protocol):
    """What both databases do alike."""

    def rows(self, sql: str, values: Sequence[SqlValue] = ()) -> list[ResultRow]:
        """All rows of a query."""
        ...

    def change(self, sql: str, values: Sequence[SqlValue] = ()) -> int:
        """Carry out one change; gives how many rows it changed."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Have all changes of a block hold, or none, blocks within it too; nobody else changes anything meanwhile."""
        ...

    def close(self) -> None:
        """Let go of it."""


def check_values(values: Sequence[SqlValue]) -> None:
    """Refuse what not every database can keep: numbers beyond 64 bits, and texts with NUL or what is no character."""
    for value in values:
        if isinstance(value, int) and not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
            raise UsageError(f"{value} is too large a number to be kept; say less")
        if isinstance(value, str) and _UNKEPT_CHARACTERS.search(value):
            raise UsageError(f"{value[:80]!r} has bytes that are no text in UTF-8; write it anew")


def make_keepable(text: str) -> str:
    """A text of a program with whatever a database cannot keep made a question mark."""
    return _UNKEPT_CHARACTERS.sub("?", text)


def escape_pattern(text: str) -> str:
    """A text that stands for itself in a LIKE with ESCAPE '!'."""
    return _PATTERN_CHARACTERS.sub(r"!\1", text)
