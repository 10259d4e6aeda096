"""WARC and WACZ files that are in no archive, made into one for as long as they are served.

Nothing is copied that can be read where it lies: the archive has links to WARC files, and an index of its own.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import Moment
from webkeep.store import layout

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
            (made.warcs / _unused(file.name, taken)).symlink_to(file.absolute())
        else:
            advice = "name an archive, a WARC or WACZ file, or a directory of such files"
            raise UsageError(f"{file} holds no records that could be served; {advice}")
    return folder


def _files_in(folder: Path) -> list[Path]:
    endings = (*layout.WARC_ENDINGS, _WACZ)
    return sorted(each for each in folder.rglob("*") if each.name.endswith(endings) and each.is_file())


def _unzip(path: Path, folder: Path, taken: set[str]) -> None:
    """Take the WARC files out of a WACZ."""
    flaws = Flaws(Strictness.IGNORE)
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, flaws)
            for member in wacz.warcs:
                name = _unused(f"{path.stem}-{Path(member.path).name}", taken)
                with wacz.open(member) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
    except FormatError as error:
        raise UsageError(f"{path} is no WACZ that can be read ({error}); check it with webkeep import") from error


def _unused(name: str, taken: set[str]) -> str:
    new, number = name, 1
    while new in taken:
        number += 1
        new = f"{number}-{name}"
    taken.add(new)
    return new
