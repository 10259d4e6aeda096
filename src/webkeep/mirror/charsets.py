"""Charsets on a disk: nobody declares them there, so the document itself has to."""

from __future__ import annotations

import re

from webkeep.document import charset_of, text_of
from webkeep.extract import Kind

_PRESCANNED = 1024
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_META = re.compile(rb"<meta[^>]{0,256}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9._:-]{1,40}")
_BESIDE = frozenset({Kind.CSS, Kind.SCRIPT})


def declaration(content: bytes, declared: str) -> str:
    """What a page has to say in its head where its server said it before; empty where the page says it itself."""
    if not declared or content.startswith(_MARKS) or not _NAME.fullmatch(declared):
        return ""
    said = _META.search(content, 0, _PRESCANNED)
    if said is not None and said[1].decode("ascii").lower() == declared:
        return ""
    return "" if content.isascii() else f'<meta charset="{declared}">'


def marked(content: bytes, kind: Kind, declared: str) -> bytes:
    """A style sheet or script in a charset that was declared for it, in UTF-8 and with a mark that says so."""
    if kind not in _BESIDE or not declared or content.startswith(_MARKS) or content.isascii():
        return content
    if charset_of(content, declared) != "utf-8":
        content = text_of(content, declared).encode("utf-8")
    return _MARKS[0] + content
