"""Building a copy: every file is written, in the order of the records; when files are shared with the version before,
how many bytes a copy may have in all, and how long the abstracts for its search are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

from webkeep.errors import StorageError
from webkeep.formats.codings import CODING_BOMB, ExpansionLimit, FlawCallback
from webkeep.mirror.output.copy_folder import CopyFolder
from webkeep.mirror.output.prior_version import PriorVersion
from webkeep.mirror.output.script_response_writer import ScriptResponseWriter
from webkeep.mirror.rendering.build_result import BuildResult
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem, FrozenPageSource
from webkeep.mirror.worker_pool import run_in_processes
from webkeep.store.archive import Archive
from webkeep.store.reading import RECORD_BOMB, StoredResponse

if TYPE_CHECKING:
    from webkeep.mirror.rendering.file_renderer import FileRenderer

_COPY_BOMB = "copy-bomb"
_MAX_SEARCH_CHARS = 12 << 20
"""All abstracts together, so that the search stays small enough to be loaded as one script."""
_MAX_ABSTRACT_CHARS = 1000
"""Of one page: what a search shows of it and finds it by."""
_MIN_BATCH_ITEMS = 50
"""The fewest items that a process takes at once, so that handing them over is a small part of the work."""
_MAX_BATCHES = 8000
"""Pieces of work that are shared out: each costs a message between processes."""
_MAX_COMPARED_RECORD_BYTES = 4 << 20
"""Records up to this length are held against the version before."""
_MAX_COMPARED_FILE_BYTES = 32 << 20
"""But only files up to this length, which are read whole to be compared."""
COPY_LIMIT = ExpansionLimit(4 << 30, 50, 1 << 50)
"""How much a copy may have in all, for what the archive holds of it."""


@dataclass(frozen=True, slots=True)
class BuildTask:
    """What is built, where, and how."""

    contents: CopyContents
    folder: CopyFolder
    prior: PriorVersion | None = None
    """The version before, whose files are taken where they are the same."""
    frozen: FrozenPageSource | None = None
    """Pages as a browser left them, where they need more than files."""
    marks_external: bool = False
    limit: ExpansionLimit = COPY_LIMIT


class CopyBuilder:
    """Writes files into a folder."""

    def __init__(self, archive: Callable[[], Archive], task: BuildTask) -> None:
        self._open_archive = archive
        self._contents, self._folder, self._prior = task.contents, task.folder, task.prior
        self._frozen, self._marked, self._limit = task.frozen, task.marks_external, task.limit
        self._held = 0
        """How many bytes the bodies have of which files were made."""
        self.result = BuildResult()

    @cached_property
    def _archive(self) -> Archive:
        return self._open_archive()

    def _read(self, item: CopyItem) -> StoredResponse:
        return self._archive.read_place(item.place)

    @cached_property
    def _renderer(self) -> FileRenderer:
        # A version in which nothing changed needs none of what makes documents, and that takes long to load.
        from webkeep.mirror.rendering.file_renderer import FileRenderer

        return FileRenderer(
            self._contents,
            self._read,
            _abstract_chars(self._contents),
            self._frozen,
            self._marked,
            self.result.links,
        )

    def build(self, items: Sequence[CopyItem]) -> tuple[int, int]:
        """Write the files of some items; gives how many there are and their bytes."""
        files, size = self.result.files, self.result.bytes
        for item in items:
            if (
                self._prior is None
                or not self._prior.has_unchanged(item)
                or not self._share_from_prior(item, self._prior)
            ):
                self._build_item(item)
        return self.result.files - files, self.result.bytes - size

    def finish(self) -> BuildResult:
        """What was built."""
        return self.result

    def _build_item(self, item: CopyItem) -> None:
        try:
            stored = self._read(item)
        except StorageError as error:
            self.result.damaged[item.url] = str(error)
            return
        self._held += stored.body.size
        note = partial(self._note_damage, item)
        self._write(item, self._limit_copy_bytes(self._renderer.render_item(item, stored, note), note))
        if self._renderer.abstract is not None:
            self.result.abstracts.append(self._renderer.abstract)

    def _note_damage(self, item: CopyItem, code: str, message: str) -> None:
        """Take note of what is not whole in the copy."""
        if code in (CODING_BOMB, RECORD_BOMB, _COPY_BOMB):
            self.result.damaged[item.url] = f"{message} [{code}]"

    def _limit_copy_bytes(self, pieces: Iterator[bytes], on_flaw: FlawCallback) -> Iterator[bytes]:
        """The file of an item, up to the bound on all of them together."""
        given, left = 0, self._limit.max_output(self._held) - self.result.bytes
        for piece in pieces:
            given += len(piece)
            if given > left:
                on_flaw(
                    _COPY_BOMB,
                    "the copy has far more bytes already than the archive it is made of; the rest is left out",
                )
                return
            yield piece

    def _write(self, item: CopyItem, pieces: Iterator[bytes]) -> None:
        if self._prior is not None and item.length <= _MAX_COMPARED_RECORD_BYTES:
            whole, pieces = _read_up_to(pieces, _MAX_COMPARED_FILE_BYTES)
            if (
                len(whole) <= _MAX_COMPARED_FILE_BYTES
                and self._prior.is_same(item.name, whole)
                and self._share_from_prior(item, self._prior)
            ):
                return
            pieces = chain((whole,), pieces)
        self.result.bytes += self._folder.write(item.name, pieces)
        self.result.files += 1

    def _share_from_prior(self, item: CopyItem, before: PriorVersion) -> bool:
        is_done = self._folder.share(item.name, before.path(item.name))
        self.result.files += is_done
        self.result.shared += is_done
        return is_done


def build_copy(archive: Archive, task: BuildTask, told: Callable[[int, int], None]) -> BuildResult:
    """Write all files of a copy; `told` hears of files and bytes as they come."""
    items, before = task.contents.in_order, task.prior
    if before is None:
        # Once, for the processes that begin as copies of this one.
        from webkeep.mirror.rendering import file_renderer  # noqa: F401
    together = max(_MIN_BATCH_ITEMS, -(-len(items) // _MAX_BATCHES))
    starts = range(0, len(items), together)

    def work(alone: bool) -> tuple[Callable[[int], tuple[int, int]], Callable[[], BuildResult]]:
        # A connection to a database is of no use in another process than its own.
        opened = (lambda: archive) if alone else (lambda: Archive(archive.path))
        builder = CopyBuilder(opened, task)
        return lambda number: builder.build(items[starts[number] : starts[number] + together]), builder.finish

    built = BuildResult()
    with closing(run_in_processes(len(starts), work, told)) as parts:
        for part in parts:
            built.add(part)
    if before is not None:
        built.links.uses |= before.uses
    built.links.resolve_adrift()
    if built.links.uses:
        ScriptResponseWriter(archive, task.contents, task.folder, built, before).write_all()
    return built


def _read_up_to(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """All of a file, or more than so many bytes of it, and the rest."""
    held: list[bytes] = []
    for piece in pieces:
        held.append(piece)
        size -= len(piece)
        if size < 0:
            break
    return b"".join(held), pieces


def _abstract_chars(contents: CopyContents) -> int:
    """How much of each page's text is searched, so that the search stays small enough to be loaded."""
    return min(_MAX_ABSTRACT_CHARS, _MAX_SEARCH_CHARS // max(contents.pages, 1))
