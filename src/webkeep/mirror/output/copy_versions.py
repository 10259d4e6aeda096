"""Versions of a copy: each run makes a dated tree of its own; what trees are called, which count as whole, where the
link to the latest leads, and the page that lists them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.mirror.names.copy_layout import LATEST_NAME, START_PAGE, VERSIONS_FILE
from webkeep.mirror.output.atomic_placement import build_folder, check_folder, is_webkeep_folder
from webkeep.model import Moment
from webkeep.presentation.pages import element, render_page
from webkeep.process import PART_SUFFIX, write_atomically


@contextmanager
def place_version(root: Path, when: Moment) -> Iterator[tuple[Path, Path | None]]:
    """A folder to build a version in, and the version before; once the block ended well the new one is the latest."""
    check_folder(root, VERSIONS_FILE)
    with _versions_folder(root):
        before = max(list_versions(root), default=None)
        with build_folder(root, "version") as building:
            yield building, None if before is None else root / before
            _publish_version(building, root, _free_name(root, when), before)


@contextmanager
def _versions_folder(root: Path) -> Iterator[None]:
    """The folder that versions are in; where it is new and nothing came to be in it, it goes again."""
    was_there = root.is_dir()
    try:
        root.mkdir(exist_ok=True)
        _write_file(root / VERSIONS_FILE, b'{"made by": "webkeep"}\n')
    except OSError as error:
        raise StorageError(f"cannot write into {root} ({error.strerror}); choose another place") from error
    try:
        yield
    except BaseException:
        if not was_there and not list_versions(root):
            with suppress(OSError):
                (root / VERSIONS_FILE).unlink()
                (root / VERSIONS_FILE).parent.rmdir()
                root.rmdir()
        raise


def _publish_version(building: Path, root: Path, name: str, before: str | None) -> None:
    """Give a version that is whole its name and its place in the list; where that fails it is none."""
    building.rename(root / name)
    try:
        _point_latest(root, name)
        _write_file(root / START_PAGE, _render_index(sorted(list_versions(root), reverse=True)))
    except BaseException:
        (root / name).rename(building)
        if before is None:
            (root / LATEST_NAME).unlink(missing_ok=True)
        else:
            _point_latest(root, before)
        raise


def list_versions(root: Path) -> list[str]:
    """The names of the versions that are whole; in the order of time if sorted."""
    return [
        each.name
        for each in root.iterdir()
        if not each.is_symlink() and each.name[:1].isdigit() and is_webkeep_folder(each)
    ]


def _free_name(root: Path, when: Moment) -> str:
    """A name that no version has, by the second."""
    name = when.iso()[:19].replace(":", "") + "Z"
    number = 2
    free = name
    while (root / free).exists():
        free = f"{name}-{number}"
        number += 1
    return free


def _point_latest(root: Path, name: str) -> None:
    """Let the name for the latest version lead to this one, in one step."""
    new = root / f".{LATEST_NAME}.{secrets.token_hex(8)}{PART_SUFFIX}"
    try:
        new.symlink_to(name, target_is_directory=True)
    except (OSError, NotImplementedError):
        return  # a file system without symbolic links; the start page says which is the latest
    try:
        new.replace(root / LATEST_NAME)
    except BaseException:
        new.unlink()
        raise


def _render_index(names: list[str]) -> bytes:
    items = [element("li", element("a", name, href=f"{name}/{START_PAGE}")) for name in names]
    return render_page("Versions", element("main", element("h1", "Versions"), element("ul", items)))


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, content)
