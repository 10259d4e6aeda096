"""Backups of a service, made while it runs: the job store as of one moment, then everything else, each file with its
digest.

Theory of operation. The job store comes first, and archives after it: so they hold at least what it says, and a job
that it says is running goes on in a restored service where its archive is. Of an archive the caches come first and the
WARC files after them, for the same reason: what the caches lack is read again when it is opened. Which file of it
grows, and up to where that is sure, is copied before the WARC files; where another one grows after them, the archive is
copied once more. A file that is as it was in the backup before is a second name of that copy, and takes no room.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.formats import read_json
from webkeep.model import Moment
from webkeep.process import DumpKind, name_of_unfinished, write_dump
from webkeep.service.logins import KEY_FILE
from webkeep.service.run import ServiceFolder
from webkeep.service.upkeep.backup_manifest import (
    CONTENT_NAME,
    DUMP_NAME,
    MANIFEST_NAME,
    BackupFile,
    BackupManifest,
    read_manifest,
)
from webkeep.service.upkeep.file_copies import (
    SQLITE_COMPANIONS,
    ByteWatch,
    copy_file,
    copy_sqlite,
    digest_file,
    file_stamp,
    is_sqlite,
)
from webkeep.store.folder import ArchiveLayout, is_archive

_UNFINISHED_PREFIX = ".unfinished-"
_LEFT_OUT = frozenset({"lock", "hosts", "spool", KEY_FILE, "authority"})
"""Of the service's folder: what only those need that run now, and keys, so that sealed logins stay sealed."""
_MAX_ARCHIVE_COPIES = 20
"""An archive whose growing file changed so often while it was copied is written faster than it can be."""


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What a backup came to."""

    path: Path
    files: int
    total_bytes: int
    new_bytes: int
    """Of what was not in the backup before."""


def list_backups(target: Path) -> list[Path]:
    """The whole backups in a folder, oldest first."""
    if not target.is_dir():
        return []
    return sorted(each for each in target.iterdir() if each.name[0] != "." and (each / MANIFEST_NAME).is_file())


def back_up_service(folder: ServiceFolder, address: str, target: Path, now: Moment, watch: ByteWatch) -> BackupSummary:
    """Make a backup in a folder of backups; what an earlier one that was broken off left there goes."""
    if not folder.is_there():
        raise UsageError(f"{folder.root} is no folder of a service; name the one that webkeep service was called with")
    if target.absolute().is_relative_to(folder.root.absolute()):
        raise UsageError(f"{target} is within the service's folder; choose a place outside, best on another disk")
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _lock_target(target):
        for left in target.glob(f"{_UNFINISHED_PREFIX}*"):
            shutil.rmtree(left)
        known = list_backups(target)
        name = now.iso().replace(":", "").replace("-", "")
        unfinished, finished = target / f"{_UNFINISHED_PREFIX}{name}", target / name
        if finished.exists():
            raise UsageError(f"{finished} is there already; try again in a moment")
        run = _BackupRun(folder.root, unfinished, known[-1] if known else None, watch)
        summary = run.copy_all(folder, address, now)
        unfinished.rename(finished)
        _sync_folder(target)
    return BackupSummary(finished, *summary)


@contextmanager
def _lock_target(target: Path) -> Iterator[None]:
    handle = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StorageError(f"{target} has a backup under way already; wait for it to end") from error
    finally:
        os.close(handle)


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _BackupRun:
    """One backup that is being made."""

    def __init__(self, root: Path, backup: Path, previous: Path | None, watch: ByteWatch) -> None:
        self._root, self._content, self._backup = root, backup / CONTENT_NAME, backup
        self._previous, self._watch = previous, watch
        self._known = read_manifest(previous).by_path() if previous else {}
        self._files: dict[str, BackupFile] = {}
        self._new_bytes = 0

    def copy_all(self, folder: ServiceFolder, address: str, now: Moment) -> tuple[int, int, int]:
        """Copy everything; gives the number of files, their bytes, and those that are new."""
        self._content.mkdir(parents=True, mode=0o700)
        if address:
            write_dump(DumpKind.POSTGRESQL, address, "of the job store", self._backup / DUMP_NAME)
            size, digest = (self._backup / DUMP_NAME).stat().st_size, digest_file(self._backup / DUMP_NAME)
            self._files[DUMP_NAME] = BackupFile(DUMP_NAME, size, digest, "")
            self._new_bytes += size
        elif folder.database_path.exists():
            self._copy(folder.database_path)
        archives = sorted(each for each in self._root.glob("collections/*/*") if is_archive(each))
        for path in self._walk(self._root):
            if path != folder.database_path and not any(path.is_relative_to(each) for each in archives):
                self._copy(path)
        for archive in archives:
            self._copy_archive(ArchiveLayout(archive))
        BackupManifest(now.iso(), [self._files[path] for path in sorted(self._files)]).write(self._backup)
        return len(self._files), sum(each.size for each in self._files.values()), self._new_bytes

    def _walk(self, top: Path) -> Iterator[Path]:
        for folder, names, files in os.walk(top):
            place = Path(folder)
            if place == self._root:
                names[:] = [each for each in names if each not in _LEFT_OUT]
                files = [each for each in files if each not in _LEFT_OUT]
            if place.parent == self._root / "jobs":
                files = [each for each in files if each != "lock"]
            names[:] = sorted(each for each in names if each != "spool")
            for name in sorted(files):
                path = place / name
                is_passing = name.endswith(SQLITE_COMPANIONS) or name_of_unfinished(name) is not None
                if not is_passing and path.is_file() and not path.is_symlink():
                    yield path

    def _copy_archive(self, layout: ArchiveLayout) -> None:
        for _ in range(_MAX_ARCHIVE_COPIES):
            growing = _growing_file(layout)
            order = {layout.jobs: 0, layout.index.parent: 1, layout.catalog: 1, layout.lock: 3, layout.warcs: 4}
            paths = sorted(self._walk(layout.root), key=lambda each: _place_of(each, layout.root, order))
            for path in paths:
                self._copy(path)
            if _growing_file(layout) == growing and self._is_unchanged(layout, growing):
                return
        raise StorageError(f"{layout.root} changes faster than it can be copied; pause its jobs and try again")

    def _is_unchanged(self, layout: ArchiveLayout, growing: str) -> bool:
        """Whether all WARC files that do not grow are as they were copied."""
        settled = [layout.warcs / name for name in layout.warc_names() if name != growing]
        found = {str(path.relative_to(self._root)): file_stamp(path) for path in settled}
        return all(path in self._files and self._files[path].stamp == stamp for path, stamp in found.items())

    def _copy(self, path: Path) -> None:
        """Copy a file, or give the copy of it that there is a second name; one that is gone meanwhile is not needed."""
        name = str(path.relative_to(self._root))
        target = self._content / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            stamp = file_stamp(path)
            if name in self._files:
                if self._files[name].stamp == stamp:
                    return
                target.unlink()
            known = self._known.get(name)
            if known is not None and known.stamp == stamp and self._link(name, target):
                self._files[name] = known
                return
            copy = copy_sqlite if is_sqlite(path) else copy_file
            size, digest = copy(path, target, self._watch)
        except FileNotFoundError:
            target.unlink(missing_ok=True)
            self._files.pop(name, None)
            return
        self._new_bytes += size
        self._files[name] = BackupFile(name, size, digest, stamp)

    def _link(self, name: str, target: Path) -> bool:
        if self._previous is None:
            return False
        try:
            target.hardlink_to(self._previous / CONTENT_NAME / name)
        except OSError:  # a file system without links, or a copy that somebody took away
            return False
        return True


def _growing_file(layout: ArchiveLayout) -> str:
    try:
        values = read_json(layout.lock.read_bytes())
    except OSError:
        return ""
    return str(values.get("growing", "")) if isinstance(values, dict) else ""


def _place_of(path: Path, root: Path, order: dict[Path, int]) -> tuple[int, str]:
    top = root / path.relative_to(root).parts[0]
    return order.get(top, 2), str(path)
