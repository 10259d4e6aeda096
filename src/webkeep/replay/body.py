"""Archived bodies on their way out: whole or in part, with their content coding where the client knows it.

Transfer codings are always undone. A large body is never held: it is read while it is sent, and a range of a body that
is stored as it is begins with one seek, however far in it lies.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.formats.codings import decoded, has_codings
from webkeep.formats.http1 import ResponseHead
from webkeep.model import CHUNK, BytesBody, Headers
from webkeep.replay.byte_range import UnsatisfiableError, wanted_range
from webkeep.replay.message import Answer, Fields
from webkeep.store.reading import Holding

_WHOLE_RANGE = re.compile(r"\s*bytes\s+0-([0-9]{1,18})/([0-9]{1,18})\s*", re.IGNORECASE)
_PART = re.compile(r"\s*bytes\s+([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})\s*", re.IGNORECASE)
_LENGTH = re.compile(r"[0-9]{1,18}")
_NO_HEADERS = Headers()
_AT_ONCE = 512 * 1024
_PACKED_AT_ONCE = 48 * 1024
HELD = 256 * 1024
"""What is no longer than this is sent in one piece."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """An archived message ready to be sent: its status as captured, and a body to read."""

    holding: Holding
    head: ResponseHead
    """The head that goes with the body; an empty one for a file, which has none."""

    @classmethod
    def of(cls, holding: Holding) -> Delivery:
        """What is held, as it is sent."""
        return cls(holding, holding.head or ResponseHead())

    @property
    def status(self) -> int:
        """The status to answer with; one that was a part, and is all there is to have, counts as the whole."""
        status = self.head.status or 200
        if status == 206 and self._is_whole_range():
            return 200
        return status if 200 <= status <= 599 else 200

    @property
    def content_type(self) -> str:
        """What the body is said to be."""
        return self.head.headers.get("content-type") or ("" if self.holding.head else self.holding.media_type)

    @property
    def _coded(self) -> Headers:
        return self.holding.head.headers if self.holding.head else _NO_HEADERS

    @property
    def has_codings(self) -> bool:
        """Whether the body is anything but its plain content."""
        return has_codings(self._coded)

    @property
    def is_long(self) -> bool:
        """Whether it may take a while to go through it; what is packed may be much more than it seems."""
        return self.holding.body.size > (_PACKED_AT_ONCE if self.has_codings else _AT_ONCE)

    def is_told_only(self, method: str) -> bool:
        """Whether a request for no body meets one that was captured without: its head has all there is to tell."""
        return method == "HEAD" and not self.holding.body.size

    def content(self, limit: int | None = None) -> Iterator[bytes]:
        """The plain content."""
        return self.holding.content(limit)

    def answer(self, method: str, range_field: str, accepted: str, raw: bool = False) -> Answer:
        """The body as it is sent: `accepted` is the client's Accept-Encoding; raw keeps what it does not accept."""
        if self.is_told_only(method):
            return self._told_answer()
        if self.has_codings:
            return self._coded_answer(accepted, raw)
        return self._plain_answer(method, range_field)

    def _told_answer(self) -> Answer:
        """An answer without a body, which says how long it would be: so did the one that was captured by HEAD."""
        told = self.head.headers.get("content-length")
        size = int(told) if _LENGTH.fullmatch(told) else 0
        return Answer(self.status, [("Accept-Ranges", "bytes")] if self.status == 200 else [], b"", size)

    def _plain_answer(self, method: str, range_field: str) -> Answer:
        body, status = self.holding.body, self.status
        size = self._told_size(body.size)
        fields: Fields = [("Accept-Ranges", "bytes")] if status == 200 else []
        if status == 206:
            return self._part(range_field)
        try:
            part = wanted_range(range_field, size) if range_field and status == 200 and method == "GET" else None
        except UnsatisfiableError:
            return Answer(416, [("Content-Range", f"bytes */{size}")])
        if part is not None:
            fields.append(("Content-Range", part.content_range(size)))
            return _sized(206, fields, self._from(part.first), part.size)
        if isinstance(body, BytesBody):
            return Answer(status, fields, body.data[:size])
        return Answer(status, fields, self._from(0), size)

    def _part(self, range_field: str) -> Answer:
        """A captured part: what is asked for of it, else all of it as it came."""
        size = self.holding.body.size
        match = _PART.fullmatch(self.head.headers.get("content-range"))
        if match is not None and range_field:
            start, whole = int(match[1]), int(match[3])
            try:
                asked = wanted_range(range_field, whole)
            except UnsatisfiableError:
                return Answer(416, [("Content-Range", f"bytes */{whole}")])
            if asked is not None and start <= asked.first < start + size:
                last = min(asked.last, start + size - 1)
                fields = [("Content-Range", f"bytes {asked.first}-{last}/{whole}")]
                return _sized(206, fields, self._from(asked.first - start), last - asked.first + 1)
        told = self.head.headers.get("content-range")
        return _sized(206, [("Content-Range", told)] if told else [], self._from(0), size)

    def _coded_answer(self, accepted: str, raw: bool) -> Answer:
        headers = self._coded
        coding = headers.get("content-encoding").strip().lower()
        passes = bool(coding) and (raw or _accepts(accepted, coding))
        fields: Fields = [("Vary", "Accept-Encoding")] if coding and not raw else []
        if passes:
            fields.append(("Content-Encoding", coding))
            headers = headers.without("content-encoding")
        pieces = decoded(headers, self.holding.raw())
        return _gathered(self.status, fields, pieces)

    def _told_size(self, held: int) -> int:
        """How long the body is: what is beyond the length the server gave was never part of it."""
        told = self.head.headers.get("content-length")
        return min(int(told), held) if _LENGTH.fullmatch(told) and self.status != 206 else held

    def _from(self, start: int) -> Iterator[bytes]:
        return self.holding.body.chunks(start)

    def _is_whole_range(self) -> bool:
        match = _WHOLE_RANGE.fullmatch(self.head.headers.get("content-range"))
        return match is not None and int(match[1]) + 1 == int(match[2]) == self.holding.body.size


def _sized(status: int, fields: Fields, pieces: Iterator[bytes], size: int) -> Answer:
    if size <= CHUNK:
        return Answer(status, fields, b"".join(_limited(pieces, size)))
    return Answer(status, fields, _limited(pieces, size), size)


def _gathered(status: int, fields: Fields, pieces: Iterator[bytes]) -> Answer:
    """In one piece where it is short, else as it comes."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > HELD:
            return Answer(status, fields, itertools.chain(held, pieces))
    return Answer(status, fields, b"".join(held))


def _limited(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _accepts(field: str, coding: str) -> bool:
    """Whether an Accept-Encoding names all of these codings without refusing them."""
    offered = {}
    for part in field.lower().split(","):
        name, _, weight = part.partition(";")
        offered[name.strip()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return all(offered.get(name.strip(), False) for name in coding.split(","))
