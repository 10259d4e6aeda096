"""Titles: what a page calls itself."""

from __future__ import annotations

import re

from turbohtml import Element, Namespace, parse

from webkeep.document.charset import LOOKED_AT, charset_of

_END = re.compile(rb"</title[\s/>]", re.IGNORECASE)


def page_title(content: bytes, charset: str = "") -> str:
    """The title of an HTML page on one line, "" where it has none; `charset` is what the server declared."""
    start = content[:LOOKED_AT]
    encoding = charset_of(start, charset)
    # The tree up to the first end of a title is nearly always enough, and a small part of the page.
    end = _END.search(start)
    title = _title_in(start[: end.end()], encoding) if end else None
    if title is None:
        title = _title_in(start, encoding)
    return "" if title is None else " ".join(title.text.split())


def _title_in(content: bytes, encoding: str) -> Element | None:
    document = parse(content, encoding=encoding, positions=False)
    for title in document.find_all("title"):
        # Pictures have titles of their own, and what is in a template is not on the page.
        if title.namespace is Namespace.HTML and title.closest("template") is None:
            return title
    return None
