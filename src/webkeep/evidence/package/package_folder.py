"""The package as files: the WACZ with all of it, and beside it, for people, copies of what they look at, digests and a
text; in place in one step, once all of it is there.
"""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.evidence.package.evidence_facts import PackedFile
from webkeep.evidence.package.page_file import FILE_ENDING
from webkeep.evidence.sealing import PACKAGE_NAME, digest_file
from webkeep.formats.wacz import WaczDescription, WaczWriter
from webkeep.model import Moment
from webkeep.store.archive import Archive, Selection
from webkeep.store.transfer import add_archive
from webkeep.version import __version__

WACZ_NAME, README_NAME = PACKAGE_NAME, "README.txt"
EVIDENCE_FOLDER = "evidence"
"""Where the files of a package lie that are not records, within its WACZ; beside it they lie in its folder."""
_CHUNK_BYTES = 1 << 20
"""Read at a time."""
_MIN_HOLLOW_BYTES = 1 << 20
"""Smaller files hurt nobody, whatever they came out of."""
_MAX_SHRINKING_RATIO = 100
"""Pages shrink to a fifth; readers refuse what shrank to some hundredth."""
_TEXT_SUFFIXES = frozenset({".html", ".txt", ".json", ".jsonl"})
"""What shrinks at all; pictures and PDF are packed."""


@contextmanager
def building_folder(into: Path) -> Iterator[Path]:
    """A folder beside a place, in which a package is built that goes there; gone when the block is left."""
    check_target(into)
    try:
        with tempfile.TemporaryDirectory(dir=into.absolute().parent, prefix=f".{into.name}-") as folder:
            yield Path(folder)
    except OSError as error:
        raise StorageError(f"the package cannot be written to {into}: {error.strerror or error}") from error


def check_target(into: Path) -> None:
    """Refuse places where a package cannot go, before anything is captured for it."""
    if into.is_dir() and any(into.iterdir()):
        raise UsageError(f"{into} is not empty; name a folder that is not there yet")
    if into.exists() and not into.is_dir():
        raise UsageError(f"{into} is a file; name a folder that is not there yet")
    if not into.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {into.parent} for {into.name}; make it, or name another")


def place_folder(built: Path, into: Path, is_private: bool) -> None:
    """Put a package that is whole in its place."""
    built.chmod(0o700 if is_private else 0o755)
    if into.is_dir():
        into.rmdir()
    built.rename(into)


def write_package_wacz(archive: Archive, folder: Path, file: Path, title: str, created: Moment) -> None:
    """Write the WACZ: the records of an archive, and all files of a folder under `evidence`."""
    description = WaczDescription(title=title, software=f"webkeep/{__version__}")
    with file.open("wb") as stream, WaczWriter(stream, created, description) as writer:
        add_archive(writer, archive, Selection())
        for each in sorted(folder.iterdir()):
            writer.add_file(f"{EVIDENCE_FOLDER}/{each.name}", _read_chunks(each), deflate=not _is_stored(each))


def copy_for_people(folder: Path, target: Path, left_out: tuple[str, ...]) -> None:
    """Lay copies of what people look at beside the WACZ; files of some endings are left out."""
    for each in sorted(folder.iterdir()):
        if not each.name.endswith(left_out):
            shutil.copyfile(each, target / each.name)


def describe_file(path: Path, name: str) -> PackedFile:
    """A file as the package lists it."""
    return PackedFile(name, path.stat().st_size, digest_file(path))


def _is_stored(path: Path) -> bool:
    """Whether a file stands in the package as it is: one that was asked for, which may be a film of gigabytes, too."""
    return FILE_ENDING in path.name or _is_hollow(path)


def _is_hollow(path: Path) -> bool:
    """Whether a file becomes so much smaller that readers would take it for a bomb; it is stored as it is."""
    if path.stat().st_size < _MIN_HOLLOW_BYTES or path.suffix not in _TEXT_SUFFIXES:
        return False
    packer = zlib.compressobj()
    packed = sum(len(packer.compress(chunk)) for chunk in _read_chunks(path)) + len(packer.flush())
    return path.stat().st_size > _MAX_SHRINKING_RATIO * packed


def _read_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk
