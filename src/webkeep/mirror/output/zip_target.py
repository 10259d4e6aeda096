"""A copy as one file, ZIP or by its ending tar.gz, the same bytes whenever and wherever it is made of the same copy:
fixed dates and modes, and which extensions are stored without compression.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.formats import ZipWriter
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
_TAR_ENDINGS = (".tar.gz", ".tgz")
_FILE_MODE = 0o644
"""A file that all may read and its owner write."""


class ZipTarget:
    """A ZIP or tar.gz file to be: under way beside its place, so that it is known at once whether it can be written."""

    def __init__(self, file: Path, stream: BinaryIO) -> None:
        self._file = file
        self._stream = stream
        self.size = 0
        """How many bytes it has, once a folder is packed into it."""

    def pack(self, folder: Path) -> None:
        """Put all files of a folder into it."""
        try:
            files = sorted((each.relative_to(folder).as_posix(), each) for each in folder.rglob("*") if each.is_file())
            if self._file.name.lower().endswith(_TAR_ENDINGS):
                _pack_tar(self._stream, files)
            else:
                with ZipWriter(self._stream, "w") as pack:
                    for name, path in files:
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


def _pack_tar(stream: BinaryIO, files: Iterable[tuple[str, Path]]) -> None:
    with (
        gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as pack,
    ):
        for name, path in files:
            entry = tarfile.TarInfo(name)
            with path.open("rb") as source:
                entry.size, entry.mode = os.fstat(source.fileno()).st_size, _FILE_MODE
                pack.addfile(entry, source)


def _add_file(pack: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name, _ZIP_EPOCH)
    entry.external_attr, entry.create_system = _FILE_ATTRIBUTES, _UNIX_SYSTEM
    entry.compress_type = zipfile.ZIP_STORED if path.suffix.lower() in _COMPRESSED_EXTENSIONS else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, pack.open(entry, "w", force_zip64=path.stat().st_size >= 1 << 31) as target:
        shutil.copyfileobj(source, target, 1 << 20)
