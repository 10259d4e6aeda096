"""Responses that are parts of one whole, joined for reading: a broken off 200 and the 206s that continue it, and when
they fit together, by validators, lengths and no gap between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.formats.http.byte_ranges import parse_content_range
from webkeep.formats.http.field_values import declared_length
from webkeep.formats.http.http1 import ResponseHead, parse_response
from webkeep.formats.status.status_codes import OK, PARTIAL_CONTENT
from webkeep.model import Body, Exchange

_SHARED_FIELDS = ("etag", "last-modified", "content-encoding")


@dataclass(frozen=True, slots=True)
class JoinedPayload:
    """One payload out of several parts; nothing is copied."""

    body: Body
    length: int | None
    """How long the whole is said to be, where that is known."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return self.body.size == self.length


def join_ranges(parts: Sequence[Exchange]) -> JoinedPayload | None:
    """The payload that the parts make up from its first byte on.

    None where they do not fit: a gap between them, other validators or lengths, or a transfer coding in the way.
    Where parts overlap the earlier one counts.
    """
    pieces: list[_Piece] = []
    first: ResponseHead | None = None
    length: int | None = None
    reached = 0
    for part in parts:
        head = parse_response(part.response)
        piece = _read_piece(head, part.body)
        if piece is None or piece.start > reached or (first is not None and not _are_compatible(first, head)):
            return None
        if length is not None and piece.length is not None and piece.length != length:
            return None
        first = first or head
        length = piece.length if length is None else length
        if piece.end > reached:
            pieces.append(_Piece(piece.body, reached, piece.end, piece.length, reached - piece.start))
            reached = piece.end
    return JoinedPayload(_JoinedBody(tuple(pieces), reached), length) if first is not None else None


@dataclass(frozen=True, slots=True)
class _Piece:
    body: Body
    start: int
    end: int
    length: int | None
    skipped: int = 0


def _read_piece(head: ResponseHead, body: Body) -> _Piece | None:
    """Which stretch of the whole a response holds."""
    if head.headers.get("transfer-encoding").strip().lower() not in ("", "identity"):
        return None
    if head.status == OK:
        length = declared_length(head.headers)
        return _Piece(body, 0, body.size if length is None else min(body.size, length), length)
    held = parse_content_range(head.headers.get("content-range")) if head.status == PARTIAL_CONTENT else None
    if held is None or (held.length is not None and held.last >= held.length):
        return None
    return _Piece(body, held.first, held.first + min(body.size, held.last + 1 - held.first), held.length)


def _are_compatible(first: ResponseHead, later: ResponseHead) -> bool:
    """Whether two heads can be of one representation; a 206 need not repeat what the first said."""
    return all(
        first.headers.get(name) == later.headers.get(name)
        for name in _SHARED_FIELDS
        if name in first.headers and name in later.headers
    )


class _JoinedBody:
    __slots__ = ("_pieces", "size")

    def __init__(self, pieces: tuple[_Piece, ...], size: int) -> None:
        self._pieces = pieces
        self.size = size

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        for piece in self._pieces:
            left = piece.end - max(start, piece.start)
            if left <= 0:
                continue
            for chunk in piece.body.chunks(piece.skipped + max(start - piece.start, 0)):
                yield chunk[:left]
                left -= len(chunk)
                if left <= 0:
                    break
