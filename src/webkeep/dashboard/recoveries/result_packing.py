"""What a recovery brought back as one file: the files under their old paths, the copy that opens in any browser, or the
archive itself as WACZ or WARC.

A file is made when it is first asked for, and is there until the recovery is deleted; it appears once it is whole.
"""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.api import export
from webkeep.errors import StorageError
from webkeep.formats import ZipWriter
from webkeep.service.run import COPY_NAME, FILES_NAME

_COMPRESSION_LEVEL = 6
"""What everybody has who says none: more takes long, and gains little."""


@dataclass(frozen=True, slots=True)
class ResultFormat:
    """One form in which a result can be had."""

    name: str
    """In its address, and the end of the file's name."""
    media_type: str
    write: Callable[[Path, Path, Path], None]
    """Out of the archive and the folder of results, to a file."""


def write_result(archive: Path, results: Path, wanted: ResultFormat) -> Path:
    """The file, made now or before."""
    folder = results / "packed"
    target = folder / f"recovered.{wanted.name}"
    if target.is_file():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=f".{wanted.name}", delete=False) as stream:
        draft = Path(stream.name)
    try:
        wanted.write(archive, results, draft)
        draft.replace(target)
    except OSError as error:
        raise StorageError(f"the file cannot be made ({error.strerror}); try again later") from error
    finally:
        draft.unlink(missing_ok=True)
    return target


def _list_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a folder with its path in there; what is no plain file is passed over."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not path.name.startswith(".webkeep"):
            yield path.relative_to(folder).as_posix(), path


def _write_zip(folder: Path, target: Path) -> None:
    with ZipWriter(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as packed:
        for name, path in _list_files(folder):
            packed.write(path, name)


def _write_tar(folder: Path, target: Path) -> None:
    with tarfile.open(target, "w:gz", compresslevel=_COMPRESSION_LEVEL, format=tarfile.PAX_FORMAT) as packed:
        for name, path in _list_files(folder):
            member = tarfile.TarInfo(name)
            member.size, member.mode = path.stat().st_size, 0o644
            with path.open("rb") as source:
                packed.addfile(member, source)


def _write_wacz(archive: Path, _results: Path, target: Path) -> None:
    export(archive, wacz=target, replace=True)


def _write_warc(archive: Path, _results: Path, target: Path) -> None:
    export(archive, warc=target, replace=True)


RESULT_FORMATS = (
    ResultFormat("zip", "application/zip", lambda _, results, target: _write_zip(results / FILES_NAME, target)),
    ResultFormat("tar.gz", "application/gzip", lambda _, results, target: _write_tar(results / FILES_NAME, target)),
    ResultFormat("copy.zip", "application/zip", lambda _, results, target: _write_zip(results / COPY_NAME, target)),
    ResultFormat("wacz", "application/wacz", _write_wacz),
    ResultFormat("warc.gz", "application/warc", _write_warc),
)
"""All of them; those of files under their old paths for a web server, the copy for any browser."""
