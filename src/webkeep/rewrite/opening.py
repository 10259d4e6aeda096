"""The opening of a page: where its head begins."""

from __future__ import annotations

import re

_REST = r"""(?:\s(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+|/)?+>"""
_BETWEEN = r"(?:\s++|<!--(?:-?>|(?:[^-]++|-(?!->))*+-->)|<\?[^>]*+>)*+"
_DOCTYPE = re.compile(rf"{_BETWEEN}(?:<!doctype[^>]*+>)?+", re.IGNORECASE)
_TAGS = [re.compile(rf"{_BETWEEN}(<{name}{_REST})", re.IGNORECASE) for name in ("html", "head")]


def head_place(text: str) -> int:
    """Where something has to stand to be the first thing in a page's head, behind its document type."""
    opening = _DOCTYPE.match(text)
    # Comments alone are no reason to go behind them.
    place = opening.end() if opening and "<!d" in opening[0].lower() else 0
    for pattern in _TAGS:
        if (match := pattern.match(text, place)) is not None:
            place = match.end()
    return place
