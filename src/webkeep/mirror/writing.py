"""Writing the files of a copy: each new, below one folder that nobody else writes to."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.mirror.sharing import share

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Tree:
    """A folder in which files are made by their names, with the folders they need."""

    def __init__(self, folder: Path, mode: int = 0o666, linked: bool = True) -> None:
        self.folder = folder
        self._mode = mode
        self._linked = linked
        self._root = f"{folder}/"
        self._made: set[str] = {""}

    def write(self, name: str, pieces: Iterable[bytes]) -> int:
        """Make a file; gives how many bytes it has."""
        size = 0
        try:
            descriptor = self._opened(name)
            try:
                for piece in pieces:
                    size += len(piece)
                    _write(descriptor, piece)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise unwritable(self.folder / name, error) from error
        return size

    def share(self, name: str, other: str) -> bool:
        """Make a file that is the same as another one; False where that is no file any more."""
        try:
            if not stat.S_ISREG(os.lstat(other).st_mode):
                return False
            self.make_folder(name.rpartition("/")[0])
            share(other, self._root + name, self._linked)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unwritable(self.folder / name, error) from error
        return True

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it, where they are not there yet."""
        if name not in self._made:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            self._made.add(name)

    def _opened(self, name: str) -> int:
        self.make_folder(name.rpartition("/")[0])
        return os.open(self._root + name, _NEW, self._mode)


def unwritable(path: Path, error: OSError) -> StorageError:
    """What is said where a file cannot be written."""
    advice = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "choose another place"
    return StorageError(f"cannot write {path} ({error.strerror}); what was there is unchanged: {advice}, and try again")


def _write(descriptor: int, piece: bytes) -> None:
    written = os.write(descriptor, piece)
    while written < len(piece):
        written += os.write(descriptor, piece[written:])
