"""What a person reads on a page: its text, line by line, without markup, scripts and styles."""

from __future__ import annotations

from turbohtml import Document, parse

from webkeep.document.markup import TREE_LIMIT
from webkeep.document.reading import read_text


def visible_lines(content: bytes, charset: str = "") -> list[str]:
    """The lines of text that an HTML page shows, each trimmed, empty ones left out.

    Of a page that is too long for a tree it is the beginning. Items of all lists have the same mark: a number is no
    text, and an item that is put first would change it for those behind it.
    """
    tree = _tree(content, charset)
    for numbered in tree.find_all("ol"):
        numbered.tag = "ul"
    return [line for each in tree.to_text().splitlines() if (line := " ".join(each.split()))]


def visible_words(content: bytes, charset: str = "") -> str:
    """The words that an HTML page shows, one space between each two."""
    return " ".join(_tree(content, charset).to_text().split())


def _tree(content: bytes, charset: str) -> Document:
    return parse(read_text(content, charset).text[:TREE_LIMIT], positions=False)
