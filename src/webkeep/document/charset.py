"""Charsets: which encoding a document is in, decided as browsers do by its byte order mark, the server's word, its own
declaration (meta, XML) and its bytes; UTF-16 is known by its looks where the server is wrong.

A byte order mark goes first, then what the server declared, then what the document declares, then whether the bytes
can be UTF-8, then which older charset their letters are most like.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from turbohtml import parse
from turbohtml.detect import detect

SNIFFED_BYTES = 256 * 1024
"""How many bytes from the start of a document decide: letters beyond ASCII can come late, and more would cost time
on every page."""

_FALLBACK = "windows-1252"
_PRESCAN_BYTES = 1024
"""Where browsers look for a declaration, by the HTML standard."""
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_META = re.compile(rb"<meta[^>]{0,256}?charset", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml[^>]{0,256}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")


def detect_charset(content: bytes, declared: str = "") -> str:
    """The charset of a document by its WHATWG name in lower case; `declared` is the server's word for it."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    return _charset_from_label(declared) or _charset_in(content[:SNIFFED_BYTES])


def decode_text(content: bytes, declared: str = "") -> str:
    """The text of a document, without a byte order mark; bytes that mean nothing become U+FFFD."""
    text = content.decode(f"whatwg-{detect_charset(content, declared)}", "replace")
    return text.removeprefix("\ufeff")


@lru_cache(256)
def _charset_from_label(label: str) -> str:
    """The charset a label stands for; "" where it stands for none."""
    if not label:
        return ""
    try:
        return _charset_name(parse(b"", encoding=label).encoding)
    except (LookupError, ValueError):
        return ""


def _charset_in(content: bytes) -> str:
    meta = _META.search(content)
    if meta is not None and meta.end() > _PRESCAN_BYTES:
        # A declaration so late counts only if it is a real one, which the parser alone can tell.
        return _charset_name(parse(content, detect_encoding=True, positions=False).encoding)
    return (_charset_from_xml(content) if meta is None else "") or _charset_name(detect(content).encoding)


def _charset_from_xml(content: bytes) -> str:
    match = _XML.match(content)
    name = _charset_from_label(match[1].decode()) if match else ""
    # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
    return "utf-8" if name.startswith("utf-16") else name


def _charset_name(encoding: str | None) -> str:
    return (encoding or _FALLBACK).lower()


# The text of a document whose server may be wrong about its charset.

_UTF16_SNIFFED_BYTES = 1024
"""Within these the markup or code shows by its zeros that it is UTF-16."""
_UTF16_MARKS = ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# UTF-16 without a byte order mark shows by the zero beside every letter of the markup.
_UTF16_LOOKS = (
    ("utf-16le", re.compile(rb"(?:\s\0)*+[<{\[@#/]\0[!-~\s]\0[!-~\s]\0")),
    ("utf-16be", re.compile(rb"(?:\0\s)*+\0[<{\[@#/]\0[!-~\s]\0[!-~\s]")),
)


class DecodedText(NamedTuple):
    """A document's text and the charset it was read in."""

    text: str
    charset: str


def sniff_text(content: bytes, declared: str = "") -> DecodedText:
    """Read a document as text; UTF-16 is known by its looks even where it is declared as something else."""
    charset = sniff_utf16(content) or detect_charset(content, declared)
    return DecodedText(content.decode(f"whatwg-{charset}", "replace").removeprefix("\ufeff"), charset)


def sniff_utf16(content: bytes) -> str:
    """Which UTF-16 markup or code is in, by its mark or its looks; empty where it is in none."""
    for mark, name in _UTF16_MARKS:
        if content.startswith(mark):
            return name
    start = content[:_UTF16_SNIFFED_BYTES]
    if b"\0" not in start:
        return ""
    return next((name for name, pattern in _UTF16_LOOKS if pattern.match(start)), "")
