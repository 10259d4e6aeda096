"""Pages and files made only to carry a vault, for those who prefer them to their own pages: pages that robots read,
each with as many blocks as it has room for, and raw files, each with a whole segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.presentation.pages import element, render_page
from webkeep.process import atomic_file, write_atomically
from webkeep.vault.blocks.page_injection import inject_blocks
from webkeep.vault.protection.folder_lock import remove_unfinished
from webkeep.vault.protection.vault_folder import PublishedSegment, VaultFolder, VaultState

VAULT_PAGE_MARK = b'name="generator" content="webkeep vault"'
"""What such pages are known by, so that they are never taken for pages of the site."""
_TITLE = "Server components of this site"
_ABOUT = (
    "This page holds a part of what this site is made of, for whoever has to bring it back. There is nothing to see."
)


def write_vault_pages(folder: VaultFolder, state: VaultState, target: Path) -> int:
    """Write pages with all blocks of a vault into a directory, and an index that links them; how many there are."""
    names = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for number, comments in enumerate(_page_loads(folder, state), 1):
            names.append(f"part-{number:04d}.html")
            write_atomically(target / names[-1], inject_blocks(_render([]), comments))
        write_atomically(target / "index.html", _render(names))
        for old in target.glob("part-*.html"):
            if old.name not in names:
                old.unlink()
    except OSError as error:
        raise StorageError(f"{target} cannot be written ({error.strerror}); make room there") from error
    return len(names)


def _page_loads(folder: VaultFolder, state: VaultState) -> Iterator[list[bytes]]:
    """Comments in lots that fit a page; blocks of one segment are in different pages as far as possible."""
    room = state.plan.max_page_bytes - len(_render([]))
    held: list[bytes] = []
    size = 0
    for segment, index in _all_blocks(state):
        comment = folder.read_comment(segment, index)
        if held and size + len(comment) > room:
            yield held
            held, size = [], 0
        held.append(comment)
        size += len(comment)
    if held:
        yield held


def _all_blocks(state: VaultState) -> Iterator[tuple[PublishedSegment, int]]:
    """All blocks, the first of each segment, then the second of each, and so on."""
    segments = (state.manifest, *state.segments)
    for index in range(max(each.identity.total for each in segments)):
        for segment in segments:
            if index < segment.identity.total:
                yield segment, index


def _render(names: list[str]) -> bytes:
    links = element("ul", [element("li", element("a", name, href=name)) for name in names]) if names else None
    mark = element("meta", name="generator", content="webkeep vault")
    return render_page(_TITLE, element("h1", _TITLE), element("p", _ABOUT), links, head=mark, style=())


def write_raw_files(folder: VaultFolder, state: VaultState, target: Path) -> int:
    """Write each segment as one file of its data blocks into a directory; how many there are."""
    segments = (state.manifest, *state.segments)
    try:
        target.mkdir(parents=True, exist_ok=True)
        remove_unfinished(target.iterdir())
        for segment in segments:
            with atomic_file(target / f"{segment.identity.name}.txt") as stream:
                for index in range(segment.identity.needed):
                    stream.write(folder.read_comment(segment, index) + b"\n")
    except OSError as error:
        raise StorageError(f"{target} cannot be written ({error.strerror}); make room there") from error
    return len(segments)
