"""Writing the files of a copy: each new, or shared with the version before by a hard link, a clone (reflink) or a copy;
and what is said where one cannot be written.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from webkeep.errors import StorageError

# Files that two versions of a copy have in common: one file with two names, a clone, or a second file.

_FICLONE = 0x40049409
"""The request by which Linux file systems that can share blocks make a clone of a file (FICLONE)."""


def share_file(source: str, target: str, linked: bool) -> None:
    """Make a file that is the same as another: by a hard link where that is wanted and possible, else by a copy."""
    if linked and _try_link(source, target):
        return
    with Path(source).open("rb") as original, Path(target).open("xb") as made:
        if not _try_clone(original.fileno(), made.fileno()):
            shutil.copyfileobj(original, made, 1 << 20)
    Path(target).chmod(0o444)


def _try_link(source: str, target: str) -> bool:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # other devices, file systems without links, too many links to one file
        return False
    return True


def _try_clone(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True


_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class CopyFolder:
    """A folder in which files are made by their names, with the folders they need."""

    def __init__(self, folder: Path, mode: int = 0o666, linked: bool = True) -> None:
        self.folder = folder
        self._mode = mode
        self._linked = linked
        self._root = f"{folder}/"
        self._known_folders: set[str] = {""}

    def write(self, name: str, pieces: Iterable[bytes]) -> int:
        """Make a file; gives how many bytes it has."""
        size = 0
        try:
            descriptor = self._open_new(name)
            try:
                for piece in pieces:
                    size += len(piece)
                    _write_all(descriptor, piece)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise write_error(self.folder / name, error) from error
        return size

    def share(self, name: str, other: str) -> bool:
        """Make a file that is the same as another one; False where that is no file any more."""
        try:
            if not stat.S_ISREG(os.lstat(other).st_mode):
                return False
            self.make_folder(name.rpartition("/")[0])
            share_file(other, self._root + name, self._linked)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise write_error(self.folder / name, error) from error
        return True

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it, where they are not there yet."""
        if name not in self._known_folders:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            self._known_folders.add(name)

    def _open_new(self, name: str) -> int:
        self.make_folder(name.rpartition("/")[0])
        return os.open(self._root + name, _NEW_FILE_FLAGS, self._mode)


def write_error(path: Path, error: OSError) -> StorageError:
    """What is said where a file cannot be written."""
    advice = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "choose another place"
    return StorageError(f"cannot write {path} ({error.strerror}); what was there is unchanged: {advice}, and try again")


def _write_all(descriptor: int, piece: bytes) -> None:
    written = os.write(descriptor, piece)
    while written < len(piece):
        written += os.write(descriptor, piece[written:])
