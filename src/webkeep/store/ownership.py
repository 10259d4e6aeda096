"""Archives for their owner's eyes alone: what was seen with someone's credentials is nobody else's affair.

What says so is the mode of `archive.toml`. Folders are closed to others as well, so that whatever is made in them later
cannot be reached even before it is closed itself.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.store.layout import Layout

OWNER_FILE, OWNER_FOLDER = 0o600, 0o700
_OTHERS = 0o077


def is_private(layout: Layout) -> bool:
    """Whether an archive is for its owner alone."""
    try:
        return not layout.settings.stat().st_mode & _OTHERS
    except OSError:
        return False


def make_private(layout: Layout) -> None:
    """Close an archive, and all that is in it, to everyone but its owner."""
    try:
        _close(layout.root, OWNER_FOLDER)
        for folder, folders, files in os.walk(layout.root):
            for name in folders:
                _close(Path(folder, name), OWNER_FOLDER)
            for name in files:
                _close(Path(folder, name), OWNER_FILE)
    except OSError as error:
        advice = "give its files to the one who runs webkeep"
        raise StorageError(f"cannot close {layout.root} to others ({error.strerror}); {advice}") from error


def _close(path: Path, mode: int) -> None:
    with suppress(FileNotFoundError):  # a file of a job that came to its end
        found = path.lstat().st_mode
        if found & _OTHERS and not stat.S_ISLNK(found):
            path.chmod(mode)
