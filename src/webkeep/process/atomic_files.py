"""Files that are in place once they are whole: written under a name that nobody can foretell and never through a link,
moved there at the end, and removed when the work is broken off.

Theory of operation. Whoever may write into the same folder can put a link where a file is about to be made, and have
another one overwritten through it. So a file that is under way has a random name, is made exclusively and never through
a link, and takes the place of what is there by a rename, which follows no link either. However the work ends, the
unfinished file is removed: by an error, by Ctrl-C, and by SIGTERM and SIGHUP where `exit_on_signals` heeds them. What a
process that was killed left is known by its name.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PART_SUFFIX = ".part"
"""How the names end of files that are under way."""
_RANDOM_BYTES = 8
"""In such a name, written in hexadecimal."""
_PART_NAME = re.compile(rf"\.(.+)\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}{re.escape(PART_SUFFIX)}", re.DOTALL)
_NEW_FILE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_USUAL_MODE = 0o666
"""What the person's own mask leaves of it."""
MAX_SHOWN_NAME_BYTES = 100
"""Bytes of a file's name that its unfinished form shows: some file systems know no longer ones than 143."""


@contextmanager
def atomic_file(path: Path, mode: int = _USUAL_MODE, replace: bool = True, sync: bool = False) -> Iterator[BinaryIO]:
    """A file to write, in place at the end of the block; raises FileExistsError where it may not replace one."""
    part = _part_path(path)
    try:  # a signal may come between the making of the file and whatever follows
        with os.fdopen(_open_part(part, mode), "w+b") as stream:
            yield stream
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        _move_in_place(part, path, replace)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def write_atomically(path: Path, data: bytes, mode: int = _USUAL_MODE, sync: bool = False) -> None:
    """Write a small file, all of it or nothing."""
    with atomic_file(path, mode, sync=sync) as stream:
        stream.write(data)


def _part_path(path: Path) -> Path:
    shown = os.fsdecode(os.fsencode(path.name)[:MAX_SHOWN_NAME_BYTES])
    return path.with_name(f".{shown}.{secrets.token_hex(_RANDOM_BYTES)}{PART_SUFFIX}")


def name_of_unfinished(name: str) -> str | None:
    """What a file was to be called that is under way, or was left by a killed process: that name, or the
    beginning of a long one; None for all other files.
    """
    match = _PART_NAME.fullmatch(name)
    return match[1] if match else None


def _open_part(part: Path, mode: int) -> int:
    descriptor = os.open(part, _NEW_FILE_FLAGS, mode)
    if mode != _USUAL_MODE:
        os.fchmod(descriptor, mode)  # whatever is usual for this user
    return descriptor


def _move_in_place(part: Path, path: Path, replace: bool) -> None:
    if replace:
        part.replace(path)
        return
    try:
        path.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(f"{path} is there already") from None
        part.replace(path)
    else:
        part.unlink()
