"""Seeds out of bookmarks as browsers keep them: the HTML of Netscape, which all write, and the JSON of Firefox and
Chromium.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from turbohtml import unescape

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.service.collections.collection_facts import SeedEntry
from webkeep.service.collections.seed_table import RefusedLine, keep_entry
from webkeep.url import parse_seed

_HTML_SIGN = "<!doctype netscape-bookmark-file-1>"
_BOOKMARK = re.compile(r'<a\s[^>]{0,100000}?href="([^"]{1,8000})"[^>]{0,100000}>([^<]{0,1000})', re.IGNORECASE)
_WEB_PREFIXES = ("http://", "https://")
_MAX_DEPTH = 200
"""Folders within folders: no person has so many."""


def is_bookmark_file(text: str) -> bool:
    """Whether a text, or its beginning, is a file of bookmarks."""
    start = text.lstrip("\ufeff \r\n\t")[:2000]
    if start[:100].lower().startswith(_HTML_SIGN):
        return True
    return start.startswith("{") and ('"roots"' in start or "text/x-moz-place" in start)


def read_bookmarks(
    text: str, check: Callable[[SeedEntry], SeedEntry] = keep_entry
) -> Iterator[SeedEntry | RefusedLine]:
    """The pages of bookmarks, with their titles as notes; what is no page of the web, as a script, is passed over."""
    is_json = text.lstrip("\ufeff \r\n\t").startswith("{")
    found = _walk_folders(read_json(text.lstrip("\ufeff").encode())) if is_json else _find_links(text)
    for number, (url, title) in enumerate(found, 1):
        if not url.startswith(_WEB_PREFIXES):
            continue
        try:
            yield check(SeedEntry(parse_seed(url), notes=title))
        except UsageError as error:
            yield RefusedLine(number, str(error))


def _find_links(text: str) -> Iterator[tuple[str, str]]:
    return ((unescape(match[1]).strip(), unescape(match[2]).strip()) for match in _BOOKMARK.finditer(text))


def _walk_folders(values: Any) -> Iterator[tuple[str, str]]:
    """Firefox has `uri` and `title`, Chromium `url` and `name`; both have `children`."""
    waiting: list[tuple[Any, int]] = [(values, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, list):
            waiting += [(each, depth + 1) for each in reversed(node)] if depth < _MAX_DEPTH else []
        elif isinstance(node, dict):
            url, title = node.get("uri", node.get("url")), node.get("title", node.get("name", ""))
            if isinstance(url, str):
                yield url.strip(), title if isinstance(title, str) else ""
            inner = [each for name, each in node.items() if name in ("children", "roots") or isinstance(each, dict)]
            waiting += [(each, depth + 1) for each in reversed(inner)] if depth < _MAX_DEPTH else []
