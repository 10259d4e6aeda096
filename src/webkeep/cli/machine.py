"""What a machine can do for an archive: room and speed of its disk, and the limits it sets."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_BLOCK = os.urandom(1 << 20)
_BLOCKS = 32
_SYNCS = 9


@dataclass(frozen=True, slots=True)
class Disk:
    """A place to keep an archive."""

    free: int
    """Bytes that can still be written."""
    write_speed: float
    """Bytes a second, with the final sync."""
    sync_time: float
    """Seconds that a small write takes to be on disk."""


def measured_disk(folder: Path) -> Disk:
    """Try out the disk under a directory; needs some 32 MB of room for a moment, raises OSError where it cannot."""
    free = shutil.disk_usage(folder).free
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        sync_time = statistics.median(_timed_sync(file.fileno(), b"webkeep") for _ in range(_SYNCS))
        started = time.perf_counter()
        for _ in range(_BLOCKS):
            file.write(_BLOCK)
        os.fsync(file.fileno())
        taken = time.perf_counter() - started
    return Disk(free, len(_BLOCK) * _BLOCKS / taken, sync_time)


def open_files_limit() -> tuple[int, int]:
    """How many files a process may have open, and how many at most if it asks; -1 is any number."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def file_size_limit() -> int:
    """How large a file may grow; -1 is any size."""
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0]


def _timed_sync(handle: int, data: bytes) -> float:
    started = time.perf_counter()
    os.write(handle, data)
    os.fdatasync(handle)
    return time.perf_counter() - started
