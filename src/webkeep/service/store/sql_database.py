"""The database behind the service as a port: statements with `?` for values, transactions that hold wholly or not at
all; and the error of one that is gone for the moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from webkeep.errors import StorageError

SqlValue = int | str | None
ResultRow = tuple[SqlValue, ...]


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
