"""What lies beside a package in its folder: copies for people, which must be what is in the package."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.evidence.sealing import PACKAGE_NAME, SUMS_NAME, digest_file, read_stamp_files
from webkeep.formats import Flaws, Strictness
from webkeep.formats.wacz import read_wacz
from webkeep.model import Finding

_STRAY_CODE = "folder-stray"
_UNCOVERED = frozenset({PACKAGE_NAME, SUMS_NAME, "README.txt"})
"""Files that are no copies of anything."""
_MAX_FILES = 1_000_000
"""Files beside a package that are looked at; it has five for each page of a site."""
_MAX_SUMS_BYTES = 128 << 20
"""A list of digests of so many files is no larger."""
_SUM_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def check_folder(folder: Path, own: Collection[Path] = ()) -> list[Finding]:
    """Every file beside a package that is not what is in it, but for files of whoever verifies it."""
    try:
        expected = _list_copies(folder / PACKAGE_NAME)
    except (FormatError, UsageError, OSError):
        return []  # what is wrong with the package itself is told with it
    known = {os.path.realpath(each) for each in own}
    strays = (each for each in _check_copies(folder, expected) if not _is_own(folder, each, known))
    return [*strays, *_check_sums(folder)]


def _is_own(folder: Path, finding: Finding, own: Collection[str]) -> bool:
    """Whether a file is no part of the package but of whoever verifies it, such as certificates of an authority."""
    return finding.code == _STRAY_CODE and os.path.realpath(folder / finding.source) in own


def _list_copies(package: Path) -> dict[str, str]:
    """The digests of all that may lie beside a package, by name."""
    with package.open("rb") as stream:
        wacz = read_wacz(stream, package.name, Flaws(Strictness.IGNORE))
        listed = {
            each.path.removeprefix("evidence/"): each.digest.value.hex()
            for each in wacz.resources
            if each.digest is not None and each.path.startswith("evidence/")
        }
    return listed | {name: hashlib.sha256(data).hexdigest() for name, data in read_stamp_files(package).items()}


def _check_copies(folder: Path, expected: dict[str, str]) -> Iterator[Finding]:
    for number, path in enumerate(sorted(folder.rglob("*"))):
        name = path.relative_to(folder).as_posix()
        if number == _MAX_FILES:
            yield Finding(_STRAY_CODE, name, 0, f"more than {_MAX_FILES} files lie here; not looked at")
            return
        if (path.is_dir() and not path.is_symlink()) or (name in _UNCOVERED and name not in expected):
            continue
        if name not in expected:
            yield Finding(_STRAY_CODE, name, 0, "lies beside the package and is not in it; nothing vouches for it")
        elif _digest(path) != expected[name]:
            yield Finding("folder-copy", name, 0, "is not what is in the package; believe the package")


def _check_sums(folder: Path) -> Iterator[Finding]:
    path = folder / SUMS_NAME
    if not path.is_file():
        return
    try:
        with path.open("rb") as stream:
            lines = stream.read(_MAX_SUMS_BYTES).decode("utf-8", "replace").splitlines()
    except OSError as error:
        yield Finding("folder-copy", SUMS_NAME, 0, f"cannot be read ({error.strerror})")
        return
    for line in lines:
        match = _SUM_LINE.fullmatch(line)
        if match is None or not _is_inside(folder, match[2]) or _digest(folder / match[2]) != match[1]:
            yield Finding("folder-copy", SUMS_NAME, 0, f"its line {line[:120]!r} is not right")


def _digest(path: Path) -> str:
    """The SHA-256 of a file; nothing where it is none, or cannot be read."""
    try:
        return digest_file(path) if path.is_file() else ""
    except (OSError, ValueError):
        return ""


def _is_inside(folder: Path, name: str) -> bool:
    try:
        return folder.resolve() in (folder / name).resolve().parents
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or one that leads round in circles
        return False
