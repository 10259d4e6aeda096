"""Modules on a disk: browsers load none from files, but an import map may lead to copies in the page itself."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from webkeep.document import text_of
from webkeep.extract import Kind, Link, Resource, content_links
from webkeep.extract.base import Base
from webkeep.mirror.contents import Contents, Item
from webkeep.rewrite import Renaming, rewrite_document

PRELOAD = "html link[modulepreload]"
IMPORT_MAP = "html importmap"

_IMPORTS = frozenset({"script import", "script import()"})
_SIGN = re.compile(rb"\btype\s*=\s*[\"']?[mM]odule\b|\bimport\s*\(")
_TAG = re.compile(r"<script\b([^<>]*)>", re.IGNORECASE)
_MODULE = re.compile(r"\btype\s*=\s*[\"']?module\b", re.IGNORECASE)
_MAP = re.compile(r"\btype\s*=\s*[\"']?importmap\b", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)
_BASE = re.compile(r"""<base\b[^<>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SRC = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_META_URL = re.compile(r"\bimport\s*\.\s*meta\s*\.\s*url\b")
_MOST = 300
_LARGEST = 8 << 20
_TYPES = {"application/json": "application/json", "text/css": "text/css"}
_SCRIPT = "text/javascript"

Content = Callable[[Item], tuple[bytes, str]]
"""Gives the content of an item, and the charset that was declared for it."""


def script_stretch(page: bytes) -> bytes:
    """The part of a page from its first script to its last, which on most pages is a small one."""
    begin = page.find(b"<script")
    if begin < 0:
        return page if b"<SCRIPT" in page else b""
    return page[begin : page.rfind(b"</script", begin) + 1 or len(page)]


def may_have_modules(content: bytes) -> bool:
    """Whether scripts, or the page they are in, may load modules."""
    # Most pages are told by a plain look, which takes a hundredth of the time.
    return (b"odule" in content or b"import" in content) and _SIGN.search(content) is not None


class Modules:
    """The modules that a page may come to load."""

    def __init__(self, page: Item, contents: Contents, content: Content, href: Callable[[str, str], str]) -> None:
        self._page = page
        self._contents = contents
        self._content = content
        self._href = href
        self.roots: set[str] = set()
        """The URLs of the scripts of the page that are modules."""
        self._mapped: dict[str, str] = {}
        self._found: dict[str, Item] = {}
        self._looked_into: set[str] = set()
        self._size = 0
        self.is_whole = True
        """Whether there was room for all of them."""

    def gather(self, content: bytes, declared: str) -> None:
        """Find them, from the source of the page on."""
        text = text_of(content, declared)
        base = Base(self._page.url)
        if (moved := _BASE.search(text)) is not None:
            base = base.moved(moved[1] or moved[2] or moved[3] or "")
        for attributes, inner in _scripts(text):
            source = _SRC.search(attributes) if _MODULE.search(attributes) else None
            if source is not None and (url := base.join(source[1] or source[2] or source[3] or "")):
                self.roots.add(url)
            elif _MAP.search(attributes):
                self._mapped |= {name: url for name, place in _imports(inner) if (url := base.join(place))}
        links = content_links(Resource(self._page.url, content, "text/html", declared), Kind.HTML)
        certain = {link.url for link in links if link.source in _IMPORTS or link.source == IMPORT_MAP}
        self._follow(sorted({*self.roots, *certain, *self._mapped.values()}))

    def _follow(self, urls: list[str]) -> None:
        pending = [*urls, *self._beside(urls)]
        while pending:
            url = pending.pop()
            item = self._contents.final(url)
            if url in self._found or item is None or item.is_page:
                continue
            self._size += item.length
            if len(self._found) >= _MOST or self._size > _LARGEST:
                self.is_whole = False
                return
            self._found[url] = item
            if "script" in item.media_type:
                content, declared = self._content(item)
                resource = Resource(item.url, content, item.media_type, declared)
                new = [link.url for link in content_links(resource, Kind.SCRIPT) if link.source in _IMPORTS]
                pending += [*new, *self._beside(new)]

    def _beside(self, urls: list[str]) -> Iterator[str]:
        """Scripts in the same folders, which a script may name by a text it makes."""
        for folder in sorted({url[: url.rfind("/") + 1] for url in urls} - self._looked_into):
            self._looked_into.add(folder)
            yield from self._contents.scripts_in(folder)

    def import_map(self) -> str:
        """The element that leads imports to copies of the modules; in ASCII, and empty where there are none."""
        if not self._found:
            return ""
        imports: dict[str, str] = {}
        for url, item in self._found.items():
            data = self._data(item)
            way = self._href(self._page.folder, item.name)
            imports[url] = imports[way if way.startswith("../") else f"./{way}"] = data
            imports |= {name: data for name, place in self._mapped.items() if place == url}
            for name, place in self._mapped.items():
                if name.endswith("/") and url.startswith(place):
                    imports[name + url[len(place) :]] = data
        text = json.dumps({"imports": imports}, sort_keys=True).replace("</", "<\\/")
        return f'<script type="importmap">{text}</script>'

    def call(self, url: str) -> str:
        """What a script element has as its source to run a module."""
        return "data:text/javascript," + quote(f"import {json.dumps(url)}", safe=" ()'/:")

    def _data(self, item: Item) -> str:
        content, declared = self._content(item)
        kind = _TYPES.get(item.media_type, _SCRIPT)
        if kind == _SCRIPT:
            content = self._module(item, content, declared)
        return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"

    def _module(self, item: Item, content: bytes, declared: str) -> bytes:
        """A module whose imports are whole addresses, as those within an address have nothing to be relative to."""

        def rename(link: Link) -> str | None:
            if link.source in _IMPORTS:
                return link.url
            target = self._contents.final(link.url.partition("#")[0])
            # What is joined with the module's own address is relative to that, all else to the page.
            folder = item.folder if link.source == "script import.meta" else self._page.folder
            return None if target is None else self._href(folder, target.name)

        renamed = rewrite_document(
            content, item.url, Renaming(rename), kind=Kind.SCRIPT, charset=declared, page=self._page.url
        )
        here = json.dumps(self._href(self._page.folder, item.name))
        return _META_URL.sub(f"(new URL({here}, document.baseURI).href)", text_of(renamed, declared)).encode()


def _scripts(text: str) -> Iterator[tuple[str, str]]:
    """The attributes and the content of script elements, one behind the other."""
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        end = _END.search(text, tag.end())
        at = len(text) if end is None else end.end()
        yield tag[1], text[tag.end() : at if end is None else end.start()]


def _imports(text: str) -> Iterator[tuple[str, str]]:
    try:
        found = json.loads(text).get("imports", {})
        yield from ((name, place) for name, place in found.items() if isinstance(place, str))
    except (ValueError, AttributeError):
        return
