"""Differences between two texts (deltas), cut before every tag: what of the first is copied and what is new, found in
time that grows with them.

Theory of operation. Both texts are cut into short pieces before every tag. Where two pieces in a row are found in the
first text as well, the longest run from there is copied; everything else is new. Of places that begin alike only a few
are tried, so that a text of ten thousand equal rows costs no more than any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from webkeep.errors import FormatError

TextDelta = list[str | list[int]]
"""Pieces of a text: a text that is new, or from where to where of the other text is copied."""

_PIECE = re.compile(r"<?[^<]{0,199}")
_MAX_TRIED_PLACES = 4
"""Of places that begin alike: a text of ten thousand equal rows costs no more than any other."""
_MIN_COPIED_CHARS = 24
"""To say where a shorter run lies takes as much as to say it again."""


def compute_delta(first: str, second: str) -> TextDelta:
    """How the second text is made out of the first."""
    old, new = _PIECE.findall(first), _PIECE.findall(second)
    starts = _piece_starts(old)
    places = _pair_places(old)
    made: TextDelta = []
    fresh: list[str] = []
    at = 0
    while at < len(new):
        begin, length = _longest_run(old, new, at, places)
        start, end = starts[begin], starts[begin + length]
        if end - start >= _MIN_COPIED_CHARS:
            _add_new_text(made, fresh)
            _add_copy(made, start, end)
        else:
            length = max(length, 1)
            fresh += new[at : at + length]
        at += length
    _add_new_text(made, fresh)
    return made


def apply_delta(first: str, delta: Iterable[object]) -> str:
    """The text that a difference makes of another one; an error where it does not fit to it."""
    return "".join(_expand_pieces(first, delta))


def _expand_pieces(first: str, delta: Iterable[object]) -> Iterator[str]:
    for piece in delta:
        match piece:
            case str():
                yield piece
            case [int() as start, int() as end] if 0 <= start <= end <= len(first):
                yield first[start:end]
            case _:
                raise FormatError(f"a difference of texts cannot hold {str(piece)[:40]!r}; it does not fit to its text")


def _piece_starts(pieces: Iterable[str]) -> list[int]:
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts


def _pair_places(pieces: Sequence[str]) -> dict[tuple[str, str], list[int]]:
    """Where two pieces stand in a row, the first few places of each two."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairwise(pieces)):
        known = places.setdefault(pair, [])
        if len(known) < _MAX_TRIED_PLACES:
            known.append(place)
        else:
            known[-1] = place
    return places


def _longest_run(
    old: Sequence[str], new: Sequence[str], at: int, places: dict[tuple[str, str], list[int]]
) -> tuple[int, int]:
    """The longest run of the old pieces that the new ones go on with, and where it begins."""
    best = (0, 0)
    if at + 1 >= len(new):
        return best
    for place in places.get((new[at], new[at + 1]), ()):
        length = 2
        most = min(len(old) - place, len(new) - at)
        while length < most and old[place + length] == new[at + length]:
            length += 1
        if length > best[1]:
            best = (place, length)
    return best


def _add_copy(made: TextDelta, start: int, end: int) -> None:
    last = made[-1] if made else None
    if isinstance(last, list) and last[1] == start:
        last[1] = end
    else:
        made.append([start, end])


def _add_new_text(made: TextDelta, fresh: list[str]) -> None:
    text = "".join(fresh)
    if text:
        made.append(text)
    fresh.clear()
