"""What to say when SQLite fails: what is wrong, where, and what to do, such as for a full disk or a file that cannot be
written.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from webkeep.errors import StorageError

_ADVICE = {
    ("SQLITE_FULL",): "free some space and run it again: nothing kept is lost",
    ("SQLITE_IOERR",): "see to the disk and its free space, and run it again: nothing kept is lost",
    ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"): "make it writable or choose another place",
    ("SQLITE_BUSY",): "another process holds it; wait for it to end",
}


def sqlite_error(path: Path, error: sqlite3.Error, otherwise: str) -> StorageError:
    """The error to raise for one of SQLite's; `otherwise` is the advice where the file itself is at fault."""
    name = getattr(error, "sqlite_errorname", "") or ""
    advice = next((text for names, text in _ADVICE.items() if name.startswith(names)), otherwise)
    return StorageError(f"{path}: {error}; {advice}")
