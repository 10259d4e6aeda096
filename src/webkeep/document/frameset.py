"""Pages that are made of frames and have no body of their own."""

from __future__ import annotations

from turbohtml import parse

from webkeep.document.charset import charset_of

_LOOKED_AT = 256 * 1024


def is_frameset(content: bytes, charset: str = "") -> bool:
    """Whether a browser takes an HTML page for a set of frames; `charset` is what the server declared."""
    start = content[:_LOOKED_AT]
    if b"frameset" not in start.lower() and b"\0" not in start:  # spares nearly every page the parser
        return False
    root = parse(start, encoding=charset_of(start, charset), positions=False).find("html")
    return root is not None and any(getattr(child, "tag", "") == "frameset" for child in root.children)
