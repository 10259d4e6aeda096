"""Room on the disk: how much must stay free, and how much a collection may take."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError

DEFAULT_FREE_BYTES = 2_000_000_000
"""So much stays free where nobody said: captures that are told to stop still write what is under way."""


@dataclass(frozen=True, slots=True)
class DiskBudget:
    """What a service may take of its disk."""

    free_bytes: int = DEFAULT_FREE_BYTES
    """So much stays free."""

    def has_room(self, folder: Path) -> bool:
        """Whether there is more room than must stay free."""
        return shutil.disk_usage(folder).free > self.free_bytes


class ReceivingRoom:
    """Room for files that people send, all that are under way together: kept for them before the first byte is read.

    What is sent waits in the folder for temporary files until it is whole, and is then copied into that of the service.
    """

    def __init__(self, folder: Path, budget: DiskBudget) -> None:
        self._folder, self._budget = folder, budget
        self._lock = threading.Lock()
        self._taken = 0

    @contextmanager
    def take(self, size: int) -> Iterator[None]:
        """Keep room for a file while it is taken in; UsageError where there is none."""
        with self._lock:
            if not self._has_room(self._taken + size):
                raise UsageError(f"the disk has no room to take {size:,} bytes; make room first, or send less")
            self._taken += size
        try:
            yield
        finally:
            with self._lock:
                self._taken -= size

    def _has_room(self, size: int) -> bool:
        waits, stays = Path(tempfile.gettempdir()), self._folder
        if waits.stat().st_dev == stays.stat().st_dev:
            return shutil.disk_usage(stays).free - 2 * size > self._budget.free_bytes
        has_stay = shutil.disk_usage(stays).free - size > self._budget.free_bytes
        return has_stay and shutil.disk_usage(waits).free > size


def folder_bytes(folder: Path) -> int:
    """What the files of a folder take; links are not followed, and what is gone meanwhile counts nothing."""
    total, waiting = 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:
            continue
    return total
