"""A backup held against its manifest, without the service that it is of and without a place to restore it to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from webkeep.service.upkeep.backup_manifest import CONTENT_NAME, DUMP_NAME, BackupFile, read_manifest
from webkeep.service.upkeep.file_copies import digest_file
from webkeep.service.upkeep.service_restore import find_backup


@dataclass(frozen=True, slots=True)
class BackupCheck:
    """What a backup was found to be."""

    path: Path
    files: int
    total_bytes: int
    findings: tuple[str, ...]
    """What is not as the manifest says, a line each; none where the backup is whole."""


def check_backup(source: Path) -> BackupCheck:
    """Read every file of a backup, or of the newest in a folder of them."""
    backup = find_backup(source)
    manifest = read_manifest(backup)
    findings = [*_differences(backup, manifest.files), *_strangers(backup, manifest.files)]
    return BackupCheck(backup, len(manifest.files), sum(each.size for each in manifest.files), tuple(findings))


def _place_of(backup: Path, file: BackupFile) -> Path:
    return backup / file.path if file.path == DUMP_NAME else backup / CONTENT_NAME / file.path


def _differences(backup: Path, files: Sequence[BackupFile]) -> Iterator[str]:
    for file in files:
        path = _place_of(backup, file)
        if path.is_symlink() or not path.is_file():
            yield f"{file.path} is missing"
        elif path.stat().st_size != file.size:
            yield f"{file.path} has {path.stat().st_size:,} bytes, and {file.size:,} were backed up"
        elif digest_file(path) != file.sha256:
            yield f"{file.path} is not what was backed up"


def _strangers(backup: Path, files: Sequence[BackupFile]) -> Iterator[str]:
    """Files that no backup put there."""
    content, named = backup / CONTENT_NAME, {each.path for each in files}
    for path in sorted(content.rglob("*")):
        if not path.is_dir() and str(path.relative_to(content)) not in named:
            yield f"{path.relative_to(content)} is not in the manifest"
