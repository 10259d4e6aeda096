"""What kind of text something is (JSON, XML, form, GraphQL, lines), by its media type and by what is in it, be it a
packet of Socket.IO or guarded JSON; the one place where this is decided.
"""

from __future__ import annotations

import re
from enum import Enum, auto

BLANK_CHARS = "\ufeff \t\r\n\x1e"

_GUARD = re.compile(
    r"[\ufeff\s]*+(?:\)\]\}'?,?|while\s*+\(\s*+1\s*+\)\s*+;|for\s*+\(\s*+;\s*+;\s*+\)\s*+;)(?=\s*+[\[{\"])"
)
_PACKET = re.compile(
    r"[\[{]|(?:[0-9]{1,9}:)?[0-9a-z]?[0-9]{0,3}-?(?:/[^,\s\"]{0,200},)?[0-9]{0,9}[\[{]\s*+(?:[\"\[{]|-?[0-9.]++\s*+,)"
)
"""How JSON begins, and packets of Socket.IO, Engine.IO and SockJS: numbers, a name, and JSON."""
_PACKET_STARTS = frozenset("{[/-0123456789abcdefghijklmnopqrstuvwxyz")
_BRACKETED = re.compile(r"\[[\w][^\]\"'{:,\n]*+\][ \t]*+\r?\n|(?:[\[{][\w.-]*+[\]}])++=")
"""The name of a section, or one in brackets before its value."""
_TAG = re.compile(r"<\s*+(?:[^\W\d]|[!?])")
_QUERY = re.compile(
    r"(?:query|mutation|subscription)\b(?:\s++\w++)?+\s*+[({@]|fragment\s++\w++\s++on\b"
    r"|(?:input|type|enum|interface|extend|schema)\b[^{(\n:=\"]{0,200}\{|\{\s*+(?:\w++\s*+:\s*+)?+\w++\s*+[({]"
)


class TextKind(Enum):
    """How a text is read."""

    JSON = auto()
    """One value or many, with whatever stands between them."""
    XML = auto()
    FORM = auto()
    GRAPHQL = auto()
    LINES = auto()
    """Lines, of which each may name a value."""
    OTHER = auto()


def json_guard_length(text: str) -> int:
    """How much stands before JSON so that no other page can run it."""
    guard = _GUARD.match(text)
    return guard.end() if guard is not None else 0


def detect_text_kind(text: str, media_type: str = "") -> TextKind:
    """What kind of text it is; OTHER where neither says anything."""
    begin = len(text) - len(text.lstrip(BLANK_CHARS)) if text[:1] in BLANK_CHARS else 0
    if text[begin : begin + 1] in ")wf":
        begin = max(begin, json_guard_length(text))
        begin += len(text) - begin - len(text[begin:].lstrip(BLANK_CHARS))
    first = text[begin : begin + 1]
    if media_type.endswith("graphql") and not text.startswith('{"', begin):
        return TextKind.GRAPHQL
    if first in "{qmsfite" and _QUERY.match(text, begin) and text[-40:].rstrip(BLANK_CHARS).endswith("}"):
        return TextKind.GRAPHQL
    if first in _PACKET_STARTS and _PACKET.match(text, begin) and not _BRACKETED.match(text, begin):
        return TextKind.JSON
    if (first == "<" and _TAG.match(text, begin)) or (media_type.endswith("xml") and "<" in text):
        return TextKind.XML
    return _kind_by_type(first, media_type)


def _kind_by_type(first: str, media_type: str) -> TextKind:
    if media_type.endswith("x-www-form-urlencoded"):
        return TextKind.FORM
    if first == '"' and media_type.endswith("json"):
        return TextKind.JSON
    return TextKind.LINES if first == "[" or media_type.endswith(("yaml", "warc-fields")) else TextKind.OTHER
