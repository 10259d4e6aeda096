"""Answers: what scripts of a page may ask for, kept as scripts: these are all that a page on a disk may load."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from html import escape
from itertools import groupby

from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.contents import Contents, Item
from webkeep.mirror.hrefs import relative
from webkeep.mirror.layout import ANSWERS, MODULES, SHIM, TABLE
from webkeep.mirror.script_uses import ScriptUse
from webkeep.store.reading import Holding

LARGEST = 32 << 20
"""Longer ones are not kept a second time."""
LITTLE = 32 << 20
"""So much of what scripts seldom ask for is kept a second time, in case they do."""
HAS_ANSWER, HAS_MODULE, IS_SCRIPT = 1, 2, 4
"""What the table says of an entry; see `shim/holdings.js`."""

_MOST_PAGES = 2000
"""From so many pages on they are no answers: then they are a site to read, and a copy would have each twice."""
_LARGEST_PICTURE = 4 << 20
_READ_BY_PEOPLE = ("audio/", "video/", "font/", "application/pdf", "application/zip", "application/gzip",
                   "application/rss+xml", "application/atom+xml")  # fmt: skip
_PICTURES = ("image/",)
_NOT_ASKED_FOR = ("/robots.txt", "/sitemap.xml", "/ads.txt", "/security.txt", "/humans.txt")


def is_doubtful(item: Item) -> bool:
    """Whether an item is of a kind that pages lead to or embed, and that scripts seldom ask for."""
    return item.media_type.startswith(_READ_BY_PEOPLE)


def may_be_asked(item: Item, uses: Container[ScriptUse], pages: int, requested: Container[str] = ()) -> bool:
    """Whether the scripts of a copy, which use these things, may ask for an item; `requested` was by pages that ran."""
    kind = item.media_type
    if item.is_redirect or item.length > LARGEST or item.url.endswith(_NOT_ASKED_FOR):
        return False
    if item.is_page:
        return ScriptUse.REQUESTS in uses and pages <= _MOST_PAGES
    if is_script(item):
        return ScriptUse.WORKERS in uses
    if kind.startswith(_PICTURES) and not kind.startswith("image/svg"):
        return ScriptUse.DOTS in uses and item.length <= _LARGEST_PICTURE
    if is_doubtful(item):
        return ScriptUse.REQUESTS in uses and item.url in requested
    return bool(kind) and kind != "text/css"


def is_script(item: Item) -> bool:
    """Whether an item is a script by its type."""
    return "javascript" in item.media_type or "ecmascript" in item.media_type


def key_of(url: str) -> str:
    """What stands for a URL in the names of its answer and its module."""
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:16]


def answer_name(url: str) -> str:
    """The name of the file of an answer."""
    return f"{ANSWERS}/{key_of(url)}.js"


def module_name(url: str) -> str:
    """The name of the file of a module."""
    return f"{MODULES}/{key_of(url)}.js"


def answer(url: str, holding: Holding) -> bytes:
    """The file of an answer."""
    head = holding.head or ResponseHead()
    said = head.headers.get("content-type") or media_type(head.headers)
    text = base64.b64encode(b"".join(holding.content(LARGEST))).decode("ascii")
    return f"webkeep_answer$({json.dumps(key_of(url))}, {script_text(said)}, {json.dumps(text)});\n".encode()


def table(contents: Contents, has: dict[str, int]) -> Iterator[bytes]:
    """The table of all URLs with their files; `has` says what else there is of some, by URL."""
    yield b"webkeep_table$([\n"
    for (directory, folder), items in groupby(map(contents.items.__getitem__, sorted(contents.items)), key=_places):
        entries = [entry for item in items if (entry := _item_entry(item, len(directory), contents, has)) is not None]
        if entries:
            yield f"{script_text([directory, folder, entries])},\n".encode()
    yield b"]);\n"


def _places(item: Item) -> tuple[str, str]:
    """The directory of an item's URL, and the folder of its file."""
    return item.url[: item.url.partition("?")[0].rfind("/") + 1], item.folder


def _item_entry(item: Item, start: int, contents: Contents, has: dict[str, int]) -> object:
    """What the table says of an item: of one that leads elsewhere, what is there; None where that is nothing."""
    final = contents.final(item.url) if item.is_redirect else item
    if final is None:
        return None
    return _entry(
        item.url[start:], f"/{final.name}" if item.is_redirect else item.leaf, final.url, has.get(final.url, 0)
    )


def _entry(leaf: str, file: str, url: str, has: int) -> object:
    if has:
        return [leaf, 0 if file == leaf else file, key_of(url), has]
    return leaf if file == leaf else [leaf, file]


def shim_tags(item: Item, base: str = "") -> str:
    """What calls the shim on a page, in its head; `base` is what its relative addresses begin with, where that is not
    its own.
    """
    root = "../" * item.name.count("/")
    facts = {"root": root or "./", "url": item.url, **({"base": base} if base else {})}
    told = "".join(f' data-{name}="{_attribute(value)}"' for name, value in facts.items())
    return (
        f'<script src="{relative(item.name, SHIM)}"{told}></script><script src="{relative(item.name, TABLE)}"></script>'
    )


def module_tags(item: Item, urls: Iterable[str], names: dict[str, str]) -> str:
    """What has the modules of a page at hand before it comes to them."""
    tags = "".join(f'<script src="{relative(item.name, module_name(url))}"></script>' for url in urls)
    return f"{tags}<script>webkeep_modules$({script_text(names)})</script>" if tags else ""


def _attribute(text: str) -> str:
    return escape(text.encode("ascii", "xmlcharrefreplace").decode(), quote=True).replace("&amp;#", "&#")


def script_text(value: object) -> str:
    """A value as a script has it, in ASCII and safe within a page."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")
