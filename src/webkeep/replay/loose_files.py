"""WARC and WACZ files that are in no archive, made into one for as long as they are served.

Nothing is copied that can be read where it lies: the archive has links to WARC files, and an index of its own. What was
compressed in one piece is unpacked, as no record in it could be read without all before it.
"""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import CHUNK, Moment
from webkeep.store import layout
from webkeep.store.copying import RecordSource
from webkeep.store.scanning import open_records
from webkeep.store.unpacking import unpacked

_WACZ = ".wacz"


def is_loose(path: Path) -> bool:
    """Whether a path is a file of records, or a directory of such files that is no archive."""
    if path.is_dir():
        return not layout.is_archive(path) and bool(_files_in(path))
    return path.is_file()


def gathered(path: Path, folder: Path, now: Moment) -> Path:
    """An archive in `folder` of the files at a path; raises UsageError where they hold no records."""
    files = _files_in(path) if path.is_dir() else [path]
    made = layout.create(folder, path.name, now)
    taken: set[str] = set()
    for file in files:
        if file.name.endswith(_WACZ):
            _unzip(file, made.warcs, taken)
        elif file.name.endswith(layout.WARC_ENDINGS):
            _link(file, made.warcs, taken)
        else:
            advice = "name an archive, a WARC or WACZ file, or a directory of such files"
            raise UsageError(f"{file} holds no records that could be served; {advice}")
    return folder


def _files_in(folder: Path) -> list[Path]:
    endings = (*layout.WARC_ENDINGS, _WACZ)
    return sorted(each for each in folder.rglob("*") if each.name.endswith(endings) and each.is_file())


def _link(file: Path, folder: Path, taken: set[str]) -> None:
    """Have a WARC file in a folder: a link to it, or what is in it where that cannot be reached in another way."""
    if _is_one_piece(file):
        _unpack(file, folder, taken)
    else:
        (folder / _unused(file.name, taken)).symlink_to(file.absolute())


def _unpack(file: Path, folder: Path, taken: set[str]) -> None:
    source = RecordSource(file.name, lambda: file.open("rb"))
    with (
        unpacked(source, folder) as plain,
        plain.open() as stream,
        (folder / _unused(plain.name, taken)).open("wb") as target,
    ):
        shutil.copyfileobj(stream, target, CHUNK)


def _is_one_piece(file: Path) -> bool:
    """Whether a file's records are compressed all together, as its first two tell."""
    flaws = Flaws()
    try:
        with file.open("rb") as stream:
            for record in islice(open_records(stream, file.name, flaws), 2):
                record.finish()
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); check its path and permissions") from error
    return any(flaw.code == "not-per-record" for flaw in flaws.found)


def _unzip(path: Path, folder: Path, taken: set[str]) -> None:
    """Take the WARC files out of a WACZ."""
    flaws = Flaws(Strictness.IGNORE)
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, flaws)
            for member in wacz.warcs:
                name = _unused(f"{path.stem}-{Path(member.path).name}", taken)
                with wacz.open(member) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target, CHUNK)
                if _is_one_piece(folder / name):
                    _unpack(folder / name, folder, taken)
                    (folder / name).unlink()
    except FormatError as error:
        raise UsageError(f"{path} is no WACZ that can be read ({error}); check it with webkeep import") from error


def _unused(name: str, taken: set[str]) -> str:
    new, number = name, 1
    while new in taken:
        number += 1
        new = f"{number}-{name}"
    taken.add(new)
    return new
