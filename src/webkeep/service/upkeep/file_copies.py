"""Files copied into a backup and out of it: with their digests, up to the end they had when the copy began, and on disk
when it ends.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from webkeep.model import CHUNK_BYTES
from webkeep.store.folder import sqlite_error

_SQLITE_MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 60.0
"""So long others may hold a database."""
_COPY_PAGES = 4096
"""Pages of a database that are copied at once, others writing between."""
SQLITE_COMPANIONS = ("-wal", "-shm", "-journal")
"""How files end that belong to a database beside them."""

ByteWatch = Callable[[int], None]
"""Is told how many bytes were copied, some at a time; may raise to break off."""


def file_stamp(path: Path) -> str:
    """By what a file is known to be unchanged; of a database its log too."""
    found = [path.stat()]
    with suppress(FileNotFoundError):
        found.append(Path(f"{path}{SQLITE_COMPANIONS[0]}").stat())
    # Whoever reads a database makes an empty log beside it.
    return " ".join(f"{each.st_size} {each.st_mtime_ns} {each.st_ino}" for each in found if each.st_size)


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database, which others may be writing to."""
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def copy_file(source: Path, target: Path, watch: ByteWatch) -> tuple[int, str]:
    """Copy a file up to the end it has now; gives its length and digest."""
    digest, copied = hashlib.sha256(), 0
    with source.open("rb") as stream, target.open("xb") as out:
        left = os.fstat(stream.fileno()).st_size
        while left and (chunk := stream.read(min(CHUNK_BYTES, left))):
            watch(len(chunk))
            digest.update(chunk)
            out.write(chunk)
            left -= len(chunk)
            copied += len(chunk)
        out.flush()
        os.fsync(out.fileno())
        os.fchmod(out.fileno(), os.fstat(stream.fileno()).st_mode & 0o777)
    return copied, digest.hexdigest()


def copy_sqlite(source: Path, target: Path, watch: ByteWatch) -> tuple[int, str]:
    """Copy a database as it is at one moment, while others write to it."""
    uri = f"file:{quote(str(source))}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as origin,
            closing(sqlite3.connect(target)) as copy,
        ):
            origin.backup(copy, pages=_COPY_PAGES)
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise sqlite_error(source, error, "the database is damaged; rebuild what it is of") from error
    target.chmod(0o600)
    sync_file(target)
    size = target.stat().st_size
    watch(size)
    return size, digest_file(target)


def sync_file(path: Path) -> None:
    """Have a file on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest_file(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
