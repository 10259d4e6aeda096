"""What a person reads on a page: its text, line by line, without markup, scripts and styles."""

from __future__ import annotations

from turbohtml import parse

from webkeep.document.markup import TREE_LIMIT
from webkeep.document.reading import read_text


def visible_lines(content: bytes, charset: str = "") -> list[str]:
    """The lines of text that an HTML page shows, each trimmed, empty ones left out.

    Of a page that is too long for a tree it is the beginning.
    """
    return [line for each in _shown(content, charset).splitlines() if (line := " ".join(each.split()))]


def visible_words(content: bytes, charset: str = "") -> str:
    """The words that an HTML page shows, one space between each two."""
    return " ".join(_shown(content, charset).split())


def _shown(content: bytes, charset: str) -> str:
    text = read_text(content, charset).text[:TREE_LIMIT]
    return parse(text, positions=False).to_text()
