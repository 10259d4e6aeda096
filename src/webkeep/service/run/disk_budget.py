"""Room on the disk: how much must stay free, and how much a collection may take."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

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
