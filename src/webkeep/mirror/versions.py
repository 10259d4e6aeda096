"""Versions of a copy: each run a dated tree that is whole, with what did not change shared between them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.mirror.layout import LATEST, START, VERSIONS
from webkeep.mirror.placing import built_in, check_place, is_ours
from webkeep.model import Moment
from webkeep.process.new_file import PART, write_whole


@contextmanager
def placed_version(root: Path, when: Moment) -> Iterator[tuple[Path, Path | None]]:
    """A folder to build a version in, and the version before; once the block ended well the new one is the latest."""
    check_place(root, VERSIONS)
    with _root_of_versions(root):
        before = max(versions(root), default=None)
        with built_in(root, "version") as building:
            yield building, None if before is None else root / before
            _put(building, root, _free(root, when), before)


@contextmanager
def _root_of_versions(root: Path) -> Iterator[None]:
    """The folder that versions are in; where it is new and nothing came to be in it, it goes again."""
    was_there = root.is_dir()
    try:
        root.mkdir(exist_ok=True)
        _write(root / VERSIONS, json.dumps({"made by": "webkeep"}) + "\n")
    except OSError as error:
        raise StorageError(f"cannot write into {root} ({error.strerror}); choose another place") from error
    try:
        yield
    except BaseException:
        if not was_there and not versions(root):
            with suppress(OSError):
                (root / VERSIONS).unlink()
                (root / VERSIONS).parent.rmdir()
                root.rmdir()
        raise


def _put(building: Path, root: Path, name: str, before: str | None) -> None:
    """Give a version that is whole its name and its place in the list; where that fails it is none."""
    building.rename(root / name)
    try:
        _point(root, name)
        _write(root / START, "".join(_page(sorted(versions(root), reverse=True))))
    except BaseException:
        (root / name).rename(building)
        if before is None:
            (root / LATEST).unlink(missing_ok=True)
        else:
            _point(root, before)
        raise


def versions(root: Path) -> list[str]:
    """The names of the versions that are whole; in the order of time if sorted."""
    return [each.name for each in root.iterdir() if not each.is_symlink() and each.name[:1].isdigit() and is_ours(each)]


def _free(root: Path, when: Moment) -> str:
    """A name that no version has, by the second."""
    name = when.iso()[:19].replace(":", "") + "Z"
    number = 2
    free = name
    while (root / free).exists():
        free = f"{name}-{number}"
        number += 1
    return free


def _point(root: Path, name: str) -> None:
    """Let the name for the latest version lead to this one, in one step."""
    new = root / f".{LATEST}.{secrets.token_hex(8)}{PART}"
    try:
        new.symlink_to(name, target_is_directory=True)
    except (OSError, NotImplementedError):
        return  # a file system without symbolic links; the start page says which is the latest
    try:
        new.replace(root / LATEST)
    except BaseException:
        new.unlink()
        raise


def _page(names: list[str]) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Versions</title><h1>Versions</h1>\n<ul>\n'
    yield from (f'<li><a href="{escape(name)}/{START}">{escape(name)}</a></li>\n' for name in names)
    yield "</ul>\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    write_whole(path, text.encode())
