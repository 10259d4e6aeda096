"""What a person reads on a page: its text, line by line, without markup, scripts and styles."""

from __future__ import annotations

from turbohtml import parse

from webkeep.document.markup import TREE_LIMIT
from webkeep.document.reading import read_text


def visible_lines(content: bytes, charset: str = "") -> list[str]:
    """The lines of text that an HTML page shows, each trimmed, empty ones left out.

    Of a page that is too long for a tree it is the beginning.
    """
    text = read_text(content, charset).text[:TREE_LIMIT]
    shown = parse(text, positions=False).to_text()
    return [line for each in shown.splitlines() if (line := " ".join(each.split()))]
