"""From what an archive holds of a URL to the file that a copy has of it: where links lead, what is lifted of a page
(integrity, base), what keeps it from the network (CSP), what is inlined, how redirects lead on.

Theory of operation. A document's links become relative where they lead to something in the copy, and absolute where
they do not; what a page embeds that is not there is left out and marked. A lock keeps pages from asking the web. What
browsers refuse to pages on a disk is made up for, rung by rung: what forbids is lifted (`COPY_EDITS`), parts of other
SVG files are put into the page. Scripts are not renamed: they live among archived URLs, and the shim (`shim`) stands
between them and the browser, with modules and answers that are scripts themselves. A page that still needs more is
asked for as a browser left it, if there is somebody to ask; else it is listed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from webkeep.document import decode_text
from webkeep.errors import StorageError
from webkeep.extract import DocumentKind, detect_kind, extract_content_links
from webkeep.extract.documents import DecodedContent
from webkeep.extract.links import Link, LinkRole
from webkeep.formats.codings import FlawCallback
from webkeep.formats.http import ResponseHead, declared_charset, declared_media_type
from webkeep.mirror.names.relative_links import FolderPaths, quote_leaf
from webkeep.mirror.rendering.build_result import CopyLinks, PageAbstract
from webkeep.mirror.rendering.charset_declaration import charset_meta, to_marked_utf8
from webkeep.mirror.rendering.frozen_pages import FROZEN_HEAD
from webkeep.mirror.rendering.inlined_graphics import (
    SPRITE_SOURCES,
    SvgSprites,
    inline_sprite,
    mask_urls,
    may_have_masks,
)
from webkeep.mirror.rendering.page_modules import (
    PRELOAD_SOURCE,
    SCRIPT_EDITS,
    STATIC_IMPORT_SOURCE,
    PageModules,
    archived_base,
    may_have_modules,
    script_section,
)
from webkeep.mirror.rendering.script_responses import module_tags, shim_tags
from webkeep.mirror.rendering.script_uses import (
    detect_uses,
    has_handlers,
    is_whole_page,
    requested_addresses,
    server_need,
)
from webkeep.mirror.rendering.search_abstract import build_abstract
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem, FrozenPageSource
from webkeep.presentation.pages import element, render_page
from webkeep.rewrite import (
    MAX_REWRITTEN_BYTES,
    HtmlEdits,
    LinkPath,
    LinkRenamer,
    LinkRenaming,
    MissingTarget,
    ScriptRenaming,
    TagMemory,
    TagRecall,
    can_rewrite,
    rewrite_document,
)
from webkeep.store.reading import StoredResponse
from webkeep.url import resolve_url

COPY_EDITS = HtmlEdits(
    lift_integrity=True, lift_policies=True, lift_connecting=True, lift_crossorigin=True, lift_base=True
)
"""What is put out of force on pages that are opened from a disk, all of it recorded in the page."""

CSP_META = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file: data: blob: 'unsafe-inline' "
    "'unsafe-eval' 'wasm-unsafe-eval'; base-uri 'none'\">"
)
"""What keeps the scripts of a page from asking the web for anything; links still lead there."""

_WEB_SCHEMES = ("http:", "https:")
_DATA_KINDS = frozenset({DocumentKind.JSON, DocumentKind.JSON_FEED, DocumentKind.LINKED_DATA})
_BINARY_KINDS = frozenset({DocumentKind.PDF, DocumentKind.FLASH, DocumentKind.JAVA_CLASS})
MANIFEST_SOURCE = "html link[manifest]"
_TRACK_SOURCE = "html track[src]"
_NO_ADDRESS = ""
"""Browsers refuse manifests on a disk with an error; without an address they do not try."""
_MAX_INLINED_BYTES = 1 << 20
"""Sprites and masks up to this size are put into the page or style sheet that uses them."""
_EXTERNAL_LINK_STYLE = '<style>a[href^="http:"]::after, a[href^="https:"]::after { content: "\\2197" / "" }</style>'
"""Links that lead out of the copy are the only ones that name a host; an arrow stands behind them."""
_AFTER_ALL_URLS = "\U0010ffff"


class FileRenderer:
    """Makes files; what it met on the way is counted."""

    def __init__(
        self,
        contents: CopyContents,
        read: Callable[[CopyItem], StoredResponse],
        room: int = 0,
        frozen: FrozenPageSource | None = None,
        marked: bool = False,
        links: CopyLinks | None = None,
    ) -> None:
        """What becomes of links is counted in `links`, if these are given."""
        self._contents = contents
        self._read = read
        self._abstract_chars = room
        self._frozen = frozen
        self._external_style = _EXTERNAL_LINK_STYLE if marked else ""
        self._paths = FolderPaths()
        self._tags = TagMemory()
        self.links = CopyLinks() if links is None else links
        self._is_piece = False
        self.abstract: PageAbstract | None = None
        """Of the page that was made last; None where that was no page."""

    def render_item(
        self, item: CopyItem, stored: StoredResponse, on_flaw: FlawCallback | None = None
    ) -> Iterator[bytes]:
        """The file of an item; `on_flaw` is told the code and message of every flaw of its body."""
        self.abstract = None
        self._is_piece = False
        if item.is_redirect:
            yield self._render_redirect(item)
            return
        head = stored.head or ResponseHead()
        parts = stored.content(on_flaw=on_flaw)
        first = next(parts, b"")
        kind = detect_kind(declared_media_type(head.headers) or item.media_type, first, item.url)
        if kind in _BINARY_KINDS:
            yield from self._render_binary(item, kind, chain((first,), parts))
            return
        if not can_rewrite(kind, _NO_RENAMING) or kind in _DATA_KINDS:
            yield first
            yield from parts
            return
        content, rest = _split_rewritable(chain((first,), parts))
        yield self._render_document(item, content, kind, declared_charset(head.headers))
        yield from rest

    def _render_binary(self, item: CopyItem, kind: DocumentKind, parts: Iterator[bytes]) -> Iterator[bytes]:
        """A file that stays as it is, and whose links to the web are listed."""
        content, rest = _split_rewritable(parts)
        links = {link.url for link in extract_content_links(DecodedContent(item.url, content, item.media_type), kind)}
        if links:
            self.links.binary_links[item.url] = sorted(url for url in links if url.startswith(_WEB_SCHEMES))
        yield content
        yield from rest

    def _render_document(self, item: CopyItem, content: bytes, kind: DocumentKind, declared: str) -> bytes:
        if kind is DocumentKind.HTML:
            return self._render_page(item, content, declared)
        if item.is_page:
            self.abstract = build_abstract(item.name, content, declared, self._abstract_chars)
        if kind is DocumentKind.SCRIPT:
            return to_marked_utf8(self._render_script(item, content, declared), kind, declared)
        rename = self._link_renamer(item)
        if kind is DocumentKind.CSS:
            rename = self._mask_renamer(item, content, declared, rename)
        return to_marked_utf8(
            self._rewrite(item, content, kind, declared, LinkRenaming(rename), COPY_EDITS), kind, declared
        )

    def _render_script(self, item: CopyItem, content: bytes, declared: str) -> bytes:
        """A script, whose texts stay as they were."""
        self.links.uses |= detect_uses(content)
        # A library may have what no page of the copy uses; of pages that were run it is known what they did.
        if not self._contents.was_run and (need := server_need(content)):
            self.links.server_needs.setdefault(item.url, need)
        # What is relative is so to a page, and nothing tells to which.
        addresses = {each for each in requested_addresses(content) if each.startswith(("/", *_WEB_SCHEMES))}
        self._note_requests(item, addresses, item.url)
        renaming = LinkRenaming(lambda _: None, scripts=ScriptRenaming.CERTAIN)
        return self._rewrite(item, content, DocumentKind.SCRIPT, declared, renaming, SCRIPT_EDITS)

    def _render_page(self, item: CopyItem, content: bytes, declared: str) -> bytes:
        if item.is_page:
            self.abstract = build_abstract(item.name, content, declared, self._abstract_chars)
        sprites = SvgSprites()
        self._is_piece = not is_whole_page(content)
        scripts = script_section(content)
        is_scripted = bool(scripts) or has_handlers(content)
        modules = self._find_modules(item, content, declared) if may_have_modules(scripts) else None
        head = charset_meta(content, declared) + self._external_style
        if is_scripted:
            head += CSP_META + self._script_head(item, content, scripts, declared, modules)
        rename = self._mask_renamer(item, content, declared, self._page_renamer(item, sprites, modules))
        recall = self._tag_recall(item, modules)
        renaming = LinkRenaming(rename, scripts=ScriptRenaming.CERTAIN, data=False, recall=recall)
        made = self._rewrite(item, content, DocumentKind.HTML, declared, renaming, build_page_edits(head, is_scripted))
        self.links.within += 0 if recall is None else recall.recalled_links
        is_needed = item.url in self.links.server_needs
        if self._frozen is not None and (kept := self._frozen(item, is_needed)) is not None:
            if is_needed:
                self.links.frozen[item.url] = self.links.server_needs.pop(item.url)
            edits = build_page_edits(FROZEN_HEAD + self._external_style, False)
            return self._rewrite(item, kept, DocumentKind.HTML, "utf-8", LinkRenaming(self._link_renamer(item)), edits)
        if need := self._contents.withheld.get(item.url):  # frozen it would show no more than alive, and do less
            self.links.server_needs.setdefault(item.url, need)
        return made + self._inline_sprites(item, sprites)

    def _find_modules(self, item: CopyItem, content: bytes, declared: str) -> PageModules:
        modules = PageModules(item, self._contents, self._read_content)
        modules.find_modules(content, declared)
        self.links.modules.update(modules.urls)
        if not modules.is_whole:
            self.links.server_needs[item.url] = "more modules than fit into a page"
        return modules

    def _script_head(
        self, item: CopyItem, content: bytes, scripts: bytes, declared: str, modules: PageModules | None
    ) -> str:
        """What goes before the scripts of a page."""
        self.links.uses |= detect_uses(scripts or content)
        if need := self._contents.live_pages.get(item.url) or server_need(scripts):
            self.links.server_needs.setdefault(item.url, need)
        base = archived_base(decode_text(content, declared), item.url) if b"<base" in content else ""
        self._note_requests(item, requested_addresses(scripts), base or item.url)
        tags = shim_tags(item, base)
        return tags if modules is None else tags + module_tags(item, modules.urls, modules.names)

    def _note_requests(self, item: CopyItem, addresses: Iterable[str], base: str) -> None:
        """Take note of what scripts ask for that is not there."""
        for address in sorted(addresses):
            url = (resolve_url(base, address) or "").partition("#")[0]
            if url.startswith(_WEB_SCHEMES) and self._contents.follow_redirects(url) is None and "?" not in url:
                self.links.missing[url] = min(item.url, self.links.missing.get(url, _AFTER_ALL_URLS))

    def _rewrite(
        self,
        item: CopyItem,
        content: bytes,
        kind: DocumentKind,
        declared: str,
        renaming: LinkRenaming,
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

    def _tag_recall(self, item: CopyItem, modules: PageModules | None) -> TagRecall | None:
        """What is known of a page's tags; nothing where some hang on which modules are put into the page."""
        if modules is not None:
            return None
        return TagRecall(self._tags, item.url, item.folder, self._paths.paths_from(item.folder))

    def _link_renamer(self, item: CopyItem) -> LinkRenamer:
        """What gives the text for a link: relative within the copy, absolute to what is outside."""
        contents, ways, links = self._contents, self._paths.paths_from(item.folder), self.links
        items, missing = contents.items, links.adrift if self._is_piece else links.missing

        def rename(link: Link) -> str | None:
            url, mark, fragment = link.url.partition("#")
            target = items.get(url)
            if (target is None and "?" in url) or (target is not None and target.target):
                target = contents.follow_redirects(url)
            if target is not None:
                links.within += 1
                leaf = quote_leaf(target.leaf)
                return LinkPath.to_goal((target.folder, f"{leaf}#{fragment}" if mark else leaf), ways[target.folder])
            if link.guess or not url.startswith(_WEB_SCHEMES):
                return None
            if link.role is not LinkRole.EMBED:
                links.outside += 1
                return link.url
            if item.url < missing.get(url, _AFTER_ALL_URLS):
                missing[url] = item.url  # which page is told must not depend on who was quicker
            return MissingTarget(link.url)

        return rename

    def _page_renamer(self, item: CopyItem, sprites: SvgSprites, modules: PageModules | None) -> LinkRenamer:
        """The same for a page, in which some things are put that browsers would not load."""
        plain = self._link_renamer(item)

        def rename(link: Link) -> str | None:
            source = link.source
            if source in _SPECIAL_SOURCES or source[:6] == "script":
                if source in SPRITE_SOURCES:
                    return self._sprite_reference(link, sprites, plain)
                if source == MANIFEST_SOURCE:
                    return _NO_ADDRESS
                if source == _TRACK_SOURCE:
                    return self._data_url(link) or plain(link)
                if source == PRELOAD_SOURCE:
                    return "data:text/javascript,"
                if source[:6] == "script":
                    return link.url if source == STATIC_IMPORT_SOURCE else None
                if (
                    modules is not None
                    and link.url in modules.roots
                    and self._contents.follow_redirects(link.url) is not None
                ):
                    return modules.module_url(modules.names.get(link.url, link.url))
            return plain(link)

        return rename

    def _mask_renamer(self, item: CopyItem, content: bytes, declared: str, plain: LinkRenamer) -> LinkRenamer:
        """The same where there may be masks, which are put into the style sheet."""
        masks = mask_urls(decode_text(content, declared), item.url) if may_have_masks(content) else frozenset()

        def rename(link: Link) -> str | None:
            is_mask = link.source[:3] == "css" and link.url.partition("#")[0] in masks
            return (self._data_url(link) if is_mask else "") or plain(link)

        return rename if masks else plain

    def _data_url(self, link: Link) -> str:
        """An address that holds what a link leads to; empty where that is not in the copy, or too much."""
        target = self._contents.follow_redirects(link.url.partition("#")[0])
        if target is None or target.length > _MAX_INLINED_BYTES:
            return ""
        content, _ = self._read_content(target)
        self.links.within += 1
        return f"data:{target.media_type};base64,{base64.b64encode(content).decode('ascii')}"

    def _sprite_reference(self, link: Link, sprites: SvgSprites, plain: LinkRenamer) -> str | None:
        url, _, name = link.url.partition("#")
        target = self._contents.follow_redirects(url)
        is_sprite = (
            target is not None and target.media_type.startswith("image/svg") and target.length <= _MAX_INLINED_BYTES
        )
        if target is None or not name or not is_sprite:
            return plain(link)
        self.links.within += 1
        return sprites.reference(target.url, name)

    def _inline_sprites(self, item: CopyItem, sprites: SvgSprites) -> bytes:
        """The SVG files of which a page uses parts, to stand at its end."""
        texts = []
        for url, number in sprites:
            target = self._contents.items[url]
            content, declared = self._read_content(target)
            moved = self._link_renamer(item)
            renamed = rewrite_document(content, url, LinkRenaming(moved), kind=DocumentKind.XML, charset=declared)
            texts.append(inline_sprite(decode_text(renamed, declared), number))
        return "".join(texts).encode("ascii")

    def _read_content(self, item: CopyItem) -> tuple[bytes, str]:
        """The content of another item, and the charset declared for it; nothing where it cannot be read."""
        try:
            stored = self._read(item)
        except StorageError:
            return b"", ""
        head = stored.head or ResponseHead()
        return b"".join(stored.content(MAX_REWRITTEN_BYTES)), declared_charset(head.headers)

    def _render_redirect(self, item: CopyItem) -> bytes:
        """A small page that leads on."""
        url, mark, fragment = item.target.partition("#")
        target = self._contents.follow_redirects(url)
        way = item.target if target is None else self._paths.href(item.folder, target.name) + mark + fragment
        onward = element("meta", http_equiv="refresh", content=f"0; url={way}")
        words = element("p", "This page moved: ", element("a", item.target, href=way))
        return render_page("Moved", words, head=onward, style=())


_SPECIAL_SOURCES = SPRITE_SOURCES | {MANIFEST_SOURCE, _TRACK_SOURCE, PRELOAD_SOURCE, "html script[src]"}
_NO_RENAMING = LinkRenaming(lambda _: None)


@lru_cache(64)
def build_page_edits(head: str, is_scripted: bool) -> HtmlEdits:
    """What is edited on a page, and put into its head."""
    if not head and not is_scripted:
        return COPY_EDITS
    return replace(COPY_EDITS, head=head, wrap_location=is_scripted, wrap_imports=is_scripted)


def _split_rewritable(parts: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a document, as much as is rewritten, and the rest."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size > MAX_REWRITTEN_BYTES:
            break
    return b"".join(held), parts
