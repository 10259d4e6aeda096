"""Escapes (percent, %u, HTML entities) undone, so that names and values are judged by what they say and not by how it
is spelled; how often a name may have been escaped.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

_WIDE_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
_MAX_ROUNDS = 3
"""How often a name may have been escaped: programs do it twice at most."""
_SAFE = "!'()*~"


def decode_percent(text: str, plus: bool = False) -> str:
    """A text without its percent escapes, which are bytes of UTF-8 or else of Latin-1; `%u0077` is known too."""
    if plus and "+" in text:
        text = text.replace("+", " ")
    if "%u" in text:
        text = _WIDE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if "%" not in text and text.isascii():
        return text
    return decode_bytes(unquote_to_bytes(_text_bytes(text)))


def decode_name(text: str) -> str:
    """A name without escapes, however often it was escaped, be it by percent signs or as a character of HTML."""
    for _ in range(_MAX_ROUNDS):
        decoded = decode_percent(text, plus=True)
        if decoded == text:
            break
        text = decoded
    return decode_references(text)


def decode_references(text: str) -> str:
    """A text without the character references of HTML."""
    if "&" not in text:
        return text
    from turbohtml import unescape  # a whole parser, for which the first request of a capture would wait

    return unescape(text)


def encode_percent(text: str) -> str:
    """A text as the value of a parameter."""
    return quote(text, safe=_SAFE)


def decode_bytes(data: bytes) -> str:
    """Bytes of UTF-8, or else of Latin-1, as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _text_bytes(text: str) -> bytes:
    """The bytes of a text whose letters may be bytes."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
