"""The WARC file that is growing: appended to, synced, and followed by a new one at its size; a write that fails is
taken back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.folder.layout import sync_directory, write_error

_WRITE_BUFFER_BYTES = 1 << 20
"""So much is gathered before it is written: small records share a system call."""
_MAX_PIECES_PER_WRITE = 512
"""Systems bound how many pieces one writev takes; Linux at 1,024."""


class GrowingFile:
    """One WARC file open for appending; what `sync` has returned for is on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        new = not path.exists()
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, path.parent.stat().st_mode & 0o644)
            if new:
                sync_directory(path.parent)
        except OSError as error:
            raise write_error(path, error) from error
        self.size = self._synced = os.fstat(self._handle).st_size
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0

    def append(self, pieces: Iterable[bytes]) -> tuple[int, int]:
        """Append one record's pieces; says where it begins and how long it is."""
        start = self.size
        try:
            for piece in pieces:
                self._gathered.append(piece)
                self._gathered_bytes += len(piece)
                self.size += len(piece)
                if self._gathered_bytes >= _WRITE_BUFFER_BYTES:
                    self._write_gathered()
        except StorageError:
            raise
        except BaseException:  # the pieces could not be made: this record, and only it, is taken back
            self.undo_append(start)
            raise
        return start, self.size - start

    def undo_append(self, start: int) -> None:
        """Forget what was appended from an offset on and not synced since."""
        self._write_gathered()
        self._truncate(start)

    def sync(self) -> None:
        """Put everything appended on disk; on failure the file goes back to what was synced before.

        What is on a disk and has no name is lost as soon as the file is closed: that is a failure too.
        """
        self._write_gathered()
        try:
            os.fdatasync(self._handle)
            links = os.fstat(self._handle).st_nlink
        except OSError as error:
            self._undo_unsynced()
            raise write_error(self.path, error) from error
        if not links:
            self._undo_unsynced()
            raise StorageError(f"{self.path} was deleted while it was written to; what came since is not kept")
        self._synced = self.size

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _write_gathered(self) -> None:
        held, self._gathered = self._gathered, []
        self._gathered_bytes = 0
        try:
            for start in range(0, len(held), _MAX_PIECES_PER_WRITE):
                self._write_all(held[start : start + _MAX_PIECES_PER_WRITE])
        except OSError as error:
            self._undo_unsynced()
            raise write_error(self.path, error) from error

    def _write_all(self, pieces: list[bytes]) -> None:
        left = sum(map(len, pieces)) - os.writev(self._handle, pieces)
        if left:  # the disk took only a part: the rest will say why
            rest = memoryview(b"".join(pieces))[-left:]
            while rest:
                rest = rest[os.write(self._handle, rest) :]

    def _undo_unsynced(self) -> None:
        self._gathered.clear()
        self._gathered_bytes = 0
        self._truncate(self._synced)

    def _truncate(self, size: int) -> None:
        try:
            os.ftruncate(self._handle, size)
        except OSError as error:
            raise write_error(self.path, error) from error
        self.size = size


class WarcRotation:
    """The row of growing files: a new one is begun when the present one is large enough."""

    def __init__(
        self, folder: Path, limit: int, names: Callable[[int], str], announce: Callable[[str, int], None]
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._names = names
        self._announce = announce
        self._serial = 0
        self._file: GrowingFile | None = None

    @property
    def file_to_sync(self) -> GrowingFile | None:
        """The growing file, if one is open."""
        return self._file

    @property
    def file_with_room(self) -> GrowingFile | None:
        """The growing file, if one is open and has room."""
        return self._file if self._file is not None and self._file.size < self._limit else None

    def resume(self, name: str) -> None:
        """Go on with the file a former writer left, where it still has room."""
        path = self._folder / name
        if name and path.exists() and path.stat().st_size < self._limit:
            self._file = GrowingFile(path)

    def begin(self) -> GrowingFile:
        """Open a file no one has written yet; its name is announced, durably, before it exists."""
        while True:
            self._serial += 1
            name = self._names(self._serial)
            if not (self._folder / name).exists():
                break
        self.close()
        self._announce(name, 0)
        self._file = GrowingFile(self._folder / name)
        return self._file

    def close(self) -> None:
        """Close the growing file, synced; it is announced that all of it is sure."""
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.sync()
            self._announce(file.name, file.size)
        finally:
            file.close()
