"""Putting a copy in its place: built beside it, and then exchanged in one step, so that a failed run changes nothing;
which folders and files may be written over (`--replace`), and what is said of others.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.formats import read_json
from webkeep.mirror.names.copy_layout import MARKER_FILE

_AT_CWD = -100
"""Linux's AT_FDCWD: paths are relative to the working directory."""
_RENAME_EXCHANGE = 2
"""Linux's flag for a rename by which two names change places."""
_BUILDING_MARK = ".building-"


def is_webkeep_folder(folder: Path, sign: str = MARKER_FILE) -> bool:
    """Whether a folder is one that webkeep made."""
    try:
        return isinstance(read_json((folder / sign).read_bytes()), dict) and not (folder / sign).is_symlink()
    except OSError:
        return False


def check_folder(target: Path, sign: str = MARKER_FILE) -> None:
    """Refuse to write where there is something that webkeep did not make."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is no folder; choose another place for the copy")
    if target.is_dir() and any(target.iterdir()) and not is_webkeep_folder(target, sign):
        raise UsageError(f"{target} holds something that webkeep did not put there; choose an empty or a new folder")
    _check_parent(target, "the copy")


def check_file(file: Path, replace: bool = False) -> None:
    """Refuse to write a file where none can be, or where there is one that is not to be replaced."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise UsageError(f"{file} is no file that can be written; choose another name")
    if file.exists() and not replace:
        raise UsageError(f"{file} is there already; give --replace to write over it")
    _check_parent(file, "the file")


def _check_parent(target: Path, what: str) -> None:
    parent = target.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no folder {parent} to make {what} {target.name} in; make it first")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(f"nothing may be written into {parent}; choose another place for {what} {target.name}")


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """A new folder to build in, which takes the place of the target once the block ended well."""
    check_folder(target)
    absolute = target.absolute()
    with build_folder(absolute.parent, target.name) as building:
        yield building
        try:
            _swap_folders(building, absolute)
        except OSError as error:
            raise StorageError(f"cannot put the copy at {target} ({error.strerror}); nothing was changed") from error


@contextmanager
def build_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder beside the place where something is to be; what is left in it at the end is removed."""
    prefix = f".{name}{_BUILDING_MARK}"
    _remove_leftovers(parent, prefix)
    building, held = parent / f"{prefix}{secrets.token_hex(8)}", None
    try:  # a signal may come between the making of the folder and whatever follows
        _make_folder(building)
        held = _lock_folder(building)
        yield building
    except OSError as error:
        raise StorageError(
            f"cannot write into {building} ({error.strerror}); nothing that was there changed"
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
        if held is not None:
            os.close(held)


def _make_folder(building: Path) -> None:
    try:
        building.mkdir()
    except OSError as error:
        raise StorageError(f"cannot write into {building.parent} ({error.strerror}); choose another place") from error


def _remove_leftovers(parent: Path, prefix: str) -> None:
    """Remove what runs that were ended from outside have left."""
    for leftover in parent.glob(f"{_escape_glob(prefix)}*"):
        if leftover.is_dir() and not leftover.is_symlink() and (held := _lock_folder(leftover)) is not None:
            shutil.rmtree(leftover, ignore_errors=True)
            os.close(held)


def _escape_glob(text: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)


def _lock_folder(folder: Path) -> int | None:
    """A lock on a folder, as a descriptor; None where another process has it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor
    return None


def _swap_folders(building: Path, target: Path) -> None:
    """Put the new folder where the old one is; what was there is then where the new one was built."""
    if not target.exists():
        building.rename(target)
    elif not _swap_atomically(building, target):
        aside = building.with_name(f"{building.name}-old")
        target.rename(aside)
        try:
            building.rename(target)
        except OSError:
            aside.rename(target)
            raise
        aside.rename(building)


def _swap_atomically(one: Path, other: Path) -> bool:
    """Whether the system could exchange two folders in one step."""
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = (os.fsencode(one), os.fsencode(other))
    return int(function(_AT_CWD, names[0], _AT_CWD, names[1], _RENAME_EXCHANGE)) == 0
