"""Charsets on a disk, where no server declares them: when a page is given a meta charset, and when style sheets and
scripts become UTF-8 with a byte order mark.
"""

from __future__ import annotations

import re

from webkeep.document import decode_text, detect_charset
from webkeep.extract import DocumentKind

_META_SCAN_BYTES = 1024
"""Where browsers look for a declaration before they begin to parse (HTML standard)."""
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_META = re.compile(rb"<meta[^>]{0,256}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9._:-]{1,40}")
_EXTERNAL_KINDS = frozenset({DocumentKind.CSS, DocumentKind.SCRIPT})


def charset_meta(content: bytes, declared: str) -> str:
    """What a page has to say in its head where its server said it before; empty where the page says it itself."""
    if not declared or content.startswith(_BYTE_ORDER_MARKS) or not _NAME.fullmatch(declared):
        return ""
    said = _META.search(content, 0, _META_SCAN_BYTES)
    if said is not None and said[1].decode("ascii").lower() == declared:
        return ""
    return "" if content.isascii() else f'<meta charset="{declared}">'


def to_marked_utf8(content: bytes, kind: DocumentKind, declared: str) -> bytes:
    """A style sheet or script in a charset that was declared for it, in UTF-8 and with a mark that says so."""
    if kind not in _EXTERNAL_KINDS or not declared or content.startswith(_BYTE_ORDER_MARKS) or content.isascii():
        return content
    if detect_charset(content, declared) != "utf-8":
        content = decode_text(content, declared).encode("utf-8")
    return _BYTE_ORDER_MARKS[0] + content
