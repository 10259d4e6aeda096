"""Text for HTML pages: escaped, and with every character shown that could hide or turn around what is read."""

from __future__ import annotations

import html


def shown(text: str) -> str:
    """Text that anybody may have written, safe to stand in an HTML page and to be read."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return html.escape(text)


def row(*cells: str, tag: str = "td") -> str:
    """A row of a table, of cells that are HTML already."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"
