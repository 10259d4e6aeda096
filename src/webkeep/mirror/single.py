"""One page as one file: all that it needs is in it."""

from __future__ import annotations

import base64
from pathlib import Path

from webkeep.errors import StorageError, UsageError
from webkeep.extract import Kind, Link, Role, kind_of
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.charsets import declaration, marked
from webkeep.mirror.contents import Contents, Item, Wanted, contents_of
from webkeep.mirror.modules import IMPORT_MAP, PRELOAD, Modules, may_have_modules
from webkeep.mirror.profile import PORTABLE
from webkeep.mirror.reading import Reader
from webkeep.mirror.rendering import page_edits
from webkeep.mirror.writing import unwritable
from webkeep.process.new_file import new_file
from webkeep.rewrite import Renaming, is_rewritten, rewrite_document
from webkeep.store.archive import Archive
from webkeep.url import normal

_DEEPEST = 6
_LARGEST = 256 << 20
_NOTHING = "data:,"
"""What stands for a thing within itself."""
_SCRIPT_LINKS = ("script import", "script Worker", "script importScripts")


class SingleFile:
    """Puts pages and what they need into one file each."""

    def __init__(self, archive: Archive, contents: Contents) -> None:
        self._reader = Reader(lambda: archive)
        self._contents = contents
        self._made: dict[str, str] = {}
        self._under_way: set[str] = set()
        self._size = 0
        self.missing: set[str] = set()
        """What is needed and not there."""

    def page(self, item: Item) -> bytes:
        """A page with all it needs."""
        self._under_way.add(item.url)
        return self._document(item, 0)[1]

    def _document(self, item: Item, depth: int) -> tuple[str, bytes]:
        """The media type of an item, and its content with all it needs in it."""
        holding = self._reader.read(item)
        head = holding.head or ResponseHead()
        content, declared = b"".join(holding.content(_LARGEST)), charset(head.headers)
        said = media_type(head.headers) or item.media_type
        kind = kind_of(said, content, item.url)
        renaming = Renaming(lambda link: self._renamed(item, link, depth))
        if kind in (Kind.JSON, Kind.JSON_FEED, Kind.LINKED_DATA) or not is_rewritten(kind, renaming):
            return said, content
        top = declaration(content, declared) if kind is Kind.HTML else ""
        if kind is Kind.HTML and may_have_modules(content):
            modules = Modules(item, self._contents, self._text, lambda _folder, name: name)
            modules.gather(content, declared)
            top += modules.import_map()
            renaming = Renaming(lambda link: self._renamed(item, link, depth, modules))
        made = rewrite_document(
            content, item.url, renaming, media_type=said, charset=declared, kind=kind, edits=page_edits(top)
        )
        return said, marked(made, kind, declared)

    def _renamed(self, item: Item, link: Link, depth: int, modules: Modules | None = None) -> str | None:
        url, mark, fragment = link.url.partition("#")
        if link.source == PRELOAD:
            return "data:text/javascript,"
        if link.guess or link.source == IMPORT_MAP or link.source.startswith(_SCRIPT_LINKS):
            return None if link.guess else link.url
        if modules is not None and link.source == "html script[src]" and link.url in modules.roots:
            return modules.call(link.url)
        if url == item.url and mark:
            return f"#{fragment}"
        if link.role is not Role.EMBED:
            return link.url
        data = self._data(url, depth)
        return link.url if data is None else data + mark + fragment

    def _data(self, url: str, depth: int) -> str | None:
        """What a URL gives as an address that holds it; None where it cannot be had."""
        item = self._contents.final(url)
        if item is None or depth >= _DEEPEST:
            self.missing.add(url)
            return None
        if item.url in self._under_way:
            return _NOTHING
        if item.url not in self._made:
            self._under_way.add(item.url)
            try:
                said, content = self._document(item, depth + 1)
            except StorageError:
                self.missing.add(url)
                return None
            finally:
                self._under_way.discard(item.url)
            self._size += len(content)
            if self._size > _LARGEST:
                raise UsageError(f"{url} is too much for one file; make a copy of the site instead")
            kind = said or "application/octet-stream"
            self._made[item.url] = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        return self._made[item.url]

    def _text(self, item: Item) -> tuple[bytes, str]:
        holding = self._reader.read(item)
        return b"".join(holding.content(_LARGEST)), charset((holding.head or ResponseHead()).headers)


def write_single(archive: Archive, wanted: Wanted, url: str, file: Path) -> tuple[int, set[str]]:
    """Write a page into one file; gives its size, and what it needs that is not there."""
    if file.exists() or file.is_symlink():
        raise UsageError(f"{file} is there already; choose another name for the page")
    contents = contents_of(archive, wanted, PORTABLE)
    item = contents.final(normal(url) or url)
    if item is None or not item.is_page:
        raise UsageError(f"{archive.path} has no page {url}; webkeep list {archive.path} shows what it holds")
    maker = SingleFile(archive, contents)
    page = maker.page(item)
    try:
        with new_file(file, replace=False) as stream:
            stream.write(page)
    except OSError as error:
        raise unwritable(file, error) from error
    return len(page), maker.missing
