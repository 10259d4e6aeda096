"""Charsets: which one a document is in, decided as browsers do, and its text.

A byte order mark goes first, then what the server declared, then what the document declares, then whether the bytes
can be UTF-8, then which older charset their letters are most like.
"""

from __future__ import annotations

import re
from functools import lru_cache

from turbohtml import parse
from turbohtml.detect import detect

LOOKED_AT = 256 * 1024
"""How many bytes from the start of a document decide."""

_FALLBACK = "windows-1252"
_PRESCANNED = 1024
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_META = re.compile(rb"<meta[^>]{0,256}?charset", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml[^>]{0,256}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")


def charset_of(content: bytes, declared: str = "") -> str:
    """The charset of a document by its WHATWG name in lower case; `declared` is the server's word for it."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    return _known(declared) or _found(content[:LOOKED_AT])


def text_of(content: bytes, declared: str = "") -> str:
    """The text of a document, without a byte order mark; bytes that mean nothing become U+FFFD."""
    text = content.decode(f"whatwg-{charset_of(content, declared)}", "replace")
    return text.removeprefix("\ufeff")


@lru_cache(256)
def _known(label: str) -> str:
    """The charset a label stands for; "" where it stands for none."""
    if not label:
        return ""
    try:
        return _name(parse(b"", encoding=label).encoding)
    except (LookupError, ValueError):
        return ""


def _found(content: bytes) -> str:
    meta = _META.search(content)
    if meta is not None and meta.end() > _PRESCANNED:
        # A declaration so late counts only if it is a real one, which the parser alone can tell.
        return _name(parse(content, detect_encoding=True, positions=False).encoding)
    return (_named_by_xml(content) if meta is None else "") or _name(detect(content).encoding)


def _named_by_xml(content: bytes) -> str:
    match = _XML.match(content)
    name = _known(match[1].decode()) if match else ""
    # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
    return "utf-8" if name.startswith("utf-16") else name


def _name(encoding: str | None) -> str:
    return (encoding or _FALLBACK).lower()
