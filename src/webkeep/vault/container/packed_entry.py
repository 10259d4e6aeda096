"""What a container holds of one file, directory or link."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class EntryKind(enum.Enum):
    """What an entry is; nothing else is packed, and nothing else restored."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class PackedEntry:
    """One file, directory or symbolic link, under its path in the container."""

    path: str
    """With slashes, without one at its beginning or end."""
    kind: EntryKind
    size: int = 0
    modified_ns: int = 0
    """Nanoseconds since 1970."""
    mode: int = 0o644
    """Permission bits."""
    target: str = ""
    """Where a link leads."""
