"""Files that two versions of a copy have in common: one file with two names, a clone, or a second file."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

_CLONE = 0x40049409
"""The request by which Linux file systems that can share blocks make a clone of a file (FICLONE)."""


def share(source: str, target: str, linked: bool) -> None:
    """Make a file that is the same as another: by a hard link where that is wanted and possible, else by a copy."""
    if linked and _linked(source, target):
        return
    with Path(source).open("rb") as original, Path(target).open("xb") as made:
        if not _cloned(original.fileno(), made.fileno()):
            shutil.copyfileobj(original, made, 1 << 20)
    Path(target).chmod(0o444)


def _linked(source: str, target: str) -> bool:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # other devices, file systems without links, too many links to one file
        return False
    return True


def _cloned(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, _CLONE, source)
    except OSError:
        return False
    return True
