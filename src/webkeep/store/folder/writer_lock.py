"""One writer at a time: a lock on the archive that also remembers which file was growing, and how far it is sure; how
long the lock of a process that is gone is waited for.

The name of the growing file is synced before the first byte goes into it. After a crash it tells the next writer
which file may end in a torn record, and from which byte on; any other file that ends badly was damaged and is
reported, never cut.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.formats import read_json
from webkeep.store.folder.layout import sync_directory, write_error

_MAX_LOCK_TRIES, _RETRY_SECONDS = 250, 0.02
"""Five seconds in all: so long a killed process may still hold the lock through one that it was starting."""


class WriterLock:
    """The right to write to an archive; held until closed or until the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        new = not path.exists()
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StorageError(
                f"cannot write to {path.parent} ({error.strerror}); make it writable or choose another place"
            ) from error
        try:
            self._acquire()
            self.growing_file, self.synced_bytes = _read_growing(path)
            self._write_state()
            if new:
                sync_directory(path.parent)
        except BaseException:
            self.close()
            raise

    def _acquire(self) -> None:
        looks = 0
        while not self._try_lock():
            owner = _read_lock_file(self._path).get("pid", "unknown")
            # A process that was killed while it started another leaves the lock to that one, until it is itself.
            if looks == _MAX_LOCK_TRIES or not _is_process_gone(owner):
                raise StorageError(f"{self._path.parent} is being written by {_describe_writer(owner)}")
            looks += 1
            time.sleep(_RETRY_SECONDS)

    def _try_lock(self) -> bool:
        """Take the lock if nobody has it."""
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise StorageError(
                f"cannot lock {self._path} ({error.strerror}); keep the archive on a disk that knows file locks"
            ) from error
        return True

    def announce_growing(self, name: str, sure: int = 0) -> None:
        """Remember, durably, that this file may now end in a torn record behind the bytes that are sure."""
        self.growing_file, self.synced_bytes = name, sure
        self._write_state()

    def close(self) -> None:
        """Let others write."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _write_state(self) -> None:
        values = {"pid": os.getpid(), "growing": self.growing_file, "sure": self.synced_bytes}
        try:
            # Padded to one length: it is overwritten in place, and a shorter text must not leave a tail of a longer.
            os.pwrite(self._handle, json.dumps(values).ljust(400).encode(), 0)
            os.fsync(self._handle)
        except OSError as error:
            raise write_error(self._path, error) from error


def _describe_writer(owner: str) -> str:
    """Who has the lock, and what to do about that."""
    if owner == str(os.getpid()):
        return f"this process (pid {owner}) already; wait for that to end, or close what is open to write"
    return f"another process (pid {owner}); wait for it to end or stop it"


def _is_process_gone(process: str) -> bool:
    """Whether a process is known to be no more."""
    try:
        os.kill(int(process), 0)
    except (ValueError, OverflowError):
        return False
    except OSError as error:
        return error.errno == errno.ESRCH
    return False


def _read_growing(path: Path) -> tuple[str, int]:
    values = _read_lock_file(path)
    sure = values.get("sure", "0")
    return values.get("growing", ""), int(sure) if sure.isdecimal() else 0


def _read_lock_file(path: Path) -> dict[str, str]:
    try:
        values = read_json(path.read_bytes())
    except OSError:
        return {}
    return {key: str(value) for key, value in values.items()} if isinstance(values, dict) else {}
