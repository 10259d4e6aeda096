"""From what an archive holds of a URL to the file that a copy has of it.

Theory of operation. A document's links become relative where they lead to something in the copy, and absolute where
they do not; what a page embeds that is not there is left out and marked. A lock keeps pages from asking the web. What
browsers refuse to pages on a disk is made up for, rung by rung: what forbids is lifted (`EDITS`), parts of other SVG
files are put into the page. Scripts are not renamed: they live among archived URLs, and the shim (`shim`) stands
between them and the browser, with modules and answers that are scripts themselves. A page that still needs more is
asked for as a browser left it, if there is somebody to ask; else it is listed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
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
from webkeep.mirror.answers import module_tags, shim_tags
from webkeep.mirror.charsets import declaration, marked
from webkeep.mirror.contents import Contents, Frozen, Item
from webkeep.mirror.findings import Abstract, Links
from webkeep.mirror.freezing import FROZEN_HEAD
from webkeep.mirror.hrefs import Ways, spelled_leaf
from webkeep.mirror.masks import mask_urls, may_have_masks
from webkeep.mirror.modules import (
    PRELOAD,
    SCRIPT_EDITS,
    STATIC_IMPORT,
    Modules,
    archived_base,
    may_have_modules,
    script_stretch,
)
from webkeep.mirror.script_uses import has_handlers, is_whole_page, requested_addresses, server_need, uses_of
from webkeep.mirror.sprites import USES, Sprites, inlined
from webkeep.rewrite import (
    MOST_REWRITTEN,
    HtmlEdits,
    Missing,
    Rename,
    Renaming,
    Scripts,
    is_rewritten,
    rewrite_document,
)
from webkeep.rewrite.recall import Recall, TagMemory, Way
from webkeep.store.reading import Holding
from webkeep.url import resolve

EDITS = HtmlEdits(lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True, lift_base=True)
"""What is put out of force on pages that are opened from a disk, all of it recorded in the page."""

LOCK = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file: data: blob: 'unsafe-inline' "
    "'unsafe-eval' 'wasm-unsafe-eval'; base-uri 'none'\">"
)
"""What keeps the scripts of a page from asking the web for anything; links still lead there."""

_WEB = ("http:", "https:")
_DATA_KINDS = frozenset({Kind.JSON, Kind.JSON_FEED, Kind.LINKED_DATA})
_BOUND_KINDS = frozenset({Kind.PDF, Kind.FLASH, Kind.JAVA_CLASS})
MANIFEST_LINK = "html link[manifest]"
_TRACK = "html track[src]"
_NOWHERE = ""
"""Browsers refuse manifests on a disk with an error; without an address they do not try."""
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
        self.links = Links()
        self._is_piece = False
        self.abstract: Abstract | None = None
        """Of the page that was made last; None where that was no page."""

    def pieces(self, item: Item, holding: Holding, note: Note | None = None) -> Iterator[bytes]:
        """The file of an item; `note` is told the code and message of every flaw of its body."""
        self.abstract = None
        self._is_piece = False
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
        if kind is Kind.SCRIPT:
            return marked(self._script(item, content, declared), kind, declared)
        rename = self._rename(item)
        if kind is Kind.CSS:
            rename = self._mask_rename(item, content, declared, rename)
        return marked(self._rewritten(item, content, kind, declared, Renaming(rename), EDITS), kind, declared)

    def _script(self, item: Item, content: bytes, declared: str) -> bytes:
        """A script, whose texts stay as they were."""
        self.links.uses |= uses_of(content)
        # A library may have what no page of the copy uses; of pages that were run it is known what they did.
        if not self._contents.was_run and (need := server_need(content)):
            self.links.needing.setdefault(item.url, need)
        # What is relative is so to a page, and nothing tells to which.
        addresses = {each for each in requested_addresses(content) if each.startswith(("/", *_WEB))}
        self._note_requests(item, addresses, item.url)
        renaming = Renaming(lambda _: None, scripts=Scripts.CERTAIN)
        return self._rewritten(item, content, Kind.SCRIPT, declared, renaming, SCRIPT_EDITS)

    def _page(self, item: Item, content: bytes, declared: str) -> bytes:
        if item.is_page:
            self.abstract = abstract(item.name, content, declared, self._room)
        sprites = Sprites()
        self._is_piece = not is_whole_page(content)
        scripts = script_stretch(content)
        is_scripted = bool(scripts) or has_handlers(content)
        modules = self._modules(item, content, declared) if may_have_modules(scripts) else None
        head = declaration(content, declared) + self._mark
        if is_scripted:
            head += LOCK + self._script_head(item, content, scripts, declared, modules)
        rename = self._mask_rename(item, content, declared, self._page_rename(item, sprites, modules))
        recall = self._recall(item, modules)
        renaming = Renaming(rename, scripts=Scripts.CERTAIN, data=False, recall=recall)
        made = self._rewritten(item, content, Kind.HTML, declared, renaming, page_edits(head, is_scripted))
        self.links.within += 0 if recall is None else recall.met
        is_needed = item.url in self.links.needing
        if self._frozen is not None and (kept := self._frozen(item, is_needed)) is not None:
            if is_needed:
                self.links.frozen[item.url] = self.links.needing.pop(item.url)
            edits = page_edits(FROZEN_HEAD + self._mark, False)
            return self._rewritten(item, kept, Kind.HTML, "utf-8", Renaming(self._rename(item)), edits)
        if need := self._contents.held_back.get(item.url):  # frozen it would show no more than alive, and do less
            self.links.needing.setdefault(item.url, need)
        return made + self._inlined(item, sprites)

    def _modules(self, item: Item, content: bytes, declared: str) -> Modules:
        modules = Modules(item, self._contents, self._text)
        modules.gather(content, declared)
        self.links.modules.update(modules.urls)
        if not modules.is_whole:
            self.links.needing[item.url] = "more modules than fit into a page"
        return modules

    def _script_head(self, item: Item, content: bytes, scripts: bytes, declared: str, modules: Modules | None) -> str:
        """What goes before the scripts of a page."""
        self.links.uses |= uses_of(scripts or content)
        if need := self._contents.live_pages.get(item.url) or server_need(scripts):
            self.links.needing.setdefault(item.url, need)
        base = archived_base(text_of(content, declared), item.url) if b"<base" in content else ""
        self._note_requests(item, requested_addresses(scripts), base or item.url)
        tags = shim_tags(item, base)
        return tags if modules is None else tags + module_tags(item, modules.urls, modules.names)

    def _note_requests(self, item: Item, addresses: Iterable[str], base: str) -> None:
        """Take note of what scripts ask for that is not there."""
        for address in sorted(addresses):
            url = (resolve(base, address) or "").partition("#")[0]
            if url.startswith(_WEB) and self._contents.final(url) is None and "?" not in url:
                self.links.missing[url] = min(item.url, self.links.missing.get(url, _LAST))

    def _rewritten(
        self,
        item: Item,
        content: bytes,
        kind: Kind,
        declared: str,
        renaming: Renaming,
        edits: HtmlEdits,
    ) -> bytes:
        return rewrite_document(
            content,
            item.url,
            renaming,
            media_type=item.media_type,
            charset=declared,
            kind=kind,
            edits=edits,
        )

    def _recall(self, item: Item, modules: Modules | None) -> Recall | None:
        """What is known of a page's tags; nothing where some hang on which modules are put into the page."""
        if modules is not None:
            return None
        return Recall(self._tags, item.url, item.folder, self._ways.leaving(item.folder))

    def _rename(self, item: Item) -> Rename:
        """What gives the text for a link: relative within the copy, absolute to what is outside."""
        contents, ways, links = self._contents, self._ways.leaving(item.folder), self.links
        items, missing = contents.items, links.adrift if self._is_piece else links.missing

        def rename(link: Link) -> str | None:
            url, mark, fragment = link.url.partition("#")
            target = items.get(url)
            if (target is None and "?" in url) or (target is not None and target.target):
                target = contents.final(url)
            if target is not None:
                links.within += 1
                leaf = spelled_leaf(target.leaf)
                return Way.to((target.folder, f"{leaf}#{fragment}" if mark else leaf), ways[target.folder])
            if link.guess or not url.startswith(_WEB):
                return None
            if link.role is not Role.EMBED:
                links.outside += 1
                return link.url
            if item.url < missing.get(url, _LAST):
                missing[url] = item.url  # which page is told must not depend on who was quicker
            return Missing(link.url)

        return rename

    def _page_rename(self, item: Item, sprites: Sprites, modules: Modules | None) -> Rename:
        """The same for a page, in which some things are put that browsers would not load."""
        plain = self._rename(item)

        def rename(link: Link) -> str | None:
            source = link.source
            if source in _SPECIAL or source[:6] == "script":
                if source in USES:
                    return self._use(link, sprites, plain)
                if source == MANIFEST_LINK:
                    return _NOWHERE
                if source == _TRACK:
                    return self._data_address(link) or plain(link)
                if source == PRELOAD:
                    return "data:text/javascript,"
                if source[:6] == "script":
                    return link.url if source == STATIC_IMPORT else None
                if modules is not None and link.url in modules.roots and self._contents.final(link.url) is not None:
                    return modules.call(modules.names.get(link.url, link.url))
            return plain(link)

        return rename

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


_SPECIAL = USES | {MANIFEST_LINK, _TRACK, PRELOAD, "html script[src]"}
_AS_IT_IS = Renaming(lambda _: None)


@lru_cache(64)
def page_edits(head: str, is_scripted: bool) -> HtmlEdits:
    """What is edited on a page, and put into its head."""
    if not head and not is_scripted:
        return EDITS
    return replace(EDITS, head=head, wrap_location=is_scripted, wrap_imports=is_scripted)


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
