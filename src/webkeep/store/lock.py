"""One writer at a time: a lock on the archive that also remembers which file was growing.

The name of the growing file is synced before the first byte goes into it. After a crash it tells the next writer
which file may end in a torn record; any other file that ends badly was damaged and is reported, never cut.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

from webkeep.errors import StorageError


class WriterLock:
    """The right to write to an archive; held until closed or until the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StorageError(
                f"cannot write to {path.parent} ({error.strerror}); make it writable or choose another place"
            ) from error
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = _content(path).get("pid", "unknown")
            os.close(self._handle)
            raise StorageError(
                f"{path.parent} is being written by another process (pid {owner}); wait for it to end or stop it"
            ) from None
        self.growing = _content(path).get("growing", "")
        self._write()

    def grow(self, name: str) -> None:
        """Remember, durably, that this file may now end in a torn record; "" for none."""
        self.growing = name
        self._write()

    def close(self) -> None:
        """Let others write."""
        os.close(self._handle)

    def _write(self) -> None:
        # Padded to one length: it is overwritten in place, and a shorter text must not leave a tail of a longer one.
        text = json.dumps({"pid": os.getpid(), "growing": self.growing}).ljust(400).encode()
        os.pwrite(self._handle, text, 0)
        os.fsync(self._handle)


def _content(path: Path) -> dict[str, str]:
    try:
        values = json.loads(path.read_text("utf-8") or "{}")
    except (OSError, ValueError):
        return {}
    return {key: str(value) for key, value in values.items()} if isinstance(values, dict) else {}
