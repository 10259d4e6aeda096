"""Splicing: new text put into stretches of an old one, all else as it was; which of overlapping edits counts, and the
way back from lines that were made to end alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

_CRLF = re.compile(r"\r\n")
_EDIT_ORDER = itemgetter(0, 1)


class TextEdit(NamedTuple):
    """New text for a stretch; an empty stretch is a place to insert at."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """The text with its edits made; of those that overlap the first one counts."""
    pieces: list[str] = []
    at = 0
    # An insertion goes before what is replaced at the same place.
    for start, end, new in sorted(edits, key=_EDIT_ORDER):
        if start < at or end < start:
            continue
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def shift_edits(edits: Iterable[TextEdit], by: int) -> list[TextEdit]:
    """The edits of a stretch as edits of the text it begins in at a place."""
    return [TextEdit(start + by, end + by, new) for start, end, new in edits]


class NormalisedLines:
    """A text whose lines all end alike, as parsers count them, and the way back to the text as it was."""

    __slots__ = ("_pairs", "text")

    def __init__(self, text: str) -> None:
        self._pairs: list[int] = []
        self.text = text
        if "\r" in text:
            self._pairs = [match.start() - count for count, match in enumerate(_CRLF.finditer(text))]
            self.text = text.replace("\r\n", "\n").replace("\r", "\n")

    def original_edits(self, edits: Iterable[TextEdit]) -> Iterable[TextEdit]:
        """Edits of these lines as edits of the text as it was."""
        pairs = self._pairs
        if not pairs:
            return edits
        return [
            TextEdit(start + bisect_left(pairs, start), end + bisect_left(pairs, end), new) for start, end, new in edits
        ]
