"""From what an archive holds of a URL to the file that a copy has of it.

Theory of operation. A document's links become relative where they lead to something in the copy, and absolute where
they do not. What browsers refuse to pages on a disk is made up for, rung by rung: what forbids is lifted (`EDITS`),
parts of other SVG files and modules are put into the page, what scripts ask for is answered by scripts. A page that
still needs more is asked for as a browser left it, if there is somebody to ask; else it is listed.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import chain

from webkeep.document import text_of
from webkeep.errors import StorageError
from webkeep.extract import Kind, Link, Resource, Role, content_links, kind_of
from webkeep.formats.chunked import Note
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.abstracts import abstract
from webkeep.mirror.answers import has_data, is_data, shim_tag
from webkeep.mirror.charsets import declaration, marked
from webkeep.mirror.contents import Contents, Frozen, Item
from webkeep.mirror.findings import Abstract, Links
from webkeep.mirror.freezing import FROZEN_HEAD
from webkeep.mirror.hrefs import Ways, spelled_leaf
from webkeep.mirror.masks import mask_urls, may_have_masks
from webkeep.mirror.modules import IMPORT_MAP, PRELOAD, Modules, may_have_modules, script_stretch
from webkeep.mirror.sprites import USES, Sprites, inlined
from webkeep.rewrite import MOST_REWRITTEN, HtmlEdits, Rename, Renaming, is_rewritten, rewrite_document
from webkeep.rewrite.recall import Recall, TagMemory, Way
from webkeep.store.reading import Holding

EDITS = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True, lift_base=True)
"""What is put out of force on pages that are opened from a disk, all of it recorded in the page."""

_WEB = ("http:", "https:")
_DATA_KINDS = frozenset({Kind.JSON, Kind.JSON_FEED, Kind.LINKED_DATA})
_BOUND_KINDS = frozenset({Kind.PDF, Kind.FLASH, Kind.JAVA_CLASS})
_MANIFEST = "html link[manifest]"
_TRACK = "html track[src]"
_NOWHERE = ""
"""Browsers refuse manifests on a disk with an error; without an address they do not try."""
_REFUSED = {
    "script Worker": "a worker",
    "script serviceWorker": "a service worker",
    "script addModule": "a worklet",
    "script importScripts": "a worker",
}
_LIVE = re.compile(rb"\bnew\s+(WebSocket|EventSource)\b")
_SYNCHRONOUS = re.compile(rb"\.open\([^;()]{1,200}?,\s{0,9}(?:false|!1)\s{0,9}[,)]")
_SHORT = 1 << 20
_MARK = '<style>a[href^="http:"]::after, a[href^="https:"]::after { content: "\\2197" / "" }</style>'
"""Links that lead out of the copy are the only ones that name a host; an arrow stands behind them."""
_LAST = "\U0010ffff"


class Renderer:
    """Makes files; what it met on the way is counted."""

    def __init__(
        self,
        contents: Contents,
        read: Callable[[Item], Holding],
        room: int = 0,
        frozen: Frozen | None = None,
        marked: bool = False,
    ) -> None:
        self._contents = contents
        self._read = read
        self._room = room
        self._frozen = frozen
        self._mark = _MARK if marked else ""
        self._ways = Ways()
        self._tags = TagMemory()
        self._has_data = has_data(contents)
        self.links = Links()
        self.abstract: Abstract | None = None
        """Of the page that was made last; None where that was no page."""

    def pieces(self, item: Item, holding: Holding, note: Note | None = None) -> Iterator[bytes]:
        """The file of an item; `note` is told the code and message of every flaw of its body."""
        self.abstract = None
        if item.is_redirect:
            yield self._redirect(item)
            return
        head = holding.head or ResponseHead()
        parts = holding.content(note=note)
        first = next(parts, b"")
        kind = kind_of(media_type(head.headers) or item.media_type, first, item.url)
        if kind in _BOUND_KINDS:
            yield from self._binary(item, kind, chain((first,), parts))
            return
        if not is_rewritten(kind, _AS_IT_IS) or kind in _DATA_KINDS:
            yield first
            yield from parts
            return
        content, rest = _start(chain((first,), parts))
        yield self._document(item, content, kind, charset(head.headers))
        yield from rest

    def _binary(self, item: Item, kind: Kind, parts: Iterator[bytes]) -> Iterator[bytes]:
        """A file that stays as it is, and whose links to the web are listed."""
        content, rest = _start(parts)
        links = {link.url for link in content_links(Resource(item.url, content, item.media_type), kind)}
        if links:
            self.links.bound[item.url] = sorted(url for url in links if url.startswith(_WEB))
        yield content
        yield from rest

    def _document(self, item: Item, content: bytes, kind: Kind, declared: str) -> bytes:
        if kind is Kind.HTML:
            return self._page(item, content, declared)
        if item.is_page:
            self.abstract = abstract(item.name, content, declared, self._room)
        page = self._contents.page_of(item.url) if kind is Kind.SCRIPT else None
        if kind is Kind.SCRIPT:
            self._note_live(item, content)
        rename = self._rename(item) if page is None else self._script_rename(item, page)
        if kind is Kind.CSS:
            rename = self._mask_rename(item, content, declared, rename)
        return marked(self._rewritten(item, content, kind, declared, Renaming(rename), EDITS, page), kind, declared)

    def _page(self, item: Item, content: bytes, declared: str) -> bytes:
        if item.is_page:
            self.abstract = abstract(item.name, content, declared, self._room)
        sprites = Sprites()
        scripts = script_stretch(content)
        modules = Modules(item, self._contents, self._text, self._ways.href) if may_have_modules(scripts) else None
        head = declaration(content, declared) + self._mark
        if self._has_data and scripts:
            head += shim_tag(item)
        if modules is not None:
            modules.gather(content, declared)
            head += modules.import_map()
            if not modules.is_whole:
                self.links.needing[item.url] = "more modules than fit into a page"
        self._note_live(item, scripts)
        rename = self._mask_rename(item, content, declared, self._page_rename(item, sprites, modules))
        renaming = Renaming(rename, recall=self._recall(item, modules))
        made = self._rewritten(item, content, Kind.HTML, declared, renaming, page_edits(head))
        self.links.within += 0 if renaming.recall is None else renaming.recall.met
        is_needed = item.url in self.links.needing
        if self._frozen is not None and (kept := self._frozen(item, is_needed)) is not None:
            self.links.needing.pop(item.url, None)
            edits = page_edits(FROZEN_HEAD + self._mark)
            return self._rewritten(item, kept, Kind.HTML, "utf-8", Renaming(self._rename(item)), edits)
        return made + self._inlined(item, sprites)

    def _rewritten(
        self,
        item: Item,
        content: bytes,
        kind: Kind,
        declared: str,
        renaming: Renaming,
        edits: HtmlEdits,
        page: Item | None = None,
    ) -> bytes:
        return rewrite_document(
            content,
            item.url,
            renaming,
            media_type=item.media_type,
            charset=declared,
            kind=kind,
            page="" if page is None else page.url,
            edits=edits,
        )

    def _recall(self, item: Item, modules: Modules | None) -> Recall | None:
        """What is known of a page's tags; nothing where some hang on which modules are put into the page."""
        if modules is not None:
            return None
        return Recall(self._tags, item.url, item.folder, self._ways.leaving(item.folder))

    def _note_live(self, item: Item, scripts: bytes) -> None:
        """Take note of what only a server can give to scripts."""
        may_be = b"WebSocket" in scripts or b"EventSource" in scripts
        live = _LIVE.search(scripts) if may_be else None
        if live is not None:
            self.links.needing.setdefault(item.url, f"a live connection ({live[1].decode()})")
        elif b"XMLHttpRequest" in scripts and _SYNCHRONOUS.search(scripts) is not None:
            self.links.needing.setdefault(item.url, "an answer while it waits (a synchronous XMLHttpRequest)")

    def _rename(self, item: Item) -> Rename:
        """What gives the text for a link: relative within the copy, absolute to what is outside."""
        contents, ways, links = self._contents, self._ways.leaving(item.folder), self.links
        items, missing = contents.items, links.missing

        def rename(link: Link) -> str | None:
            url, mark, fragment = link.url.partition("#")
            target = items.get(url)
            if target is not None and target.target:
                target = contents.final(url)
            if target is not None:
                links.within += 1
                leaf = spelled_leaf(target.leaf)
                return Way.to((target.folder, f"{leaf}#{fragment}" if mark else leaf), ways[target.folder])
            if link.guess or not url.startswith(_WEB):
                return None
            links.outside += 1
            if link.role is Role.EMBED and item.url < missing.get(url, _LAST):
                missing[url] = item.url  # which page is told must not depend on who was quicker
            return link.url

        return rename

    def _page_rename(self, item: Item, sprites: Sprites, modules: Modules | None) -> Rename:
        """The same for a page, in which some things are put that browsers would not load."""
        plain, needing = self._rename(item), self.links.needing

        def rename(link: Link) -> str | None:
            source = link.source
            if source in _SPECIAL or source[:6] == "script":
                if source in USES:
                    return self._use(link, sprites, plain)
                if source == _MANIFEST:
                    return _NOWHERE
                if source == _TRACK:
                    return self._data_address(link) or plain(link)
                if source == PRELOAD:
                    return "data:text/javascript,"
                if modules is not None and source == "html script[src]" and link.url in modules.roots:
                    return modules.call(link.url) if self._contents.final(link.url) is not None else plain(link)
                if source == IMPORT_MAP or source.startswith("script import"):
                    way = plain(link)
                    return f"./{way}" if way is not None and not way.startswith(("../", "./", *_WEB)) else way
                if source in _REFUSED:
                    needing.setdefault(item.url, _REFUSED[source])
                self._note_asked(link)
            return plain(link)

        return rename

    def _script_rename(self, item: Item, page: Item) -> Rename:
        """The same for a script, whose texts are relative to the page it runs in."""
        own, there, needing = self._rename(item), self._rename(page), self.links.needing

        def rename(link: Link) -> str | None:
            if link.source in _REFUSED:
                needing.setdefault(item.url, _REFUSED[link.source])
            self._note_asked(link)
            if link.source.startswith("script import"):
                way = own(link)
                return f"./{way}" if way is not None and not way.startswith(("../", "./", *_WEB)) else way
            return there(link) if link.guess else own(link)

        return rename

    def _note_asked(self, link: Link) -> None:
        if link.guess and self._has_data:
            target = self._contents.final(link.url.partition("#")[0])
            if target is not None and target.length <= _SHORT and not is_data(target) and target.is_page:
                self.links.asked.add(target.url)

    def _mask_rename(self, item: Item, content: bytes, declared: str, plain: Rename) -> Rename:
        """The same where there may be masks, which are put into the style sheet."""
        masks = mask_urls(text_of(content, declared), item.url) if may_have_masks(content) else frozenset()

        def rename(link: Link) -> str | None:
            is_mask = link.source[:3] == "css" and link.url.partition("#")[0] in masks
            return (self._data_address(link) if is_mask else "") or plain(link)

        return rename if masks else plain

    def _data_address(self, link: Link) -> str:
        """An address that holds what a link leads to; empty where that is not in the copy, or too much."""
        target = self._contents.final(link.url.partition("#")[0])
        if target is None or target.length > _SHORT:
            return ""
        content, _ = self._text(target)
        self.links.within += 1
        return f"data:{target.media_type};base64,{base64.b64encode(content).decode('ascii')}"

    def _use(self, link: Link, sprites: Sprites, plain: Rename) -> str | None:
        url, _, name = link.url.partition("#")
        target = self._contents.final(url)
        is_sprite = target is not None and target.media_type.startswith("image/svg") and target.length <= _SHORT
        if target is None or not name or not is_sprite:
            return plain(link)
        self.links.within += 1
        return sprites.use(target.url, name)

    def _inlined(self, item: Item, sprites: Sprites) -> bytes:
        """The SVG files of which a page uses parts, to stand at its end."""
        texts = []
        for url, number in sprites:
            target = self._contents.items[url]
            content, declared = self._text(target)
            moved = self._rename(item)
            renamed = rewrite_document(content, url, Renaming(moved), kind=Kind.XML, charset=declared)
            texts.append(inlined(text_of(renamed, declared), number))
        return "".join(texts).encode("ascii")

    def _text(self, item: Item) -> tuple[bytes, str]:
        """The content of another item, and the charset declared for it; nothing where it cannot be read."""
        try:
            holding = self._read(item)
        except StorageError:
            return b"", ""
        head = holding.head or ResponseHead()
        return b"".join(holding.content(MOST_REWRITTEN)), charset(head.headers)

    def _redirect(self, item: Item) -> bytes:
        """A small page that leads on."""
        url, mark, fragment = item.target.partition("#")
        target = self._contents.final(url)
        way = item.target if target is None else self._ways.href(item.folder, target.name) + mark + fragment
        shown = escape(way, quote=True)
        return (
            f'<!doctype html>\n<meta charset="utf-8"><meta http-equiv="refresh" content="0; url={shown}">'
            f'<title>Moved</title><p>This page moved: <a href="{shown}">{escape(item.target)}</a></p>\n'
        ).encode("utf-8", "replace")


_SPECIAL = USES | {_MANIFEST, _TRACK, PRELOAD, IMPORT_MAP, "html script[src]"}
_AS_IT_IS = Renaming(lambda _: None)


@lru_cache(64)
def page_edits(head: str) -> HtmlEdits:
    """What is edited on a page, and put into its head."""
    return replace(EDITS, head=head) if head else EDITS


def _start(parts: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a document, as much as is rewritten, and the rest."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size > MOST_REWRITTEN:
            break
    return b"".join(held), parts
