"""Batches of work on their way to disk."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from webkeep.model import Capture
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.committing import Written
from webkeep.store.drafting import Packed, Prepared, Work
from webkeep.store.trays import Tray


class Item:
    """One piece of work, and what has become of it so far."""

    __slots__ = ("acknowledgement", "digest", "error", "packed", "prepared", "studied", "task", "weight", "written")

    def __init__(self, task: Work | Capture, weight: int, changed: threading.Condition) -> None:
        self.task = task
        self.weight = weight
        self.acknowledgement = Acknowledgement(changed)
        self.packed: Packed | None = None if isinstance(task, Capture) else task.packed()
        self.digest = ""
        self.prepared: Sequence[Prepared] = ()
        self.written: Written | None = None
        self.studied: object = None
        self.error: Exception | None = None


class Batch:
    """Pieces of work that are prepared together; either all of them are packed, or none."""

    __slots__ = ("items", "ready", "tray")

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.ready = False
        self.tray: Tray | None = None
        """The shared memory that its records lie in."""

    @property
    def is_packed(self) -> bool:
        """Whether it can be done by another process."""
        return self.items[0].packed is not None
