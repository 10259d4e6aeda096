"""What a person reads on a page: its title and its visible text, line by line or as words, without markup, scripts and
styles.
"""

from __future__ import annotations

import re

from turbohtml import Document, Element, Namespace, parse

from webkeep.document.charset import SNIFFED_BYTES, detect_charset, sniff_text
from webkeep.document.html_parts import MAX_TREE_CHARS

# Titles: what a page calls itself.

_TITLE_END = re.compile(rb"</title[\s/>]", re.IGNORECASE)


def read_page_title(content: bytes, charset: str = "") -> str:
    """The title of an HTML page on one line, "" where it has none; `charset` is what the server declared."""
    start = content[:SNIFFED_BYTES]
    encoding = detect_charset(start, charset)
    # The tree up to the first end of a title is nearly always enough, and a small part of the page.
    end = _TITLE_END.search(start)
    title = _find_title(start[: end.end()], encoding) if end else None
    if title is None:
        title = _find_title(start, encoding)
    return "" if title is None else " ".join(title.text.split())


def _find_title(content: bytes, encoding: str) -> Element | None:
    document = parse(content, encoding=encoding, positions=False)
    for title in document.find_all("title"):
        # Pictures have titles of their own, and what is in a template is not on the page.
        if title.namespace is Namespace.HTML and title.closest("template") is None:
            return title
    return None


def read_visible_lines(content: bytes, charset: str = "") -> list[str]:
    """The lines of text that an HTML page shows, each trimmed, empty ones left out.

    Of a page that is too long for a tree it is the beginning. Items of all lists have the same mark: a number is no
    text, and an item that is put first would change it for those behind it.
    """
    tree = _parse_tree(content, charset)
    for numbered in tree.find_all("ol"):
        numbered.tag = "ul"
    return [line for each in tree.to_text().splitlines() if (line := " ".join(each.split()))]


def read_visible_words(content: bytes, charset: str = "") -> str:
    """The words that an HTML page shows, one space between each two."""
    return " ".join(_parse_tree(content, charset).to_text().split())


def _parse_tree(content: bytes, charset: str) -> Document:
    return parse(sniff_text(content, charset).text[:MAX_TREE_CHARS], positions=False)
