"""Values as Python programs give them: paths of several types, one text for a list of them, choices by name, ports."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias, TypeVar

from webkeep.errors import UsageError

StrPath: TypeAlias = str | os.PathLike[str]
"""A path, as text or as an object."""
Texts: TypeAlias = str | Iterable[str]
"""One text or several."""

_Choice = TypeVar("_Choice", bound=StrEnum)


def read_path(value: StrPath) -> Path:
    """A path; an empty one comes from a variable that was never set, and would mean the working directory."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise UsageError(f"{value!r} is no path; give a text or a Path")
    if not text.strip():
        raise UsageError("a path is empty; name a place")
    return Path(text)


def read_path_or_none(value: StrPath | None) -> Path | None:
    """A path, where one is given."""
    return None if value is None else read_path(value)


def read_paths(values: StrPath | Iterable[StrPath]) -> list[Path]:
    """Paths; a single one may stand for itself."""
    return [read_path(each) for each in ([values] if isinstance(values, str | os.PathLike) else values)]


def list_texts(values: Texts, name: str) -> tuple[str, ...]:
    """Texts; a single one may stand for itself."""
    texts = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else (values,)
    for each in texts:
        if not isinstance(each, str):
            raise UsageError(f"{name} cannot hold {each!r}; give a text, or a list of texts")
    return texts


def read_choice(kind: type[_Choice], value: str, option: str) -> _Choice:
    """One of several values that have names."""
    if value not in set(kind):
        raise UsageError(f"{option} cannot be {value!r}; it may be {', '.join(kind)}")
    return kind(value)


def check_archive_parent(into: Path) -> None:
    """Refuse a place where no archive can be made."""
    parent = into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {into.name} in; make it first")


def check_port(port: object, option: str) -> None:
    """Refuse what is no port; 0 stands for any that is free."""
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise UsageError(f"{option} cannot be {port!r}; choose one up to 65535, or 0 for any")


def data_folder() -> Path:
    """Where things are kept that are this person's own, whatever the archive."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "webkeep"
