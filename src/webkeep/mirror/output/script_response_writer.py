"""Writing what lies beside the files of a copy for its scripts: stored answers (fetch, XHR), modules, the URL table and
the shim, or the same shared from the version before.
"""

from __future__ import annotations

from webkeep.formats.http import ResponseHead, declared_charset
from webkeep.mirror.names.copy_layout import MODULES_FOLDER, RESPONSES_FOLDER, SHIM_FILE, TABLE_FILE
from webkeep.mirror.output.copy_folder import CopyFolder
from webkeep.mirror.output.prior_version import PriorVersion
from webkeep.mirror.rendering.build_result import BuildResult
from webkeep.mirror.rendering.script_responses import (
    HAS_ANSWER,
    HAS_MODULE,
    IS_SCRIPT,
    MAX_RARE_BYTES,
    MAX_RESPONSE_BYTES,
    is_rarely_requested,
    is_script,
    may_be_requested,
    module_name,
    render_response,
    render_table,
    response_file_name,
)
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem
from webkeep.store.archive import Archive
from webkeep.store.views import read_state_notes


class ScriptResponseWriter:
    """Writes what scripts may ask for, their modules, and the table of all."""

    def __init__(
        self,
        archive: Archive,
        contents: CopyContents,
        tree: CopyFolder,
        built: BuildResult,
        before: PriorVersion | None,
    ) -> None:
        self._archive = archive
        self._contents = contents
        self._folder = tree
        self._built = built
        self._prior = before
        self._kinds_by_url: dict[str, int] = {}

    def write_all(self) -> None:
        """Write all of it, or have it from the version before, where nothing changed since."""
        if self._prior is not None and self._is_unchanged(self._prior):
            self._share_all(self._prior)
            return
        uses, pages, requested = self._built.links.uses, self._contents.pages, self._requested_urls()
        for item in self._contents:
            if item.url in self._built.damaged:
                continue
            if is_script(item) or item.url in self._built.links.modules:
                self._note_kind(item, IS_SCRIPT if is_script(item) else 0)
                self._write_module(item)
            if may_be_requested(item, uses, pages, requested):
                name = response_file_name(item.url)
                if not self._is_shared(item, name):
                    self._write_or_share(name, render_response(item.url, self._archive.read_place(item.place)))
                self._note_kind(item, HAS_ANSWER)
        from webkeep.mirror.shim import shim_script

        self._write_or_share(TABLE_FILE, b"".join(render_table(self._contents, self._kinds_by_url)))
        self._write_or_share(SHIM_FILE, shim_script())

    def _is_unchanged(self, before: PriorVersion) -> bool:
        built = self._built
        is_same = before.same_links and built.shared == built.files and not built.damaged
        return is_same and all((before.folder / each).is_file() for each in (SHIM_FILE, TABLE_FILE))

    def _share_all(self, before: PriorVersion) -> None:
        own = [
            path
            for folder in (RESPONSES_FOLDER, MODULES_FOLDER)
            for path in sorted((before.folder / folder).glob("*.js"))
        ]
        for name in (SHIM_FILE, TABLE_FILE, *(path.relative_to(before.folder).as_posix() for path in own)):
            self._folder.share(name, before.path(name))

    def _requested_urls(self) -> set[str]:
        """Of what scripts seldom ask for, what they may: all where it is little, else what pages did that were run."""
        doubtful = [item for item in self._contents if is_rarely_requested(item)]
        if sum(item.length for item in doubtful) <= MAX_RARE_BYTES:
            return {item.url for item in doubtful}
        if not self._contents.was_run:
            return set()
        return {url for note in read_state_notes(self._archive) for url in note.path_resources}

    def _write_module(self, item: CopyItem) -> None:
        name, is_wanted = module_name(item.url), item.url in self._built.links.modules
        if self._is_shared(item, name):
            self._note_kind(item, HAS_MODULE)
            return
        if self._prior is not None and self._prior.has_unchanged(item) and not is_wanted:
            return  # it was none then, and has not changed
        from webkeep.mirror.rendering.page_modules import (  # what reads scripts takes long to load
            is_module,
            render_module,
        )

        stored = self._archive.read_place(item.place)
        content = b"".join(stored.content(MAX_RESPONSE_BYTES))
        if is_wanted or is_module(content):
            declared = declared_charset((stored.head or ResponseHead()).headers)
            self._write_or_share(name, render_module(item, content, declared, self._contents))
            self._note_kind(item, HAS_MODULE)

    def _is_shared(self, item: CopyItem, name: str) -> bool:
        """Whether what is made of an item is the same as in the version before, and had from there."""
        before = self._prior
        return before is not None and before.has_unchanged(item) and self._folder.share(name, before.path(name))

    def _note_kind(self, item: CopyItem, what: int) -> None:
        if known := self._kinds_by_url.get(item.url, 0) | what:
            self._kinds_by_url[item.url] = known

    def _write_or_share(self, name: str, content: bytes) -> None:
        """Write a file, or have it from the version before where it is the same there."""
        before = self._prior
        if before is None or not before.is_same(name, content) or not self._folder.share(name, before.path(name)):
            self._built.bytes += self._folder.write(name, (content,))
