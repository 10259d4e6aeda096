"""One page as one file: all that it needs is in it, and all that its scripts may ask for."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.document import text_of
from webkeep.errors import StorageError, UsageError
from webkeep.extract import Kind, Link, Role, kind_of
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.answers import LARGEST, is_script, script_text
from webkeep.mirror.charsets import declaration, marked
from webkeep.mirror.contents import Contents, Frozen, Item, Wanted, contents_of
from webkeep.mirror.freezing import FROZEN_HEAD
from webkeep.mirror.modules import (
    PRELOAD,
    SCRIPT_EDITS,
    STATIC_IMPORT,
    Modules,
    archived_base,
    is_module,
    may_have_modules,
    module_script,
    script_stretch,
)
from webkeep.mirror.placing import check_file
from webkeep.mirror.profile import PORTABLE
from webkeep.mirror.reading import Reader
from webkeep.mirror.rendering import LOCK, MANIFEST_LINK, page_edits
from webkeep.mirror.script_uses import has_handlers, is_whole_page, requested_addresses, server_need
from webkeep.mirror.shim import shim_script
from webkeep.mirror.writing import unwritable
from webkeep.process.new_file import new_file
from webkeep.rewrite import HtmlEdits, Missing, Renaming, Scripts, is_rewritten, rewrite_document
from webkeep.store.archive import Archive
from webkeep.store.outlines import outlines
from webkeep.url import normal, resolve

_DEEPEST = 6
_LARGEST = 256 << 20
_NOTHING = "data:,"
"""What stands for a thing within itself."""


@dataclass(slots=True)
class Single:
    """A page in one file, and what is to be said of it."""

    page: bytes = b""
    missing: set[str] = field(default_factory=set)
    """What is needed and not there."""
    needs: str = ""
    """What the page needs that no file can give it."""
    frozen_for: str = ""
    """What it needs for which it was frozen as a browser left it."""


class SingleFile:
    """Puts a page and what it needs into one file."""

    def __init__(self, archive: Archive, contents: Contents, frozen: Frozen | None = None) -> None:
        self._archive = archive
        self._reader = Reader(lambda: archive)
        self._contents = contents
        self._frozen = frozen
        self._made: dict[str, str] = {}
        self._under_way: set[str] = set()
        self._size = 0
        self._importable: set[str] = set()
        self.single = Single()

    def page(self, item: Item) -> Single:
        """A page with all it needs."""
        self._page = item
        self._under_way.add(item.url)
        holding = self._reader.read(item)
        content, declared = b"".join(holding.content(_LARGEST)), charset((holding.head or ResponseHead()).headers)
        scripts = script_stretch(content)
        self.single.needs = self._contents.live_pages.get(item.url) or server_need(scripts)
        kept = None if self._frozen is None else self._frozen(item, bool(self.single.needs))
        if kept is not None:
            self.single.frozen_for, self.single.needs = self.single.needs, ""
            self.single.page = self._markup(item, kept, "utf-8", 0, FROZEN_HEAD, None)
            return self.single
        self.single.needs = self.single.needs or self._contents.held_back.get(item.url, "")
        if scripts or has_handlers(content):
            self.single.page = self._scripted(item, content, declared, scripts)
        else:
            self.single.page = self._markup(item, content, declared, 0, declaration(content, declared) + LOCK, None)
        return self.single

    def _scripted(self, item: Item, content: bytes, declared: str, scripts: bytes) -> bytes:
        """A page with scripts: with the shim before them, and what they may ask for."""
        modules = None
        if may_have_modules(scripts):
            modules = Modules(item, self._contents, self._text)
            modules.gather(content, declared)
        base = archived_base(text_of(content, declared), item.url)
        self._note_requests(requested_addresses(scripts), base or item.url)
        # What comes with the page anyway need not be in it again, so this is made first, and its head then put in.
        bare = self._markup(item, content, declared, 0, _HEAD_PLACE, modules)
        head = declaration(content, declared) + LOCK + _shim_element(item.url, base)
        head += _inline(f"webkeep_embedded$({script_text(dict(self._asked_for(item)))})")
        head += _inline("".join(self._modules(modules)))
        return bare.replace(_HEAD_PLACE.encode(), head.encode("ascii"), 1)

    def _modules(self, modules: Modules | None) -> Iterator[str]:
        """What tells the shim of the modules of the page, and of those that others may import."""
        for url in sorted({*self._importable, *(modules.urls if modules is not None else ())}):
            item = self._contents.items[url]
            content, declared = self._text(item)
            self._note_requests(requested_addresses(content), self._page.url)
            yield module_script(item, content, declared, self._contents).decode("ascii")
        if modules is not None:
            yield f"webkeep_modules$({script_text(modules.names)});"

    def _note_requests(self, addresses: Iterable[str], base: str) -> None:
        """Take note of what scripts ask for that is not there."""
        for address in addresses:
            url = (resolve(base, address) or "").partition("#")[0]
            if url.startswith(("http:", "https:")) and "?" not in url and self._contents.final(url) is None:
                self.single.missing.add(url)

    def _asked_for(self, page: Item) -> Iterator[tuple[str, tuple[str, str]]]:
        """What was asked for because of the page and is not in it yet: types and contents by URL."""
        for url in sorted(_led_to(self._archive, page.url)):
            item = self._contents.final(url)
            if item is None or item.url in self._made or item.length > LARGEST or item.url == page.url:
                continue
            content, _ = self._text(item)
            if item.is_page and is_whole_page(content):
                continue  # a page that a link leads to
            if is_script(item) and is_module(content):
                self._importable.add(item.url)
            self._grow(len(content), url)
            yield url, (item.media_type, base64.b64encode(content).decode("ascii"))

    def _document(self, item: Item, depth: int) -> tuple[str, bytes]:
        """The media type of an item, and its content with all it needs in it."""
        holding = self._reader.read(item)
        head = holding.head or ResponseHead()
        content, declared = b"".join(holding.content(_LARGEST)), charset(head.headers)
        said = media_type(head.headers) or item.media_type
        kind = kind_of(said, content, item.url)
        if kind is Kind.HTML:
            return said, self._markup(item, content, declared, depth, declaration(content, declared) + LOCK, None)
        renaming = Renaming(lambda link: self._renamed(item, link, depth, None), scripts=Scripts.CERTAIN)
        if not is_rewritten(kind, renaming):
            return said, content
        if kind is Kind.SCRIPT:
            self._note_requests(requested_addresses(content), self._page.url)
        edits = SCRIPT_EDITS if kind is Kind.SCRIPT else HtmlEdits()
        made = rewrite_document(content, item.url, renaming, media_type=said, charset=declared, kind=kind, edits=edits)
        return said, marked(made, kind, declared)

    def _markup(
        self, item: Item, content: bytes, declared: str, depth: int, head: str, modules: Modules | None
    ) -> bytes:
        renaming = Renaming(lambda link: self._renamed(item, link, depth, modules), scripts=Scripts.CERTAIN, data=False)
        edits = page_edits(head, head == _HEAD_PLACE)
        return rewrite_document(content, item.url, renaming, charset=declared, kind=Kind.HTML, edits=edits)

    def _renamed(self, item: Item, link: Link, depth: int, modules: Modules | None) -> str | None:
        url, mark, fragment = link.url.partition("#")
        if link.source == PRELOAD:
            return "data:text/javascript,"
        if link.source == MANIFEST_LINK:
            return ""
        if link.source.startswith("script"):
            return link.url if link.source == STATIC_IMPORT else None
        if link.guess or link.source == "html importmap":
            return None
        if modules is not None and link.source == "html script[src]" and link.url in modules.roots:
            return modules.call(modules.names.get(link.url, link.url))
        if url == item.url and mark:
            return f"#{fragment}"
        if link.role is not Role.EMBED:
            return link.url
        data = self._data(url, depth)
        return Missing(link.url) if data is None else data + mark + fragment

    def _data(self, url: str, depth: int) -> str | None:
        """What a URL gives as an address that holds it; None where it cannot be had."""
        item = self._contents.final(url)
        if item is None or depth >= _DEEPEST:
            self.single.missing.add(url)
            return None
        if item.url in self._under_way:
            return _NOTHING
        if item.url not in self._made:
            self._under_way.add(item.url)
            try:
                said, content = self._document(item, depth + 1)
            except StorageError:
                self.single.missing.add(url)
                return None
            finally:
                self._under_way.discard(item.url)
            self._grow(len(content), url)
            kind = said or "application/octet-stream"
            self._made[item.url] = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        return self._made[item.url]

    def _grow(self, size: int, url: str) -> None:
        self._size += size
        if self._size > _LARGEST:
            raise UsageError(f"{url} is too much for one file; make a copy of the site instead")

    def _text(self, item: Item) -> tuple[bytes, str]:
        holding = self._reader.read(item)
        return b"".join(holding.content(_LARGEST)), charset((holding.head or ResponseHead()).headers)


_HEAD_PLACE = "<!-- webkeep head -->"


def _shim_element(url: str, base: str) -> str:
    facts = {"url": url, **({"base": base} if base else {})}
    told = "".join(
        f' data-{name}="{value.replace("&", "&amp;").replace(chr(34), "&quot;")}"' for name, value in facts.items()
    )
    return f"<script{told}>{shim_script().decode('ascii')}</script>"


def _inline(text: str) -> str:
    return f"<script>{text}</script>" if text else ""


def _led_to(archive: Archive, page: str) -> set[str]:
    """The URLs that were asked for because of a page, and because of what was asked for because of it."""
    by_cause: dict[str, set[str]] = {}
    for seen in outlines(archive):
        by_cause.setdefault(seen.via, set()).add(seen.url)
    found: set[str] = set()
    waiting = [page]
    while waiting:
        new = by_cause.get(waiting.pop(), set()) - found
        found |= new
        waiting += (url for url in new if url.partition("?")[0].endswith((".js", ".mjs", ".css", ".json")))
    return found


def write_single(
    archive: Archive,
    wanted: Wanted,
    url: str,
    file: Path,
    frozen: Frozen | None = None,
    chosen: Iterable[str] = (),
    replace: bool = False,
) -> Single:
    """Write a page into one file; gives that, with what it needs that is not there."""
    check_file(file, replace)
    contents = contents_of(archive, wanted, PORTABLE)
    item = contents.final(normal(url) or url)
    if item is None and (gone := contents.gone.get(normal(url) or url)) is not None:
        raise UsageError(f"{url} {gone.words(False)}; --with-gone shows it so, and --at names another moment")
    if item is None or not item.is_page:
        raise UsageError(f"{archive.path} has no page {url}; webkeep list {archive.path} shows what it holds")
    if others := set(chosen) - {item.url}:
        raise UsageError(f"the state to freeze is one of {min(others)}, and not of {item.url}; choose one of its own")
    single = SingleFile(archive, contents, frozen).page(item)
    try:
        with new_file(file, replace=replace) as stream:
            stream.write(single.page)
    except OSError as error:
        raise unwritable(file, error) from error
    return single
