"""A tree of files as a site: which of them can carry blocks, and the tree written with the blocks in it, in place or to
a copy. A page whose blocks did not move keeps its time; one whose did gets the time of the change, so that servers tell
archives of it by Last-Modified and ETag.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.process import MAX_SHOWN_NAME_BYTES, PART_SUFFIX, name_of_unfinished, write_atomically
from webkeep.vault.blocks.page_injection import can_carry, inject_blocks, strip_blocks
from webkeep.vault.components.component import Component, PathComponent
from webkeep.vault.protection.folder_lock import lock_folder, remove_unfinished
from webkeep.vault.protection.sitemap_dates import is_sitemap_file, move_sitemap_dates
from webkeep.vault.protection.vault_folder import VaultFolder, VaultState, version_moment
from webkeep.vault.protection.vault_pages import VAULT_PAGE_MARK
from webkeep.vault.vault_plan import CarrierPage

_PAGE_ENDINGS = (".html", ".htm", ".xhtml")
_COMPRESSED_ENDINGS = (".gz", ".br", ".zst")
_MAX_CARRIER_BYTES = 4 << 20
"""A larger page is left alone: archives would cut it off."""


@dataclass(frozen=True, slots=True)
class TreeChange:
    """What writing a tree came to."""

    pages: int
    """Pages that carry blocks."""
    moved: tuple[str, ...]
    """Paths of the pages that are not what they were before."""
    added_bytes: int
    """By all comments together."""
    outdated_copies: tuple[str, ...] = ()
    """Compressed copies beside pages that changed, as some servers give them out: they have other blocks, or none."""


def find_carriers(tree: Path) -> tuple[CarrierPage, ...]:
    """All pages of a tree that can carry blocks, with their sizes without any."""
    if not tree.is_dir():
        raise UsageError(f"{tree} is no directory; name the tree of files that is served")
    found = []
    for name, entry in _page_files(tree):
        page = strip_blocks(_read(entry.path))
        if can_carry(page) and VAULT_PAGE_MARK not in page[:1024]:
            found.append(CarrierPage(f"/{name}", len(page)))
    return tuple(found)


def list_carrying_files(tree: Path, paths: Iterable[str], components: Iterable[Component]) -> frozenset[Path]:
    """Real paths of all files of a tree that change when blocks move: pages, compressed copies of them, sitemaps.

    None, where no component could hold any.
    """
    root = tree.resolve()
    places = [each.path.resolve() for each in components if isinstance(each, PathComponent)]
    if not any(place == root or place in root.parents or root in place.parents for place in places):
        return frozenset()
    pages = [root / path[1:] for path in paths]
    copies = (page.with_name(page.name + ending) for page in pages for ending in _COMPRESSED_ENDINGS)
    return frozenset((*pages, *copies, *filter(is_sitemap_file, root.rglob("*.xml"))))


def _walk_tree(folder: str, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All that is in a tree, by its path below it and in the order of these; what cannot be read is passed over."""
    try:
        entries = sorted(os.scandir(folder), key=lambda each: each.name)
    except PermissionError:
        return
    for entry in entries:
        name = f"{below}{entry.name}"
        yield name, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk_tree(entry.path, f"{name}/")


def _page_files(tree: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for name, entry in _walk_tree(str(tree)):
        is_page = name.lower().endswith(_PAGE_ENDINGS) and entry.is_file(follow_symlinks=False)
        if is_page and entry.stat(follow_symlinks=False).st_size <= _MAX_CARRIER_BYTES:
            yield name, entry


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123 - twenty thousand pages are read so
        return stream.read()


def copy_tree(tree: Path, target: Path) -> None:
    """A copy of a tree with times and modes; what is there already and the same stays as it is."""
    for name, entry in _walk_tree(str(tree)):
        place = target / name
        if _is_unfinished_page(place):
            continue
        try:
            if entry.is_symlink():
                if not os.path.lexists(place):
                    place.symlink_to(os.readlink(entry.path))  # noqa: PTH115
            elif entry.is_dir():
                place.mkdir(parents=True, exist_ok=True)
            elif entry.is_file() and not _is_same(entry, place):
                shutil.copy2(entry.path, place)
        except OSError as error:
            raise StorageError(
                f"{place} cannot be written ({error.strerror}); make room or choose another --into"
            ) from error


def _is_same(one: os.DirEntry[str], other: Path) -> bool:
    if other.suffix.lower() in _PAGE_ENDINGS or is_sitemap_file(other):
        return True  # these are written with their blocks, or dates of them
    try:
        first, second = one.stat(), other.stat()
    except FileNotFoundError:
        return False
    return (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How a tree is written."""

    visible: bool = False
    """Whether pages say when they were modified."""
    has_blocks: bool = True
    """Whether the site's own pages carry blocks."""


def write_tree(
    tree: Path, target: Path, folder: VaultFolder, state: VaultState, options: TreeOptions | None = None
) -> TreeChange:
    """Put the blocks of a vault into the pages of a tree, written to a target, which may be the tree itself."""
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{target} cannot be made ({error.strerror}); choose another --into") from error
    with lock_folder(target):
        remove_unfinished(filter(_is_unfinished_page, list(target.rglob(f".*{PART_SUFFIX}"))))
        if target != tree:
            copy_tree(tree, target)
        return _write_pages(tree, target, folder, state, options or TreeOptions())


def _write_pages(tree: Path, target: Path, folder: VaultFolder, state: VaultState, options: TreeOptions) -> TreeChange:
    carried = state.blocks_by_page() if options.has_blocks else {}
    moved, names, pages, added = [], set(), 0, 0
    dates: dict[str, Moment] = {}
    for below, entry in _page_files(tree):
        name = f"/{below}"
        page = strip_blocks(_read(entry.path))
        blocks = carried.get(name, [])
        if blocks and not can_carry(page):  # as it could when blocks were assigned
            blocks = []
        comments = [folder.read_comment(segment, index) for segment, index in blocks]
        since = version_moment(state.newest_version(blocks)) if blocks else None
        whole = inject_blocks(page, comments, since.iso() if options.visible and since else "")
        if since is not None:
            dates[name] = since
        pages, added = pages + bool(blocks), added + len(whole) - len(page)
        if _write_page(target / below, whole, entry.stat(), since):
            moved.append(name)
        names.add(below)
    for source in filter(is_sitemap_file, tree.rglob("*.xml")):
        sitemap = move_sitemap_dates(source.read_bytes(), dates)
        _write_page(target / source.relative_to(tree), sitemap, source.stat(), max(dates.values(), default=None))
    return TreeChange(pages, tuple(moved), added, tuple(_find_outdated_copies(target, names)))


def _find_outdated_copies(tree: Path, pages: Collection[str]) -> Iterator[str]:
    """The compressed copies of pages that are older than these."""
    for name, entry in _walk_tree(str(tree)):
        page = name.rpartition(".")[0]
        is_copy = name.endswith(_COMPRESSED_ENDINGS) and page in pages and entry.is_file()
        if is_copy and entry.stat().st_mtime_ns < (tree / page).stat().st_mtime_ns:
            yield f"/{name}"


def _is_unfinished_page(path: Path) -> bool:
    """Whether a killed run left this of a page or sitemap that it wrote."""
    name = name_of_unfinished(path.name)
    if name is None:
        return False
    is_cut_off = len(os.fsencode(name)) >= MAX_SHOWN_NAME_BYTES
    return is_cut_off or Path(name).suffix.lower() in _PAGE_ENDINGS or is_sitemap_file(Path(name))


def _write_page(path: Path, whole: bytes, source: os.stat_result, since: Moment | None) -> bool:
    """Write a page where it is not the same already; with the later of its own time and that of its blocks."""
    try:
        if _has_content(path, whole):
            return False
        write_atomically(path, whole, stat.S_IMODE(source.st_mode))
        if (source.st_uid, source.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):  # who may not give files away owns the new one
                os.chown(path, source.st_uid, source.st_gid)
        modified = max(source.st_mtime_ns, since.micros * 1000 if since else 0)
        os.utime(path, ns=(modified, modified))
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror}); make room or mend its permissions") from error
    return True


def _has_content(path: Path, whole: bytes) -> bool:
    try:
        return _read(str(path)) == whole
    except FileNotFoundError:
        return False
