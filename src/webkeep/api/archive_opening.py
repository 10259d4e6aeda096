"""Archives opened: as programs do (`webkeep.open`), and to be read by a function that tells what opening came across,
and what to do where a path is a file.
"""

# ruff: noqa: A001 - `webkeep.open` reads as it should, and nothing here wants the built-in one
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, overload

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path
from webkeep.api.work_listener import WorkListener
from webkeep.errors import UsageError
from webkeep.store.archive import Archive, WritableArchive


@overload
def open(path: StrPath, write: Literal[False] = False, create: Literal[False] = False) -> Archive: ...


@overload
def open(path: StrPath, write: bool = False, *, create: Literal[True]) -> WritableArchive: ...


@overload
def open(path: StrPath, write: Literal[True], create: bool = False) -> WritableArchive: ...


@check_arguments
def open(path: StrPath, write: bool = False, create: bool = False) -> Archive | WritableArchive:
    """Open an archive: to read, to write as well, or (`create`) to write where there may be none yet."""
    if create:
        return WritableArchive.open_or_create(read_path(path))
    return WritableArchive(read_path(path)) if write else Archive(read_path(path))


@contextmanager
def open_archive(path: Path, listener: WorkListener) -> Iterator[Archive]:
    """The archive at a path, open for reading."""
    if path.is_file():
        advice = f"webkeep import {path} --into ARCHIVE makes one of it"
        raise UsageError(f"{path} is a file, and an archive is a directory; {advice}")
    with Archive(path) as archive:
        for finding in archive.repair_findings:
            listener.on_repair(finding)
        yield archive
