"""Building a copy: every file written, in the order of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

from webkeep.errors import StorageError
from webkeep.formats.chunked import Note
from webkeep.formats.codings import BOMB
from webkeep.formats.expansion import ExpansionLimit
from webkeep.mirror.answer_writing import AnswerWriter
from webkeep.mirror.contents import Contents, Frozen, Item
from webkeep.mirror.crew import shared_out
from webkeep.mirror.earlier import Earlier
from webkeep.mirror.findings import Built
from webkeep.mirror.reading import Reader
from webkeep.mirror.writing import Tree
from webkeep.store.archive import Archive
from webkeep.store.reading import RECORD_BOMB

if TYPE_CHECKING:
    from webkeep.mirror.rendering import Renderer

_COPY_BOMB = "copy-bomb"
_MOST_INDEXED = 12 << 20
_MOST_SHOWN = 1000
_FEWEST_TOGETHER = 50
_MOST_BATCHES = 8000
_COMPARED = 4 << 20
"""Records up to this length are held against the version before."""
_HELD = 32 << 20
"""But only files up to this length."""
COPY = ExpansionLimit(4 << 30, 50, 1 << 50)
"""How much a copy may have in all, for what the archive holds of it."""


class _Builder:
    """Writes files into a folder."""

    def __init__(
        self,
        archive: Callable[[], Archive],
        contents: Contents,
        tree: Tree,
        before: Earlier | None,
        frozen: Frozen | None,
        marked: bool,
        limit: ExpansionLimit = COPY,
    ) -> None:
        self._reader = Reader(archive)
        self._contents = contents
        self._frozen = frozen
        self._marked = marked
        self._tree = tree
        self._before = before
        self._limit = limit
        self._held = 0
        """How many bytes the bodies have of which files were made."""
        self.built = Built()

    @cached_property
    def _renderer(self) -> Renderer:
        # A version in which nothing changed needs none of what makes documents, and that takes long to load.
        from webkeep.mirror.rendering import Renderer

        renderer = Renderer(self._contents, self._reader.read, _room(self._contents), self._frozen, self._marked)
        self.built.links = renderer.links
        return renderer

    def build(self, items: Sequence[Item]) -> tuple[int, int]:
        """Write the files of some items; gives how many there are and their bytes."""
        files, size = self.built.files, self.built.bytes
        for item in items:
            if self._before is None or not self._before.has(item) or not self._share(item, self._before):
                self._make(item)
        return self.built.files - files, self.built.bytes - size

    def finish(self) -> Built:
        """Let go of the files; gives what was built."""
        self._reader.close()
        return self.built

    def _make(self, item: Item) -> None:
        try:
            holding = self._reader.read(item)
        except StorageError as error:
            self.built.damaged[item.url] = str(error)
            return
        self._held += holding.body.size
        note = partial(self._note, item)
        self._write(item, self._bounded(self._renderer.pieces(item, holding, note), note))
        if self._renderer.abstract is not None:
            self.built.abstracts.append(self._renderer.abstract)

    def _note(self, item: Item, code: str, message: str) -> None:
        """Take note of what is not whole in the copy."""
        if code in (BOMB, RECORD_BOMB, _COPY_BOMB):
            self.built.damaged[item.url] = f"{message} [{code}]"

    def _bounded(self, pieces: Iterator[bytes], note: Note) -> Iterator[bytes]:
        """The file of an item, up to the bound on all of them together."""
        given, left = 0, self._limit.allowed(self._held) - self.built.bytes
        for piece in pieces:
            given += len(piece)
            if given > left:
                note(
                    _COPY_BOMB,
                    "the copy has far more bytes already than the archive it is made of; the rest is left out",
                )
                return
            yield piece

    def _write(self, item: Item, pieces: Iterator[bytes]) -> None:
        if self._before is not None and item.length <= _COMPARED:
            whole, pieces = _beginning(pieces, _HELD)
            if len(whole) <= _HELD and self._before.is_same(item.name, whole) and self._share(item, self._before):
                return
            pieces = chain((whole,), pieces)
        self.built.bytes += self._tree.write(item.name, pieces)
        self.built.files += 1

    def _share(self, item: Item, before: Earlier) -> bool:
        is_done = self._tree.share(item.name, before.path(item.name))
        self.built.files += is_done
        self.built.shared += is_done
        return is_done


def build(
    archive: Archive,
    contents: Contents,
    tree: Tree,
    told: Callable[[int, int], None],
    before: Earlier | None = None,
    frozen: Frozen | None = None,
    marked: bool = False,
) -> Built:
    """Write all files of a copy; `told` hears of files and bytes as they come."""
    items = contents.in_order
    together = max(_FEWEST_TOGETHER, -(-len(items) // _MOST_BATCHES))
    starts = range(0, len(items), together)

    def work(alone: bool) -> tuple[Callable[[int], tuple[int, int]], Callable[[], Built]]:
        # A connection to a database is of no use in another process than its own.
        opened = (lambda: archive) if alone else (lambda: Archive(archive.path))
        builder = _Builder(opened, contents, tree, before, frozen, marked)
        return lambda number: builder.build(items[starts[number] : starts[number] + together]), builder.finish

    built = Built()
    with closing(shared_out(len(starts), work, told)) as parts:
        for part in parts:
            built.add(part)
    if before is not None:
        built.links.uses |= before.uses
    built.links.settle_adrift()
    if built.links.uses:
        AnswerWriter(archive, contents, tree, built, before).write_all()
    return built


def _beginning(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """All of a file, or more than so many bytes of it, and the rest."""
    held: list[bytes] = []
    for piece in pieces:
        held.append(piece)
        size -= len(piece)
        if size < 0:
            break
    return b"".join(held), pieces


def _room(contents: Contents) -> int:
    """How much of each page's text is searched, so that the search stays small enough to be loaded."""
    return min(_MOST_SHOWN, _MOST_INDEXED // max(contents.pages, 1))
