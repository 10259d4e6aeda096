"""Modules of a copy, as browsers load none from files: how module scripts, import maps and imports are found, in which
form the shim is told of them, and how many fit into a page.

Each module has a second form, as a script that tells its source. In that all imports are whole archived URLs, whichever
page it is for. A page calls those it may come to load before all else, and the shim makes an import map of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from webkeep.document import decode_text
from webkeep.extract import DocumentKind, extract_content_links
from webkeep.extract.documents import DecodedContent
from webkeep.extract.links import Link, LinkBase
from webkeep.formats import read_json
from webkeep.mirror.rendering.script_responses import is_script, script_literal
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem
from webkeep.rewrite import SHIM_IMPORT, HtmlEdits, LinkRenaming, ScriptRenaming, rewrite_document

PRELOAD_SOURCE = "html link[modulepreload]"
IMPORT_MAP_SOURCE = "html importmap"
STATIC_IMPORT_SOURCE = "script import"
SCRIPT_EDITS = HtmlEdits(wrap_location=True, wrap_imports=True)
"""What is done to scripts: they live among archived addresses."""

_IMPORTS = frozenset({STATIC_IMPORT_SOURCE, "script import()"})
_MODULE_SIGN = re.compile(rb"\btype\s*=\s*[\"']?[mM]odule\b|\bimport\s*\(")
_MODULE_STATEMENT = re.compile(rb"(?:^|[;}\s])(?:import|export)\s*[\w{*\"'$]")
_BARE_IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*["']([^"'./\s][^"'\s]{0,200})["']""")
_TAG = re.compile(r"<script\b([^<>]*)>", re.IGNORECASE)
_MODULE = re.compile(r"\btype\s*=\s*[\"']?module\b", re.IGNORECASE)
_MAP = re.compile(r"\btype\s*=\s*[\"']?importmap\b", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)
_BASE = re.compile(r"""<base\b[^<>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SRC = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_META_URL = re.compile(r"\bimport\s*\.\s*meta\s*\.\s*url\b")
_META_RESOLVE = re.compile(r"\bimport\s*\.\s*meta\s*\.\s*resolve\b")
_MAX_MODULES = 3000
"""Modules of one page, which all go into each page that uses them; one with more counts as one that needs a server."""
_MAX_MODULE_BYTES = 64 << 20
"""All modules of a page together; with more than that it counts as one that needs a server."""
_TYPES = {"application/json": "application/json", "text/css": "text/css"}
_SCRIPT = "text/javascript"

ContentReader = Callable[[CopyItem], tuple[bytes, str]]
"""Gives the content of an item, and the charset that was declared for it."""


def script_section(page: bytes) -> bytes:
    """The part of a page from its first script to its last, which on most pages is a small one."""
    begin = page.find(b"<script")
    if begin < 0:
        return page if b"<SCRIPT" in page else b""
    return page[begin : page.rfind(b"</script", begin) + 1 or len(page)]


def may_have_modules(content: bytes) -> bool:
    """Whether scripts, or the page they are in, may load modules."""
    # Most pages are told by a plain look, which takes a hundredth of the time.
    return (b"odule" in content or b"import" in content) and _MODULE_SIGN.search(content) is not None


def is_module(script: bytes) -> bool:
    """Whether a script has statements that only modules have."""
    return (b"import" in script or b"export" in script) and _MODULE_STATEMENT.search(script) is not None


def archived_base(text: str, url: str) -> str:
    """What relative addresses of a page begin with, where it says so itself; else nothing."""
    moved = _BASE.search(text) if "base" in text or "BASE" in text else None
    return "" if moved is None else LinkBase(url).rebase(moved[1] or moved[2] or moved[3] or "").href


class PageModules:
    """The modules that a page may come to load."""

    def __init__(self, page: CopyItem, contents: CopyContents, content: ContentReader) -> None:
        self._page = page
        self._contents = contents
        self._content = content
        self.roots: set[str] = set()
        """The URLs of the scripts of the page that are modules."""
        self.names: dict[str, str] = {}
        """What the page calls some of them."""
        self.found: dict[str, CopyItem] = {}
        self._searched_folders: set[str] = set()
        self._size = 0
        self.is_whole = True
        """Whether there was room for all of them."""

    def find_modules(self, content: bytes, declared: str) -> None:
        """Find them, from the source of the page on."""
        text = decode_text(content, declared)
        base = LinkBase(archived_base(text, self._page.url) or self._page.url)
        named: set[str] = set()
        for attributes, inner in _script_elements(text):
            source = _SRC.search(attributes) if _MODULE.search(attributes) else None
            if source is not None and (url := base.join(source[1] or source[2] or source[3] or "")):
                self.roots.add(url)
            elif _MAP.search(attributes):
                self.names |= {name: url for name, place in _import_map_entries(inner) if (url := base.join(place))}
            else:
                named |= set(_BARE_IMPORT.findall(inner))
        links = extract_content_links(DecodedContent(self._page.url, content, "text/html", declared), DocumentKind.HTML)
        certain = {link.url for link in links if link.source in _IMPORTS or link.source == IMPORT_MAP_SOURCE}
        self._follow_imports(sorted({*self.roots, *certain, *self.names.values(), *self._mapped_urls(named)}))

    def _mapped_urls(self, names: set[str]) -> Iterator[str]:
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

    def _follow_imports(self, urls: list[str]) -> None:
        pending = [*urls, *self._sibling_scripts(urls)]
        while pending:
            url = pending.pop()
            item = self._contents.follow_redirects(url)
            if url in self.found or item is None or item.is_page:
                continue
            self._size += item.length
            if len(self.found) >= _MAX_MODULES or self._size > _MAX_MODULE_BYTES:
                self.is_whole = False
                return
            self.found[url] = item
            if item.url != url:
                self.names[url] = item.url
            if is_script(item):
                content, declared = self._content(item)
                resource = DecodedContent(item.url, content, item.media_type, declared)
                new = [
                    link.url for link in extract_content_links(resource, DocumentKind.SCRIPT) if link.source in _IMPORTS
                ]
                new += self._mapped_urls(
                    set(_BARE_IMPORT.findall(decode_text(content, declared))) if self.names else set()
                )
                pending += [*new, *self._sibling_scripts(new)]

    def _sibling_scripts(self, urls: list[str]) -> Iterator[str]:
        """Scripts in the same folders, which a script may name by a text it makes."""
        for folder in sorted({url[: url.rfind("/") + 1] for url in urls} - self._searched_folders):
            self._searched_folders.add(folder)
            yield from self._contents.scripts_in(folder)

    @property
    def urls(self) -> list[str]:
        """The URLs under which the copy has them."""
        return sorted({item.url for item in self.found.values()})

    def module_url(self, url: str) -> str:
        """What a script element has as its source to run a module."""
        return f"data:text/javascript;webkeep={quote(url, safe='')}," + quote(
            f"import {json.dumps(url)}", safe=" ()'/:"
        )


def render_module(item: CopyItem, content: bytes, declared: str, contents: CopyContents) -> bytes:
    """The file that tells the shim of a module."""
    kind = _TYPES.get(item.media_type, _SCRIPT)
    source, imports = decode_text(content, declared), list[str]()
    if kind == _SCRIPT:
        source, imports = _module_source(item, content, declared, contents)
    told = ", ".join(map(script_literal, (item.url, kind, source, imports)))
    return f"webkeep_source$({told});\n".encode("ascii")


def _module_source(item: CopyItem, content: bytes, declared: str, contents: CopyContents) -> tuple[str, list[str]]:
    """A module whose imports are whole addresses, as those within an address have nothing to be relative to."""
    imports: dict[str, None] = {}

    def rename(link: Link) -> str | None:
        if link.source != STATIC_IMPORT_SOURCE:
            return None
        target = contents.follow_redirects(link.url)
        url = link.url if target is None else target.url
        imports[url] = None
        return url

    renaming = LinkRenaming(rename, scripts=ScriptRenaming.CERTAIN)
    renamed = rewrite_document(
        content, item.url, renaming, kind=DocumentKind.SCRIPT, charset=declared, edits=SCRIPT_EDITS
    )
    text = _META_URL.sub(lambda _: json.dumps(item.url), decode_text(renamed, declared))
    text = _META_RESOLVE.sub(lambda _: f"{SHIM_IMPORT}.from({json.dumps(item.url)}).resolve", text)
    return text, list(imports)


def _script_elements(text: str) -> Iterator[tuple[str, str]]:
    """The attributes and the content of script elements, one behind the other."""
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        end = _END.search(text, tag.end())
        at = len(text) if end is None else end.end()
        yield tag[1], text[tag.end() : at if end is None else end.start()]


def _import_map_entries(text: str) -> Iterator[tuple[str, str]]:
    """What an import map says, its scopes taken as if they were for all."""
    told = read_json(text)
    try:
        parts = [*told.get("scopes", {}).values(), told.get("imports", {})]
        for part in parts:
            yield from ((name, place) for name, place in part.items() if isinstance(place, str))
    except AttributeError:
        return
