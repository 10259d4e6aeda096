"""A copy as one ZIP file, the same bytes whenever and wherever it is made of the same copy: fixed dates and modes, and
which extensions are stored without compression.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.mirror.output.atomic_placement import check_file
from webkeep.mirror.output.copy_folder import write_error
from webkeep.process import atomic_file

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest that ZIP can say; a constant makes the same copy the same file."""
_FILE_ATTRIBUTES = 0o100644 << 16
"""A regular file that all may read and its owner write (octal 100644), where Unix keeps it in ZIP."""
_COMPRESSED_EXTENSIONS = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".mp3", ".mp4", ".webm",
".ogg", ".woff",
                     ".woff2", ".gz", ".zip", ".pdf", ".m4a", ".m4v", ".ogv"})  # fmt: skip
_UNIX_SYSTEM = 3
"""Says whose attributes these are."""


class ZipTarget:
    """A ZIP file to be: under way beside its place, so that it is known at once whether it can be written."""

    def __init__(self, file: Path, stream: BinaryIO) -> None:
        self._file = file
        self._stream = stream
        self.size = 0
        """How many bytes it has, once a folder is packed into it."""

    def pack(self, folder: Path) -> None:
        """Put all files of a folder into it."""
        try:
            with zipfile.ZipFile(self._stream, "w") as pack:
                for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*")):
                    if path.is_file():
                        _add_file(pack, name, path)
            self._stream.flush()
            self.size = self._stream.tell()
        except OSError as error:
            raise write_error(self._file, error) from error


@contextmanager
def open_zip_target(file: Path, replace: bool = False) -> Iterator[ZipTarget]:
    """A ZIP file that appears in its place once the block ended well."""
    check_file(file, replace)
    try:
        with atomic_file(file, replace=replace) as stream:
            yield ZipTarget(file, stream)
    except OSError as error:  # what is left of it is written when it is closed, too
        raise write_error(file, error) from error


def _add_file(pack: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name, _ZIP_EPOCH)
    entry.external_attr, entry.create_system = _FILE_ATTRIBUTES, _UNIX_SYSTEM
    entry.compress_type = zipfile.ZIP_STORED if path.suffix.lower() in _COMPRESSED_EXTENSIONS else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, pack.open(entry, "w", force_zip64=path.stat().st_size >= 1 << 31) as target:
        shutil.copyfileobj(source, target, 1 << 20)
