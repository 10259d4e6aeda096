"""Archives for their owner's eyes alone: what was seen with someone's credentials is nobody else's affair; which file
modes say so.

What says so is the mode of `archive.toml`. Folders are closed to others as well, so that whatever is made in them later
cannot be reached even before it is closed itself.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.folder.layout import ArchiveLayout

OWNER_FILE_MODE, OWNER_FOLDER_MODE = 0o600, 0o700
"""For their owner alone."""
_OTHERS_MODE_BITS = 0o077
"""What the group and all others may."""


def is_private(layout: ArchiveLayout) -> bool:
    """Whether an archive is for its owner alone."""
    try:
        return not layout.settings.stat().st_mode & _OTHERS_MODE_BITS
    except OSError:
        return False


def make_private(layout: ArchiveLayout) -> None:
    """Close an archive, and all that is in it, to everyone but its owner."""
    try:
        _restrict(layout.root, OWNER_FOLDER_MODE)
        for folder, folders, files in os.walk(layout.root):
            for name in folders:
                _restrict(Path(folder, name), OWNER_FOLDER_MODE)
            for name in files:
                _restrict(Path(folder, name), OWNER_FILE_MODE)
    except OSError as error:
        advice = "give its files to the one who runs webkeep"
        raise StorageError(f"cannot close {layout.root} to others ({error.strerror}); {advice}") from error


def _restrict(path: Path, mode: int) -> None:
    with suppress(FileNotFoundError):  # a file of a job that came to its end
        found = path.lstat().st_mode
        if found & _OTHERS_MODE_BITS and not stat.S_ISLNK(found):
            path.chmod(mode)
