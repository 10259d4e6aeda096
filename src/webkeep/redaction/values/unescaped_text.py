"""Texts with one layer of escapes undone (URL, JSON, HTML), of which each letter still knows where it came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from webkeep.redaction.values.escapes import decode_bytes, decode_references

_ESCAPE = re.compile(
    r"((?:%[89A-Fa-f][0-9A-Fa-f])++)|%([0-7][0-9A-Fa-f])|%u([0-9A-Fa-f]{4})"
    r"|\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^\w\s]|[bfnrt]))|&#?\w{1,10};"
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class UnescapedText:
    """A text with one layer of escapes undone."""

    text: str
    _starts: list[int]
    """Where escapes, and what stands behind each, begin in the text."""
    _sources: list[tuple[int, int]]
    """Where each begins and ends in the text that it came from; of what stands behind, -1 and where it begins."""

    def source_span(self, begin: int, end: int) -> tuple[int, int]:
        """Where something came from; an escape of which it is a part belongs to it."""
        return self._source(begin)[0], self._source(end - 1)[1]

    def _source(self, at: int) -> tuple[int, int]:
        place = bisect_right(self._starts, at) - 1
        if place < 0:
            return at, at + 1
        begin, end = self._sources[place]
        if begin >= 0:
            return begin, end
        moved = end + at - self._starts[place]
        return moved, moved + 1


def unescape_layer(text: str) -> UnescapedText | None:
    """A text with one layer of escapes undone, be they of URLs, JSON or HTML; None where it has none."""
    out: list[str] = []
    starts: list[int] = []
    sources: list[tuple[int, int]] = []
    at = length = 0
    for match in _ESCAPE.finditer(text):
        meant = _escape_value(match)
        if meant == match[0]:
            continue
        length += match.start() - at
        starts += (length, length + len(meant))
        sources += (match.span(), (-1, match.end()))
        out += (text[at : match.start()], meant)
        at, length = match.end(), length + len(meant)
    if not out:
        return None
    out.append(text[at:])
    return UnescapedText("".join(out), starts, sources)


def _escape_value(match: re.Match[str]) -> str:
    if match[1]:
        return decode_bytes(bytes.fromhex(match[1].replace("%", "")))
    if (code := match[2] or match[3] or match[4] or match[5]) is not None:
        return chr(int(code, 16))
    return _CONTROLS.get(match[6], match[6]) if match[6] else decode_references(match[0])
