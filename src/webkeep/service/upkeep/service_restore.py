"""A backup brought back into an empty folder: every file held against its digest, and in place once all are whole.

A job that ran when the backup was made has no process any more; its capture goes on where the archive is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.service.run import ServiceFolder
from webkeep.service.store import forget_processes, open_service_database
from webkeep.service.upkeep.backup_manifest import CONTENT_NAME, DUMP_NAME, MANIFEST_NAME, BackupFile, read_manifest
from webkeep.service.upkeep.file_copies import ByteWatch, copy_file, digest_file
from webkeep.service.upkeep.service_backup import list_backups

_LOAD_SECONDS = 6 * 3600.0
"""Loading a job store that takes longer has come to a standstill."""


def restore_service(source: Path, folder: ServiceFolder, address: str, watch: ByteWatch) -> Path:
    """Bring back a backup, or the newest in a folder of them; gives which."""
    backup = find_backup(source)
    manifest = read_manifest(backup)
    has_dump = any(each.path == DUMP_NAME for each in manifest.files)
    if has_dump != bool(address):
        what = "is of a job store in PostgreSQL; name an empty database with --database" if has_dump else (
            "has its job store as a file; leave --database out"
        )  # fmt: skip
        raise UsageError(f"{backup} {what}")
    root = folder.root.absolute()
    root.parent.mkdir(parents=True, exist_ok=True)
    with _lock_folder(root.parent):
        _check_vacant(root)
        unfinished = root.with_name(f".{root.name}.restoring")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        (unfinished / "collections").mkdir()
        for each in manifest.files:
            _restore_file(backup, each, unfinished, watch)
        if has_dump:
            _load_dump(backup / DUMP_NAME, address)
        _settle_jobs(unfinished, address)
        unfinished.rename(root)
    return backup


def find_backup(source: Path) -> Path:
    """A backup, or the newest in a folder of them."""
    if (source / MANIFEST_NAME).is_file():
        return source
    found = list_backups(source)
    if not found:
        raise UsageError(f"{source} has no whole backup; name a folder that webkeep service backup wrote to")
    return found[-1]


@contextmanager
def _lock_folder(parent: Path) -> Iterator[None]:
    handle = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StorageError(f"something is being restored in {parent} already; wait for it to end") from error
    finally:
        os.close(handle)


def _check_vacant(root: Path) -> None:
    if root.is_symlink() or (root.exists() and (not root.is_dir() or any(root.iterdir()))):
        raise UsageError(f"{root} is there and not empty; choose a new folder, nothing is overwritten")


def _restore_file(backup: Path, file: BackupFile, root: Path, watch: ByteWatch) -> None:
    if file.path == DUMP_NAME:
        if digest_file(backup / DUMP_NAME) != file.sha256:
            raise StorageError(f"{backup / DUMP_NAME} is not what was backed up; choose another backup")
        return
    source, target = backup / CONTENT_NAME / file.path, root / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        copied = copy_file(source, target, watch)
    except FileNotFoundError as error:
        raise StorageError(f"{source} is missing from the backup; choose another") from error
    if copied != (file.size, file.sha256):
        raise StorageError(f"{source} is not what was backed up; choose another backup")


def _load_dump(dump: Path, address: str) -> None:
    """Have PostgreSQL load a dump, all of it or nothing."""
    tool = shutil.which("psql")
    if tool is None:
        raise UsageError("the job store needs psql to be loaded, which is not here; install it")
    call = [tool, "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", f"--dbname={address}"]
    with dump.open("rb") as stream:
        done = subprocess.run(
            call, stdin=stream, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=_LOAD_SECONDS, check=False
        )
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        raise UsageError(f"the job store cannot be loaded ({said}); give an empty database")


def _settle_jobs(root: Path, address: str) -> None:
    database = open_service_database(ServiceFolder(root).database_path, address)
    try:
        forget_processes(database)
    finally:
        database.close()
