"""What a backup consists of: every file with its length, its digest, and by what it is known to be unchanged next time.

The manifest is written last. A folder without one is no backup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from webkeep.errors import StorageError
from webkeep.formats import read_json
from webkeep.store.folder import replace_file_durably

MANIFEST_NAME = "backup.json"
CONTENT_NAME = "files"
"""The folder of a backup that has what the service's folder had."""
DUMP_NAME = "database.sql"
"""The job store as PostgreSQL wrote it, beside the manifest."""
_FORMAT_VERSION = 1
"""Of the manifest; one of another is not read."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of a backup."""

    path: str
    """Below the folder of the service, with slashes."""
    size: int
    sha256: str
    stamp: str
    """Length and date of what it was copied from; the same ones mean the same content."""


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """All files of a backup."""

    made: str
    files: Sequence[BackupFile]

    def by_path(self) -> Mapping[str, BackupFile]:
        """The files by their paths."""
        return {each.path: each for each in self.files}

    def write(self, backup: Path) -> None:
        """Make a folder a backup."""
        files = [asdict(each) for each in self.files]
        text = json.dumps({"version": _FORMAT_VERSION, "made": self.made, "files": files}, ensure_ascii=True)
        replace_file_durably(backup / MANIFEST_NAME, text.encode())


def read_manifest(backup: Path) -> BackupManifest:
    """The manifest of a backup."""
    path = backup / MANIFEST_NAME
    try:
        values = read_json(path.read_bytes())
        if not isinstance(values, dict) or values["version"] != _FORMAT_VERSION:
            raise StorageError(f"{path} is of another version; restore it with the webkeep that made it")
        files = [BackupFile(**each) for each in values["files"]]
        made = str(values["made"])
    except OSError as error:
        raise StorageError(f"{backup} is no whole backup ({error.strerror}); choose another") from error
    except (KeyError, TypeError) as error:
        raise StorageError(f"{path} is damaged; choose another backup") from error
    for each in files:
        _check_path(each.path, path)
    return BackupManifest(made, files)


def _check_path(text: str, manifest: Path) -> None:
    """Refuse what leads out of the folder."""
    parts = PurePosixPath(text)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise StorageError(f"{manifest} names {text[:200]!r}, which is no place in a folder; choose another backup")
