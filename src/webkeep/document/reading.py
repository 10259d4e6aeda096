"""The text of a document whose server may be wrong about its charset."""

from __future__ import annotations

import re
from typing import NamedTuple

from webkeep.document.charset import charset_of

_LOOKED_AT = 1024
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
    charset = _wide_charset(content) or charset_of(content, declared)
    return Reading(content.decode(f"whatwg-{charset}", "replace").removeprefix("\ufeff"), charset)


def _wide_charset(content: bytes) -> str:
    start = content[:_LOOKED_AT]
    if b"\0" not in start:
        return ""
    return next((name for name, pattern in _WIDE if pattern.match(start)), "")
