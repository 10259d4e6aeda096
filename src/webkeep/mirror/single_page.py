"""One page as one file: its embeds as data URLs, its frames and modules, and all that its scripts may ask for; how deep
documents lie within it, and how many bytes it may have.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.document import decode_text
from webkeep.errors import StorageError, UsageError
from webkeep.extract import DocumentKind, detect_kind
from webkeep.extract.links import Link, LinkRole
from webkeep.formats.http import ResponseHead, declared_charset, declared_media_type
from webkeep.mirror.names.file_system_profile import PORTABLE
from webkeep.mirror.output.atomic_placement import check_file
from webkeep.mirror.output.copy_folder import write_error
from webkeep.mirror.rendering.charset_declaration import charset_meta, to_marked_utf8
from webkeep.mirror.rendering.file_renderer import CSP_META, MANIFEST_SOURCE, build_page_edits
from webkeep.mirror.rendering.frozen_pages import FROZEN_HEAD
from webkeep.mirror.rendering.page_modules import (
    PRELOAD_SOURCE,
    SCRIPT_EDITS,
    STATIC_IMPORT_SOURCE,
    PageModules,
    archived_base,
    is_module,
    may_have_modules,
    render_module,
    script_section,
)
from webkeep.mirror.rendering.script_responses import MAX_RESPONSE_BYTES, is_script, script_literal
from webkeep.mirror.rendering.script_uses import has_handlers, is_whole_page, requested_addresses, server_need
from webkeep.mirror.selection.copy_contents import (
    CopyContents,
    CopyItem,
    CopySelection,
    FrozenPageSource,
    choose_contents,
)
from webkeep.mirror.shim import shim_script
from webkeep.mirror.site_copy import CopyOptions
from webkeep.process import atomic_file
from webkeep.rewrite import HtmlEdits, LinkRenaming, MissingTarget, ScriptRenaming, can_rewrite, rewrite_document
from webkeep.store.archive import Archive
from webkeep.store.views import read_outlines
from webkeep.url import normalize_url, resolve_url

_MAX_DEPTH = 6
"""Documents within documents, as frames have, that are put into one file."""
_MAX_PAGE_BYTES = 256 << 20
"""Of one page with all that is put into it; one with more is refused, as browsers open no file much larger."""
_EMPTY_DATA_URL = "data:,"
"""What stands for a thing within itself."""


@dataclass(slots=True)
class SinglePage:
    """A page in one file, and what is to be said of it."""

    page: bytes = b""
    missing: set[str] = field(default_factory=set)
    """What is needed and not there."""
    needs: str = ""
    """What the page needs that no file can give it."""
    frozen_for: str = ""
    """What it needs for which it was frozen as a browser left it."""


class SinglePageBuilder:
    """Puts a page and what it needs into one file."""

    def __init__(self, archive: Archive, contents: CopyContents, frozen: FrozenPageSource | None = None) -> None:
        self._archive = archive
        self._contents = contents
        self._frozen = frozen
        self._data_urls: dict[str, str] = {}
        self._under_way: set[str] = set()
        self._size = 0
        self._importable: set[str] = set()
        self.result = SinglePage()

    def build_page(self, item: CopyItem) -> SinglePage:
        """A page with all it needs."""
        self._page = item
        self._under_way.add(item.url)
        stored = self._archive.read_place(item.place)
        content, declared = (
            b"".join(stored.content(_MAX_PAGE_BYTES)),
            declared_charset((stored.head or ResponseHead()).headers),
        )
        scripts = script_section(content)
        self.result.needs = self._contents.live_pages.get(item.url) or server_need(scripts)
        kept = None if self._frozen is None else self._frozen(item, bool(self.result.needs))
        if kept is not None:
            self.result.frozen_for, self.result.needs = self.result.needs, ""
            self.result.page = self._inline_markup(item, kept, "utf-8", 0, FROZEN_HEAD, None)
            return self.result
        self.result.needs = self.result.needs or self._contents.withheld.get(item.url, "")
        if scripts or has_handlers(content):
            self.result.page = self._build_scripted(item, content, declared, scripts)
        else:
            self.result.page = self._inline_markup(
                item, content, declared, 0, charset_meta(content, declared) + CSP_META, None
            )
        return self.result

    def _build_scripted(self, item: CopyItem, content: bytes, declared: str, scripts: bytes) -> bytes:
        """A page with scripts: with the shim before them, and what they may ask for."""
        modules = None
        if may_have_modules(scripts):
            modules = PageModules(item, self._contents, self._read_content)
            modules.find_modules(content, declared)
        base = archived_base(decode_text(content, declared), item.url)
        self._note_requests(requested_addresses(scripts), base or item.url)
        # What comes with the page anyway need not be in it again, so this is made first, and its head then put in.
        bare = self._inline_markup(item, content, declared, 0, _HEAD_PLACEHOLDER, modules)
        head = charset_meta(content, declared) + CSP_META + _shim_element(item.url, base)
        head += _inline_script(f"webkeep_embedded$({script_literal(dict(self._requested_contents(item)))})")
        head += _inline_script("".join(self._module_scripts(modules)))
        return bare.replace(_HEAD_PLACEHOLDER.encode(), head.encode("ascii"), 1)

    def _module_scripts(self, modules: PageModules | None) -> Iterator[str]:
        """What tells the shim of the modules of the page, and of those that others may import."""
        for url in sorted({*self._importable, *(modules.urls if modules is not None else ())}):
            item = self._contents.items[url]
            content, declared = self._read_content(item)
            self._note_requests(requested_addresses(content), self._page.url)
            yield render_module(item, content, declared, self._contents).decode("ascii")
        if modules is not None:
            yield f"webkeep_modules$({script_literal(modules.names)});"

    def _note_requests(self, addresses: Iterable[str], base: str) -> None:
        """Take note of what scripts ask for that is not there."""
        for address in addresses:
            url = (resolve_url(base, address) or "").partition("#")[0]
            if url.startswith(("http:", "https:")) and "?" not in url and self._contents.follow_redirects(url) is None:
                self.result.missing.add(url)

    def _requested_contents(self, page: CopyItem) -> Iterator[tuple[str, tuple[str, str]]]:
        """What was asked for because of the page and is not in it yet: types and contents by URL."""
        for url in sorted(_caused_urls(self._archive, page.url)):
            item = self._contents.follow_redirects(url)
            if item is None or item.url in self._data_urls or item.length > MAX_RESPONSE_BYTES or item.url == page.url:
                continue
            content, _ = self._read_content(item)
            if item.is_page and is_whole_page(content):
                continue  # a page that a link leads to
            if is_script(item) and is_module(content):
                self._importable.add(item.url)
            self._count_bytes(len(content), url)
            yield url, (item.media_type, base64.b64encode(content).decode("ascii"))

    def _inline_document(self, item: CopyItem, depth: int) -> tuple[str, bytes]:
        """The media type of an item, and its content with all it needs in it."""
        stored = self._archive.read_place(item.place)
        head = stored.head or ResponseHead()
        content, declared = b"".join(stored.content(_MAX_PAGE_BYTES)), declared_charset(head.headers)
        said = declared_media_type(head.headers) or item.media_type
        kind = detect_kind(said, content, item.url)
        if kind is DocumentKind.HTML:
            return said, self._inline_markup(
                item, content, declared, depth, charset_meta(content, declared) + CSP_META, None
            )
        renaming = LinkRenaming(lambda link: self._rename_link(item, link, depth, None), scripts=ScriptRenaming.CERTAIN)
        if not can_rewrite(kind, renaming):
            return said, content
        if kind is DocumentKind.SCRIPT:
            self._note_requests(requested_addresses(content), self._page.url)
        edits = SCRIPT_EDITS if kind is DocumentKind.SCRIPT else HtmlEdits()
        made = rewrite_document(content, item.url, renaming, media_type=said, charset=declared, kind=kind, edits=edits)
        return said, to_marked_utf8(made, kind, declared)

    def _inline_markup(
        self, item: CopyItem, content: bytes, declared: str, depth: int, head: str, modules: PageModules | None
    ) -> bytes:
        renaming = LinkRenaming(
            lambda link: self._rename_link(item, link, depth, modules), scripts=ScriptRenaming.CERTAIN, data=False
        )
        edits = build_page_edits(head, head == _HEAD_PLACEHOLDER)
        return rewrite_document(content, item.url, renaming, charset=declared, kind=DocumentKind.HTML, edits=edits)

    def _rename_link(self, item: CopyItem, link: Link, depth: int, modules: PageModules | None) -> str | None:
        url, mark, fragment = link.url.partition("#")
        if link.source == PRELOAD_SOURCE:
            return "data:text/javascript,"
        if link.source == MANIFEST_SOURCE:
            return ""
        if link.source.startswith("script"):
            return link.url if link.source == STATIC_IMPORT_SOURCE else None
        if link.guess or link.source == "html importmap":
            return None
        if modules is not None and link.source == "html script[src]" and link.url in modules.roots:
            return modules.module_url(modules.names.get(link.url, link.url))
        if url == item.url and mark:
            return f"#{fragment}"
        if link.role is not LinkRole.EMBED:
            return link.url
        data = self._data_url(url, depth)
        return MissingTarget(link.url) if data is None else data + mark + fragment

    def _data_url(self, url: str, depth: int) -> str | None:
        """What a URL gives as an address that holds it; None where it cannot be had."""
        item = self._contents.follow_redirects(url)
        if item is None or depth >= _MAX_DEPTH:
            self.result.missing.add(url)
            return None
        if item.url in self._under_way:
            return _EMPTY_DATA_URL
        if item.url not in self._data_urls:
            self._under_way.add(item.url)
            try:
                said, content = self._inline_document(item, depth + 1)
            except StorageError:
                self.result.missing.add(url)
                return None
            finally:
                self._under_way.discard(item.url)
            self._count_bytes(len(content), url)
            kind = said or "application/octet-stream"
            self._data_urls[item.url] = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        return self._data_urls[item.url]

    def _count_bytes(self, size: int, url: str) -> None:
        self._size += size
        if self._size > _MAX_PAGE_BYTES:
            raise UsageError(f"{url} is too much for one file; make a copy of the site instead")

    def _read_content(self, item: CopyItem) -> tuple[bytes, str]:
        stored = self._archive.read_place(item.place)
        return b"".join(stored.content(_MAX_PAGE_BYTES)), declared_charset((stored.head or ResponseHead()).headers)


_HEAD_PLACEHOLDER = "<!-- webkeep head -->"


def _shim_element(url: str, base: str) -> str:
    facts = {"url": url, **({"base": base} if base else {})}
    told = "".join(
        f' data-{name}="{value.replace("&", "&amp;").replace(chr(34), "&quot;")}"' for name, value in facts.items()
    )
    return f"<script{told}>{shim_script().decode('ascii')}</script>"


def _inline_script(text: str) -> str:
    return f"<script>{text}</script>" if text else ""


def _caused_urls(archive: Archive, page: str) -> set[str]:
    """The URLs that were asked for because of a page, and because of what was asked for because of it."""
    by_cause: dict[str, set[str]] = {}
    for seen in read_outlines(archive):
        by_cause.setdefault(seen.via, set()).add(seen.url)
    found: set[str] = set()
    waiting = [page]
    while waiting:
        new = by_cause.get(waiting.pop(), set()) - found
        found |= new
        waiting += (url for url in new if url.partition("?")[0].endswith((".js", ".mjs", ".css", ".json")))
    return found


def write_single_page(
    archive: Archive,
    wanted: CopySelection,
    url: str,
    file: Path,
    form: CopyOptions | None = None,
) -> SinglePage:
    """Write a page into one file; gives that, with what it needs that is not there."""
    form = form or CopyOptions()
    check_file(file, form.replace)
    contents = choose_contents(archive, wanted, PORTABLE)
    item = contents.follow_redirects(normalize_url(url) or url)
    if item is None and (gone := contents.gone.get(normalize_url(url) or url)) is not None:
        raise UsageError(f"{url} {gone.describe(False)}; --with-gone shows it so, and --at names another moment")
    if item is None or not item.is_page:
        raise UsageError(f"{archive.path} has no page {url}; webkeep list {archive.path} shows what it holds")
    if others := set(form.chosen) - {item.url}:
        raise UsageError(f"the state to freeze is one of {min(others)}, and not of {item.url}; choose one of its own")
    single = SinglePageBuilder(archive, contents, form.frozen).build_page(item)
    try:
        with atomic_file(file, replace=form.replace) as stream:
            stream.write(single.page)
    except OSError as error:
        raise write_error(file, error) from error
    return single
