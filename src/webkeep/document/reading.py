"""The text of a document whose server may be wrong about its charset."""

from __future__ import annotations

import re
from typing import NamedTuple

from webkeep.document.charset import charset_of

_LOOKED_AT = 1024
_MARKS = ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# UTF-16 without a byte order mark shows by the zero beside every letter of the markup.
_WIDE = (
    ("utf-16le", re.compile(rb"(?:\s\0)*+[<{\[@#/]\0[!-~\s]\0[!-~\s]\0")),
    ("utf-16be", re.compile(rb"(?:\0\s)*+\0[<{\[@#/]\0[!-~\s]\0[!-~\s]")),
)


class Reading(NamedTuple):
    """A document's text and the charset it was read in."""

    text: str
    charset: str


def read_text(content: bytes, declared: str = "") -> Reading:
    """Read a document as text; UTF-16 is known by its looks even where it is declared as something else."""
    charset = wide_charset(content) or charset_of(content, declared)
    return Reading(content.decode(f"whatwg-{charset}", "replace").removeprefix("\ufeff"), charset)


def wide_charset(content: bytes) -> str:
    """Which UTF-16 markup or code is in, by its mark or its looks; empty where it is in none."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    start = content[:_LOOKED_AT]
    if b"\0" not in start:
        return ""
    return next((name for name, pattern in _WIDE if pattern.match(start)), "")
