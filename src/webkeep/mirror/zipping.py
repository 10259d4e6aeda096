"""A copy as one ZIP file: the same bytes whenever and wherever it is made of the same copy."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.process.new_file import new_file

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
_PACKED = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".mp3", ".mp4", ".webm", ".ogg", ".woff",
                     ".woff2", ".gz", ".zip", ".pdf", ".m4a", ".m4v", ".ogv"})  # fmt: skip
_UNIX = 3


def write_zip(folder: Path, file: Path) -> int:
    """Pack a folder into a file, which appears once it is whole; gives how many bytes it has."""
    if file.is_dir() or file.is_symlink():
        raise UsageError(f"{file} is no file to write a ZIP into; choose another name")
    try:
        with new_file(file) as stream, zipfile.ZipFile(stream, "w") as pack:
            for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*")):
                if path.is_file():
                    _add(pack, name, path)
        return file.stat().st_size
    except OSError as error:
        raise StorageError(f"cannot write {file} ({os.strerror(error.errno or 0)}); choose another place") from error


def _add(pack: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr, entry.create_system = _MODE, _UNIX
    entry.compress_type = zipfile.ZIP_STORED if path.suffix.lower() in _PACKED else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, pack.open(entry, "w", force_zip64=path.stat().st_size >= 1 << 31) as target:
        shutil.copyfileobj(source, target, 1 << 20)
