"""Turns at hosts between captures on one machine: slots in a file that they all name (`--share-hosts`).

Every name of a host has a slot by its hash, and the kernel's lock on it says who may ask. When the host may be asked
again stands there by a clock that starts with the machine and cannot be set.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import struct
import time
from pathlib import Path

from webkeep.crawl.run.host_turn_leases import HostTurnLeases
from webkeep.errors import StorageError

_SLOT = struct.Struct("<QQ")
_SLOTS = 1 << 22
"""Hosts rarely share one, which would only make them wait for each other; 64 MB at most, sparse."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class HostLeaseFile(HostTurnLeases):
    """Leases that hold for all captures that name the same file; for one capture in a process."""

    def __init__(self, path: Path) -> None:
        super().__init__(_FileSlots(path))


class _FileSlots:
    """Slots in a file, each locked by the kernel."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageError(
                f"cannot open {path} ({error.strerror}), by which captures take turns; make it writable"
            ) from error
        self._path = path
        self._boot = _read_boot_number()

    def try_lock(self, name: str) -> bool:
        """Whether the slot of a name is ours now."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SLOT.size, _place_of(name))
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise StorageError(f"cannot lock {self._path} ({error.strerror}); keep it on a local disk") from error
        return True

    def unlock(self, name: str) -> None:
        """Let others have it."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, _SLOT.size, _place_of(name))

    def read_wait(self, name: str) -> float:
        """In how many seconds the host may be asked."""
        data = os.pread(self._file, _SLOT.size, _place_of(name))
        if len(data) < _SLOT.size:
            return 0.0
        boot, free_at = _SLOT.unpack(data)
        return (free_at - _steady_micros()) / 1e6 if boot == self._boot else 0.0

    def write_wait(self, name: str, seconds: float) -> None:
        """Say in how many seconds it may."""
        data = _SLOT.pack(self._boot, _steady_micros() + max(0, round(seconds * 1e6)))
        try:
            os.pwrite(self._file, data, _place_of(name))
        except OSError as error:
            raise StorageError(f"cannot write {self._path} ({error.strerror}); make room on its disk") from error

    def close(self) -> None:
        """Give everything back."""
        os.close(self._file)


def _place_of(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8]) % _SLOTS * _SLOT.size


def _steady_micros() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def _read_boot_number() -> int:
    try:
        text = _BOOT_ID.read_text("ascii").strip()
    except OSError:  # then a restart is not noticed, and the steady clock begins again
        return 0
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
