"""A response read with patience, for what libcurl refuses, such as one without a status line or with broken chunks:
whatever comes is kept, its end found if it can be.
"""

from __future__ import annotations

import enum
import re

from webkeep.fetch.client.chunk_scanner import ChunkScanner
from webkeep.fetch.request import FetchFailure
from webkeep.formats.http import MAX_HTTP_HEAD_BYTES, ResponseHead, is_response, parse_length, parse_response
from webkeep.formats.status import BODILESS_STATUSES, is_interim

_EMPTY_LINE = re.compile(rb"\n\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_MIN_BYTES_TO_TELL = 16
"""From so many bytes it can be told whether an answer begins with a head."""


class _BodyEnd(enum.Enum):
    """What tells where a body ends."""

    LENGTH = enum.auto()
    CHUNKS = enum.auto()
    CLOSE = enum.auto()


class LenientResponse:
    """Takes bytes as they come, and tells head from body and when both are whole."""

    def __init__(self, has_body: bool = True) -> None:
        self._has_body = has_body
        self._held = bytearray()
        self._searched = 0
        self._interim = 0
        """How many bytes of interim answers came."""
        self._chunks = ChunkScanner()
        self._left = 0
        self._end = _BodyEnd.CLOSE
        self.head = b""
        """Empty until it is whole, and where the answer has none."""
        self.is_in_body = False
        self.is_done = False
        self.is_flood = False
        """Whether the head was given up on for its length."""

    def feed(self, data: bytes) -> bytes:
        """Take more; gives what of it belongs to the body, be it beyond the body's end."""
        if self.is_in_body:
            self._follow_body(data)
            return data
        self._held += data
        return self._read_head() if len(self._held) >= _MIN_BYTES_TO_TELL else b""

    def close(self) -> bytes:
        """Nothing more will come; gives the body of an answer too short to be told from a head before."""
        body, before = b"", -1
        while not self.is_in_body and len(self._held) != before:
            before = len(self._held)
            body = self._read_head()
        if not self.is_in_body:
            self.head = bytes(self._held)
        return body

    @property
    def failure(self) -> tuple[FetchFailure | None, str]:
        """What is wrong with an answer that was closed at this point."""
        if self.is_flood:
            return FetchFailure.TOO_LARGE, f"more than {MAX_HTTP_HEAD_BYTES} bytes of head"
        if not self.is_in_body:
            return FetchFailure.DISCONNECTED, "the connection was closed within the head"
        if not self.head:
            return FetchFailure.PROTOCOL, "the response has no status line"
        if self._end is not _BodyEnd.CLOSE and not self.is_done:
            return FetchFailure.DISCONNECTED, "the connection was closed within the body"
        return None, ""

    def _read_head(self) -> bytes:
        while (body := self._read_one_head()) is None:
            if len(self._held) < _MIN_BYTES_TO_TELL:
                return b""
        return body

    def _read_one_head(self) -> bytes | None:
        """What belongs to the body, once the head is there; None after an interim answer, which another one follows."""
        held = self._held
        if not is_response(bytes(held[:_MIN_BYTES_TO_TELL])):
            return self._begin_body(0)
        before = _LINE_ENDS.match(held)
        # An empty line may begin in what was searched before, but there is no need to search all of that again.
        found = _EMPTY_LINE.search(held, max(before.end() if before else 0, self._searched - 2))
        self._searched = len(held)
        if found is None or found.end() > MAX_HTTP_HEAD_BYTES:
            self.is_flood = len(held) > MAX_HTTP_HEAD_BYTES
            return self._begin_body(MAX_HTTP_HEAD_BYTES) if self.is_flood else b""
        head = parse_response(bytes(held[: found.end()]))
        if is_interim(head.status):
            self._interim += found.end()
            self.is_flood = self._interim > MAX_HTTP_HEAD_BYTES
            del held[: found.end()]
            self._searched = 0
            return self._begin_body(0) if self.is_flood else None
        self._read_framing(head)
        return self._begin_body(found.end())

    def _begin_body(self, start: int) -> bytes:
        self.head, self.is_in_body = bytes(self._held[:start]), True
        rest, self._held = bytes(self._held[start:]), bytearray()
        if self.is_flood:
            self.is_done = True
            return b""
        self._follow_body(rest)
        return rest

    def _read_framing(self, head: ResponseHead) -> None:
        lengths = {value.strip() for value in head.headers.all("content-length")}
        length = lengths.pop() if len(lengths) == 1 else ""
        if not self._has_body or head.status in BODILESS_STATUSES:
            self._end, self._left = _BodyEnd.LENGTH, 0
        elif "chunked" in head.headers.get("transfer-encoding").lower():
            self._end = _BodyEnd.CHUNKS
        elif (size := parse_length(length)) is not None:
            self._end, self._left = _BodyEnd.LENGTH, size

    def _follow_body(self, data: bytes) -> None:
        if self._end is _BodyEnd.LENGTH:
            self._left -= len(data)
            self.is_done = self._left <= 0
        elif self._end is _BodyEnd.CHUNKS:
            self.is_done = self._chunks.feed(data)
            if self._chunks.is_broken:
                self._end = _BodyEnd.CLOSE
