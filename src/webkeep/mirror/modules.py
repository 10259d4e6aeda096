"""Modules of a copy: browsers load none from files, but an import map may lead to what a page brings along.

Each module has a second form, as a script that tells its source. In that all imports are whole archived URLs, whichever
page it is for. A page calls those it may come to load before all else, and the shim makes an import map of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from webkeep.document import text_of
from webkeep.extract import Kind, Link, Resource, content_links
from webkeep.extract.base import Base
from webkeep.formats.json_value import read_json
from webkeep.mirror.answers import is_script, script_text
from webkeep.mirror.contents import Contents, Item
from webkeep.rewrite import HtmlEdits, Renaming, Scripts, rewrite_document
from webkeep.rewrite.wrapping import IMPORT

PRELOAD = "html link[modulepreload]"
IMPORT_MAP = "html importmap"
STATIC_IMPORT = "script import"
SCRIPT_EDITS = HtmlEdits(wrap_location=True, wrap_imports=True)
"""What is done to scripts: they live among archived addresses."""

_IMPORTS = frozenset({STATIC_IMPORT, "script import()"})
_SIGN = re.compile(rb"\btype\s*=\s*[\"']?[mM]odule\b|\bimport\s*\(")
_STATEMENT = re.compile(rb"(?:^|[;}\s])(?:import|export)\s*[\w{*\"'$]")
_BARE = re.compile(r"""\b(?:from|import)\s*\(?\s*["']([^"'./\s][^"'\s]{0,200})["']""")
_TAG = re.compile(r"<script\b([^<>]*)>", re.IGNORECASE)
_MODULE = re.compile(r"\btype\s*=\s*[\"']?module\b", re.IGNORECASE)
_MAP = re.compile(r"\btype\s*=\s*[\"']?importmap\b", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)
_BASE = re.compile(r"""<base\b[^<>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SRC = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_META_URL = re.compile(r"\bimport\s*\.\s*meta\s*\.\s*url\b")
_META_RESOLVE = re.compile(r"\bimport\s*\.\s*meta\s*\.\s*resolve\b")
_MOST = 3000
_LARGEST = 64 << 20
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


def is_module(script: bytes) -> bool:
    """Whether a script has statements that only modules have."""
    return (b"import" in script or b"export" in script) and _STATEMENT.search(script) is not None


def archived_base(text: str, url: str) -> str:
    """What relative addresses of a page begin with, where it says so itself; else nothing."""
    moved = _BASE.search(text) if "base" in text or "BASE" in text else None
    return "" if moved is None else Base(url).moved(moved[1] or moved[2] or moved[3] or "").href


class Modules:
    """The modules that a page may come to load."""

    def __init__(self, page: Item, contents: Contents, content: Content) -> None:
        self._page = page
        self._contents = contents
        self._content = content
        self.roots: set[str] = set()
        """The URLs of the scripts of the page that are modules."""
        self.names: dict[str, str] = {}
        """What the page calls some of them."""
        self.found: dict[str, Item] = {}
        self._looked_into: set[str] = set()
        self._size = 0
        self.is_whole = True
        """Whether there was room for all of them."""

    def gather(self, content: bytes, declared: str) -> None:
        """Find them, from the source of the page on."""
        text = text_of(content, declared)
        base = Base(archived_base(text, self._page.url) or self._page.url)
        named: set[str] = set()
        for attributes, inner in _scripts(text):
            source = _SRC.search(attributes) if _MODULE.search(attributes) else None
            if source is not None and (url := base.join(source[1] or source[2] or source[3] or "")):
                self.roots.add(url)
            elif _MAP.search(attributes):
                self.names |= {name: url for name, place in _imports(inner) if (url := base.join(place))}
            else:
                named |= set(_BARE.findall(inner))
        links = content_links(Resource(self._page.url, content, "text/html", declared), Kind.HTML)
        certain = {link.url for link in links if link.source in _IMPORTS or link.source == IMPORT_MAP}
        self._follow(sorted({*self.roots, *certain, *self.names.values(), *self._called(named)}))

    def _called(self, names: set[str]) -> Iterator[str]:
        """What bare names lead to, which mean what the page's import map says."""
        for name in sorted(names):
            prefixes = [each for each in self.names if each.endswith("/") and name.startswith(each)]
            if name in self.names:
                yield self.names[name]
            elif prefixes:
                prefix = max(prefixes, key=len)
                url = self.names[prefix] + name[len(prefix) :]
                self.names[name] = url
                yield url

    def _follow(self, urls: list[str]) -> None:
        pending = [*urls, *self._beside(urls)]
        while pending:
            url = pending.pop()
            item = self._contents.final(url)
            if url in self.found or item is None or item.is_page:
                continue
            self._size += item.length
            if len(self.found) >= _MOST or self._size > _LARGEST:
                self.is_whole = False
                return
            self.found[url] = item
            if item.url != url:
                self.names[url] = item.url
            if is_script(item):
                content, declared = self._content(item)
                resource = Resource(item.url, content, item.media_type, declared)
                new = [link.url for link in content_links(resource, Kind.SCRIPT) if link.source in _IMPORTS]
                new += self._called(set(_BARE.findall(text_of(content, declared))) if self.names else set())
                pending += [*new, *self._beside(new)]

    def _beside(self, urls: list[str]) -> Iterator[str]:
        """Scripts in the same folders, which a script may name by a text it makes."""
        for folder in sorted({url[: url.rfind("/") + 1] for url in urls} - self._looked_into):
            self._looked_into.add(folder)
            yield from self._contents.scripts_in(folder)

    @property
    def urls(self) -> list[str]:
        """The URLs under which the copy has them."""
        return sorted({item.url for item in self.found.values()})

    def call(self, url: str) -> str:
        """What a script element has as its source to run a module."""
        return f"data:text/javascript;webkeep={quote(url, safe='')}," + quote(
            f"import {json.dumps(url)}", safe=" ()'/:"
        )


def module_script(item: Item, content: bytes, declared: str, contents: Contents) -> bytes:
    """The file that tells the shim of a module."""
    kind = _TYPES.get(item.media_type, _SCRIPT)
    source, imports = text_of(content, declared), list[str]()
    if kind == _SCRIPT:
        source, imports = _module_source(item, content, declared, contents)
    told = ", ".join(map(script_text, (item.url, kind, source, imports)))
    return f"webkeep_source$({told});\n".encode("ascii")


def _module_source(item: Item, content: bytes, declared: str, contents: Contents) -> tuple[str, list[str]]:
    """A module whose imports are whole addresses, as those within an address have nothing to be relative to."""
    imports: dict[str, None] = {}

    def rename(link: Link) -> str | None:
        if link.source != STATIC_IMPORT:
            return None
        target = contents.final(link.url)
        url = link.url if target is None else target.url
        imports[url] = None
        return url

    renaming = Renaming(rename, scripts=Scripts.CERTAIN)
    renamed = rewrite_document(content, item.url, renaming, kind=Kind.SCRIPT, charset=declared, edits=SCRIPT_EDITS)
    text = _META_URL.sub(lambda _: json.dumps(item.url), text_of(renamed, declared))
    text = _META_RESOLVE.sub(lambda _: f"{IMPORT}.from({json.dumps(item.url)}).resolve", text)
    return text, list(imports)


def _scripts(text: str) -> Iterator[tuple[str, str]]:
    """The attributes and the content of script elements, one behind the other."""
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        end = _END.search(text, tag.end())
        at = len(text) if end is None else end.end()
        yield tag[1], text[tag.end() : at if end is None else end.start()]


def _imports(text: str) -> Iterator[tuple[str, str]]:
    """What an import map says, its scopes taken as if they were for all."""
    told = read_json(text)
    try:
        parts = [*told.get("scopes", {}).values(), told.get("imports", {})]
        for part in parts:
            yield from ((name, place) for name, place in part.items() if isinstance(place, str))
    except AttributeError:
        return
