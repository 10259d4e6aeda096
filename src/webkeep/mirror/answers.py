"""Answers: what scripts of a page may ask for, kept as scripts: these are all that a page on a disk may load."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from importlib.resources import files

from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import ResponseHead
from webkeep.mirror.contents import Contents, Item
from webkeep.mirror.hrefs import relative
from webkeep.mirror.layout import ANSWERS, SHIM
from webkeep.store.reading import Holding

LARGEST = 4 << 20
"""Longer ones are not kept a second time."""
TABLE = f"{ANSWERS}/table.js"

_NO_DATA = ("image/", "audio/", "video/", "font/", "text/html", "text/css", "text/javascript", "application/javascript",
            "application/xhtml+xml", "application/pdf", "application/zip", "application/gzip",
            "application/octet-stream", "application/manifest+json", "application/rss+xml",
            "application/atom+xml")  # fmt: skip
_NOT_ASKED_FOR = ("/robots.txt", "/sitemap.xml", "/ads.txt", "/security.txt", "/humans.txt")


def is_data(item: Item) -> bool:
    """Whether an item is most likely there for scripts to ask for."""
    known = bool(item.media_type) and not item.media_type.startswith(_NO_DATA) and not item.is_redirect
    return known and item.length <= LARGEST and not item.url.endswith(_NOT_ASKED_FOR)


def has_data(contents: Contents) -> bool:
    """Whether there is anything in a copy for scripts to ask for."""
    return any(map(is_data, contents.items.values()))


def key_of(url: str) -> str:
    """What stands for a URL in the name of its answer."""
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:16]


def answer_name(url: str) -> str:
    """The name of the file of an answer."""
    return f"{ANSWERS}/{key_of(url)}.js"


def answer(url: str, holding: Holding) -> bytes:
    """The file of an answer."""
    head = holding.head or ResponseHead()
    said = head.headers.get("content-type") or media_type(head.headers)
    text = base64.b64encode(b"".join(holding.content(LARGEST))).decode("ascii")
    return f"webkeepAnswer({json.dumps(key_of(url))}, {_script_text(said)}, {json.dumps(text)});\n".encode()


def table(items: Iterable[Item]) -> Iterator[bytes]:
    """The table of all answers."""
    yield b"webkeepAnswers({\n"
    for item in items:
        yield f"{_script_text(item.url)}: {json.dumps([key_of(item.url), item.name])},\n".encode()
    yield b"});\n"


def shim_tag(item: Item) -> str:
    """What calls the shim on a page, in its head."""
    root = "../" * item.name.count("/")
    url = escape(item.url.encode("ascii", "xmlcharrefreplace").decode(), quote=True).replace("&amp;#", "&#")
    return f'<script src="{relative(item.name, SHIM)}" data-root="{root or "./"}" data-url="{url}"></script>'


@cache
def shim() -> bytes:
    """The script in which a page's requests are answered."""
    return (files("webkeep.mirror") / "shim.js").read_bytes()


def _script_text(text: str) -> str:
    return json.dumps(text).replace("</", "<\\/")
