"""Archived bodies on their way out: with which status, whole or in part (Range), with their content coding where the
client accepts it; and which are short enough to be sent in one piece.

Transfer codings are always undone. A large body is never held: it is read while it is sent, and a range of a body that
is stored as it is begins with one seek, however far in it lies.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.formats.codings import decode_body, has_codings
from webkeep.formats.http import (
    ByteRange,
    ResponseHead,
    UnsatisfiableRangeError,
    declared_length,
    format_unsatisfied_range,
    parse_content_range,
    parse_range,
)
from webkeep.formats.status import OK, PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE
from webkeep.model import CHUNK_BYTES, BytesBody, Headers
from webkeep.replay.server.message import Fields, Response, take_pieces
from webkeep.store.reading import StoredResponse

_NO_HEADERS = Headers()
_MAX_STATUS = 599
"""Beyond it browsers take an answer for broken."""
_MAX_INLINE_BYTES = 512 * 1024
"""A body up to this size is sent without a thread of its own."""
_MAX_INLINE_CODED_BYTES = 48 * 1024
"""The same of a compressed body, which may be much more than it seems."""
MAX_BUFFERED_BYTES = 256 * 1024
"""What is no longer than this is sent in one piece, which most pages and pictures are; a thread is not worth it."""


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """An archived message ready to be sent: its status as captured, and a body to read."""

    stored: StoredResponse
    head: ResponseHead
    """The head that goes with the body; an empty one for a file, which has none."""

    @classmethod
    def from_stored(cls, stored: StoredResponse) -> ArchivedMessage:
        """What is held, as it is sent."""
        return cls(stored, stored.head or ResponseHead())

    @property
    def status(self) -> int:
        """The status to answer with; one that was a part, and is all there is to have, counts as the whole."""
        status = self.head.status or OK
        if status == PARTIAL_CONTENT and self._is_whole_range():
            return OK
        return status if OK <= status <= _MAX_STATUS else OK

    @property
    def content_type(self) -> str:
        """What the body is said to be."""
        return self.head.headers.get("content-type") or ("" if self.stored.head else self.stored.media_type)

    @property
    def _coding_headers(self) -> Headers:
        return self.stored.head.headers if self.stored.head else _NO_HEADERS

    @property
    def has_codings(self) -> bool:
        """Whether the body is anything but its plain content."""
        return has_codings(self._coding_headers)

    @property
    def is_long(self) -> bool:
        """Whether it may take a while to go through it; what is packed may be much more than it seems."""
        return self.stored.body.size > (_MAX_INLINE_CODED_BYTES if self.has_codings else _MAX_INLINE_BYTES)

    def is_head_only(self, method: str) -> bool:
        """Whether a request for no body meets one that was captured without: its head has all there is to tell."""
        return method == "HEAD" and not self.stored.body.size

    def content(self, limit: int | None = None) -> Iterator[bytes]:
        """The plain content."""
        return self.stored.content(limit)

    def build_response(self, method: str, range_field: str, accepted: str, raw: bool = False) -> Response:
        """The body as it is sent: `accepted` is the client's Accept-Encoding; raw keeps what it does not accept."""
        if self.is_head_only(method):
            return self._head_only_response()
        if self.has_codings:
            return self._build_coded_response(accepted, raw)
        return self._identity_response(method, range_field)

    def _head_only_response(self) -> Response:
        """An answer without a body, which says how long it would be: so did the one that was captured by HEAD."""
        size = declared_length(self.head.headers) or 0
        return Response(self.status, [("Accept-Ranges", "bytes")] if self.status == OK else [], b"", size)

    def _identity_response(self, method: str, range_field: str) -> Response:
        body, status = self.stored.body, self.status
        size = self._announced_size(body.size)
        fields: Fields = [("Accept-Ranges", "bytes")] if status == OK else []
        if status == PARTIAL_CONTENT:
            return self._partial_response(range_field)
        try:
            part = parse_range(range_field, size) if range_field and status == OK and method == "GET" else None
        except UnsatisfiableRangeError:
            return Response(RANGE_NOT_SATISFIABLE, [("Content-Range", format_unsatisfied_range(size))])
        if part is not None:
            fields.append(("Content-Range", part.content_range(size)))
            return _build_sized_response(PARTIAL_CONTENT, fields, self._chunks_from(part.first), part.size)
        if isinstance(body, BytesBody):
            return Response(status, fields, body.data[:size])
        return Response(status, fields, self._chunks_from(0), size)

    def _partial_response(self, range_field: str) -> Response:
        """A captured part: what is asked for of it, else all of it as it came."""
        size = self.stored.body.size
        held = parse_content_range(self.head.headers.get("content-range"))
        if held is not None and held.length is not None and range_field:
            start, whole = held.first, held.length
            try:
                asked = parse_range(range_field, whole)
            except UnsatisfiableRangeError:
                return Response(RANGE_NOT_SATISFIABLE, [("Content-Range", format_unsatisfied_range(whole))])
            if asked is not None and start <= asked.first < start + size:
                part = ByteRange(asked.first, min(asked.last, start + size - 1))
                fields = [("Content-Range", part.content_range(whole))]
                return _build_sized_response(PARTIAL_CONTENT, fields, self._chunks_from(part.first - start), part.size)
        told = self.head.headers.get("content-range")
        return _build_sized_response(
            PARTIAL_CONTENT, [("Content-Range", told)] if told else [], self._chunks_from(0), size
        )

    def _build_coded_response(self, accepted: str, raw: bool) -> Response:
        headers = self._coding_headers
        coding = headers.get("content-encoding").strip().lower()
        passes = bool(coding) and (raw or _accepts_codings(accepted, coding))
        fields: Fields = [("Vary", "Accept-Encoding")] if coding and not raw else []
        if passes:
            fields.append(("Content-Encoding", coding))
            headers = headers.without("content-encoding")
        pieces = decode_body(headers, self.stored.raw())
        return _build_response(self.status, fields, pieces)

    def _announced_size(self, held: int) -> int:
        """How long the body is: what is beyond the length the server gave was never part of it."""
        told = declared_length(self.head.headers)
        return min(told, held) if told is not None and self.status != PARTIAL_CONTENT else held

    def _chunks_from(self, start: int) -> Iterator[bytes]:
        return self.stored.body.chunks(start)

    def _is_whole_range(self) -> bool:
        held = parse_content_range(self.head.headers.get("content-range"))
        return held is not None and held.is_whole and held.length == self.stored.body.size


def _build_sized_response(status: int, fields: Fields, pieces: Iterator[bytes], size: int) -> Response:
    if size <= CHUNK_BYTES:
        return Response(status, fields, b"".join(_limit_bytes(pieces, size)))
    return Response(status, fields, _limit_bytes(pieces, size), size)


def _build_response(status: int, fields: Fields, pieces: Iterator[bytes]) -> Response:
    """In one piece where it is short, else as it comes."""
    held, is_all = take_pieces(pieces, MAX_BUFFERED_BYTES)
    return Response(status, fields, b"".join(held) if is_all else itertools.chain(held, pieces))


def _limit_bytes(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _accepts_codings(field: str, coding: str) -> bool:
    """Whether an Accept-Encoding names all of these codings without refusing them."""
    offered = {}
    for part in field.lower().split(","):
        name, _, weight = part.partition(";")
        offered[name.strip()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return all(offered.get(name.strip(), False) for name in coding.split(","))
