"""Writing what lies beside the files of a copy for its scripts: answers, modules, the table of all, the shim."""

from __future__ import annotations

from webkeep.formats.content_type import charset
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.answers import (
    HAS_ANSWER,
    HAS_MODULE,
    IS_SCRIPT,
    LARGEST,
    LITTLE,
    answer,
    answer_name,
    is_doubtful,
    is_script,
    may_be_asked,
    module_name,
    table,
)
from webkeep.mirror.contents import Contents, Item
from webkeep.mirror.earlier import Earlier
from webkeep.mirror.findings import Built
from webkeep.mirror.layout import ANSWERS, MODULES, SHIM, TABLE
from webkeep.mirror.reading import Reader
from webkeep.mirror.writing import Tree
from webkeep.store.archive import Archive
from webkeep.store.states import state_notes


class AnswerWriter:
    """Writes what scripts may ask for, their modules, and the table of all."""

    def __init__(self, archive: Archive, contents: Contents, tree: Tree, built: Built, before: Earlier | None) -> None:
        self._archive = archive
        self._reader = Reader(lambda: archive)
        self._contents = contents
        self._tree = tree
        self._built = built
        self._before = before
        self._has: dict[str, int] = {}

    def write_all(self) -> None:
        """Write all of it, or have it from the version before, where nothing changed since."""
        if self._before is not None and self._is_unchanged(self._before):
            self._share_all(self._before)
            return
        uses, pages, requested = self._built.links.uses, self._contents.pages, self._requested()
        for item in self._contents:
            if item.url in self._built.damaged:
                continue
            if is_script(item) or item.url in self._built.links.modules:
                self._note(item, IS_SCRIPT if is_script(item) else 0)
                self._write_module(item)
            if may_be_asked(item, uses, pages, requested):
                name = answer_name(item.url)
                if not self._is_shared(item, name):
                    self._put(name, answer(item.url, self._reader.read(item)))
                self._note(item, HAS_ANSWER)
        from webkeep.mirror.shim import shim_script  # what it is made of takes long to load

        self._put(TABLE, b"".join(table(self._contents, self._has)))
        self._put(SHIM, shim_script())
        self._reader.close()

    def _is_unchanged(self, before: Earlier) -> bool:
        built = self._built
        is_same = before.same_links and built.shared == built.files and not built.damaged
        return is_same and all((before.folder / each).is_file() for each in (SHIM, TABLE))

    def _share_all(self, before: Earlier) -> None:
        own = [path for folder in (ANSWERS, MODULES) for path in sorted((before.folder / folder).glob("*.js"))]
        for name in (SHIM, TABLE, *(path.relative_to(before.folder).as_posix() for path in own)):
            self._tree.share(name, before.path(name))

    def _requested(self) -> set[str]:
        """Of what scripts seldom ask for, what they may: all where it is little, else what pages did that were run."""
        doubtful = [item for item in self._contents if is_doubtful(item)]
        if sum(item.length for item in doubtful) <= LITTLE:
            return {item.url for item in doubtful}
        if not self._contents.was_run:
            return set()
        return {url for note in state_notes(self._archive) for url in note.path_resources}

    def _write_module(self, item: Item) -> None:
        name, is_wanted = module_name(item.url), item.url in self._built.links.modules
        if self._is_shared(item, name):
            self._note(item, HAS_MODULE)
            return
        if self._before is not None and self._before.has(item) and not is_wanted:
            return  # it was none then, and has not changed
        from webkeep.mirror.modules import is_module, module_script  # what reads scripts takes long to load

        holding = self._reader.read(item)
        content = b"".join(holding.content(LARGEST))
        if is_wanted or is_module(content):
            declared = charset((holding.head or ResponseHead()).headers)
            self._put(name, module_script(item, content, declared, self._contents))
            self._note(item, HAS_MODULE)

    def _is_shared(self, item: Item, name: str) -> bool:
        """Whether what is made of an item is the same as in the version before, and had from there."""
        before = self._before
        return before is not None and before.has(item) and self._tree.share(name, before.path(name))

    def _note(self, item: Item, what: int) -> None:
        if known := self._has.get(item.url, 0) | what:
            self._has[item.url] = known

    def _put(self, name: str, content: bytes) -> None:
        """Write a file, or have it from the version before where it is the same there."""
        before = self._before
        if before is None or not before.is_same(name, content) or not self._tree.share(name, before.path(name)):
            self._built.bytes += self._tree.write(name, (content,))
