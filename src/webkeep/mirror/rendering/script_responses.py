"""Answers: what scripts of a copy may ask for (fetch, XHR), kept as scripts; which files get one (by type, size and
number of pages), the table of all URLs, and the tags that call the shim.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from html import escape
from itertools import groupby

from webkeep.formats.http import ResponseHead, declared_media_type
from webkeep.mirror.names.copy_layout import MODULES_FOLDER, RESPONSES_FOLDER, SHIM_FILE, TABLE_FILE
from webkeep.mirror.names.relative_links import relative_href
from webkeep.mirror.rendering.script_uses import ScriptUse
from webkeep.mirror.selection.copy_contents import CopyContents, CopyItem
from webkeep.store.reading import StoredResponse

_MAX_CACHED_FOLDERS = 1000
"""Places that are remembered as seen from a folder, as the pages of one mostly come together."""
MAX_RESPONSE_BYTES = 32 << 20
"""Longer ones are not kept a second time: a browser would have to load them as one script."""
MAX_RARE_BYTES = 32 << 20
"""So much of what scripts seldom ask for is kept a second time, in case they do."""
HAS_ANSWER, HAS_MODULE, IS_SCRIPT = 1, 2, 4
"""What the table says of an entry; see `mirror/shim/holdings.js`."""

_MAX_ANSWERED_PAGES = 2000
"""From so many pages on they are no answers: then they are a site to read, and a copy would have each twice."""
_MAX_IMAGE_BYTES = 4 << 20
"""Larger pictures are not kept a second time, as scripts."""
_RARELY_REQUESTED_TYPES = ("audio/", "video/", "font/", "application/pdf", "application/zip", "application/gzip",
                   "application/rss+xml", "application/atom+xml")  # fmt: skip
_IMAGE_TYPES = ("image/",)
_NEVER_REQUESTED = ("/robots.txt", "/sitemap.xml", "/ads.txt", "/security.txt", "/humans.txt")


def is_rarely_requested(item: CopyItem) -> bool:
    """Whether an item is of a kind that pages lead to or embed, and that scripts seldom ask for."""
    return item.media_type.startswith(_RARELY_REQUESTED_TYPES)


def may_be_requested(item: CopyItem, uses: Container[ScriptUse], pages: int, requested: Container[str] = ()) -> bool:
    """Whether the scripts of a copy, which use these things, may ask for an item; `requested` was by pages that ran."""
    kind = item.media_type
    if item.is_redirect or item.length > MAX_RESPONSE_BYTES or item.url.endswith(_NEVER_REQUESTED):
        return False
    if item.is_page:
        return ScriptUse.REQUESTS in uses and pages <= _MAX_ANSWERED_PAGES
    if is_script(item):
        return ScriptUse.WORKERS in uses
    if kind.startswith(_IMAGE_TYPES) and not kind.startswith("image/svg"):
        return ScriptUse.DOTS in uses and item.length <= _MAX_IMAGE_BYTES
    if is_rarely_requested(item):
        return ScriptUse.REQUESTS in uses and item.url in requested
    return bool(kind) and kind != "text/css"


def is_script(item: CopyItem) -> bool:
    """Whether an item is a script by its type."""
    return "javascript" in item.media_type or "ecmascript" in item.media_type


def url_hash(url: str) -> str:
    """What stands for a URL in the names of its answer and its module."""
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:16]


def response_file_name(url: str) -> str:
    """The name of the file of an answer."""
    return f"{RESPONSES_FOLDER}/{url_hash(url)}.js"


def module_name(url: str) -> str:
    """The name of the file of a module."""
    return f"{MODULES_FOLDER}/{url_hash(url)}.js"


def render_response(url: str, stored: StoredResponse) -> bytes:
    """The file of an answer."""
    head = stored.head or ResponseHead()
    said = head.headers.get("content-type") or declared_media_type(head.headers)
    text = base64.b64encode(b"".join(stored.content(MAX_RESPONSE_BYTES))).decode("ascii")
    return f"webkeep_answer$({json.dumps(url_hash(url))}, {script_literal(said)}, {json.dumps(text)});\n".encode()


def render_table(contents: CopyContents, has: dict[str, int]) -> Iterator[bytes]:
    """The table of all URLs with their files; `has` says what else there is of some, by URL."""
    yield b"webkeep_table$([\n"
    for (directory, folder), items in groupby(
        map(contents.items.__getitem__, sorted(contents.items)), key=_folder_pair
    ):
        entries = [entry for item in items if (entry := _item_entry(item, len(directory), contents, has)) is not None]
        if entries:
            yield f"{script_literal([directory, folder, entries])},\n".encode()
    yield b"]);\n"


def _folder_pair(item: CopyItem) -> tuple[str, str]:
    """The directory of an item's URL, and the folder of its file."""
    return item.url[: item.url.partition("?")[0].rfind("/") + 1], item.folder


def _item_entry(item: CopyItem, start: int, contents: CopyContents, has: dict[str, int]) -> object:
    """What the table says of an item: of one that leads elsewhere, what is there; None where that is nothing."""
    final = contents.follow_redirects(item.url) if item.is_redirect else item
    if final is None:
        return None
    return _table_entry(
        item.url[start:], f"/{final.name}" if item.is_redirect else item.leaf, final.url, has.get(final.url, 0)
    )


def _table_entry(leaf: str, file: str, url: str, has: int) -> object:
    if has:
        return [leaf, 0 if file == leaf else file, url_hash(url), has]
    return leaf if file == leaf else [leaf, file]


def shim_tags(item: CopyItem, base: str = "") -> str:
    """What calls the shim on a page, in its head; `base` is what its relative addresses begin with, where that is not
    its own.
    """
    root, shim, table = _shim_places(item.folder)
    facts = {"root": root, "url": item.url, **({"base": base} if base else {})}
    told = "".join(f' data-{name}="{_quote_attribute(value)}"' for name, value in facts.items())
    return f'<script src="{shim}"{told}></script><script src="{table}"></script>'


@lru_cache(_MAX_CACHED_FOLDERS)
def _shim_places(folder: str) -> tuple[str, str, str]:
    """Where the copy begins as seen from a folder, its shim, and the table of what it has."""
    root, page = "../" * (folder.count("/") + 1), f"{folder}/page"
    return root, relative_href(page, SHIM_FILE), relative_href(page, TABLE_FILE)


def module_tags(item: CopyItem, urls: Iterable[str], names: dict[str, str]) -> str:
    """What has the modules of a page at hand before it comes to them."""
    tags = "".join(f'<script src="{relative_href(item.name, module_name(url))}"></script>' for url in urls)
    return f"{tags}<script>webkeep_modules$({script_literal(names)})</script>" if tags else ""


def _quote_attribute(text: str) -> str:
    return escape(text.encode("ascii", "xmlcharrefreplace").decode(), quote=True).replace("&amp;#", "&#")


def script_literal(value: object) -> str:
    """A value as a script has it, in ASCII and safe within a page."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")
