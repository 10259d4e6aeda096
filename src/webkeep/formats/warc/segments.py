"""Segments: the separately compressed stretches of an archive file (gzip members, or plain bytes), with their exact
places in it, and whether one is corrupt or merely cut off.

Theory of operation. A WARC file is a row of gzip members or zstd frames, one for each record, or it is not
compressed at all. A reader needs three things of that layer and no more: the decompressed bytes of the stretch at
hand, the raw offset where it begins and where it ends, and, when the stretch is corrupt, the offset of the next one
that looks whole. Raw bytes are taken in small feeds so that what follows a member is not copied over and over.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

from isal import igzip_lib, isal_zlib

GZIP_MAGIC = b"\x1f\x8b\x08"

GLIMPSE_BYTES = 4096
"""How much of what follows a likely start is looked at."""

_FEED_BYTES = 16 * 1024
"""Raw bytes at a time for small members: what follows one is not copied over and over."""
_BUFFER_BYTES = 192 * 1024  # a larger one would not stay in the caches of the processor
_LARGE_FEED_BYTES = 128 * 1024
"""The same for a member that has turned out to be long."""
_PIECE_BYTES = 256 * 1024
"""Decompressed bytes at a time, whatever a member unpacks to."""
_SEARCH_BYTES = 1 << 20
"""Read at a time in the search for a start behind damage."""
_GZIP_HEADER_BYTES, _GZIP_TRAILER_BYTES = 10, 8
"""Without optional fields; and checksum and length behind the data (RFC 1952)."""
_STORED_BLOCK_HEADER = struct.Struct("<BHH")
IsalError = cast("type[Exception]", igzip_lib.IsalError)  # its type stubs do not say that it is an exception


class CorruptSegmentError(Exception):
    """The stretch at hand cannot be decompressed; readers turn this into a finding."""


class TruncatedSegmentError(CorruptSegmentError):
    """The file ends before the stretch at hand does; what was decompressed of it is right."""


class Segment(Protocol):
    """One stretch: pieces of decompressed bytes, and the raw offsets it spans."""

    start: int
    end: int
    done: bool
    """Whether the last piece was handed out; `end` is right from then on."""

    def next_piece(self) -> bytes:
        """The next decompressed bytes, b"" at the end of the stretch."""
        ...


class RawInput:
    """A seekable stream read through a buffer that keeps what was looked at and what was given back."""

    def __init__(self, stream: BinaryIO, position: int = 0) -> None:
        self._stream = cast("io.BufferedIOBase", stream)  # files and all that is like them can fill a buffer
        self._buffer = memoryview(b"")
        self._at = self._end = 0
        self.position = position
        stream.seek(position)

    def feed(self, size: int) -> bytes:
        """The next raw bytes, at most so many."""
        if self._at == self._end:
            self._fill_buffer(1)
        data = bytes(self._buffer[self._at : min(self._at + size, self._end)])
        self.advance(len(data))
        return data

    def take(self, size: int) -> bytes:
        """The next raw bytes, exactly so many, fewer only at the end."""
        taken = self.peek(size)
        self.advance(len(taken))
        return taken

    def advance(self, count: int) -> None:
        """Take bytes that were peeked at."""
        self._at += count
        self.position += count

    def push_back(self, data: bytes) -> None:
        """Give back the end of the last feed."""
        self.advance(-len(data))

    def peek(self, size: int) -> bytes:
        """Look at the next bytes without taking them."""
        return bytes(self.peek_buffer(size)[:size])

    def peek_buffer(self, least: int) -> memoryview:
        """Look at all that is in the buffer, at least so many bytes where there are; good until the next call."""
        if self._end - self._at < least:
            self._fill_buffer(least)
        return self._buffer[self._at : self._end]

    def _fill_buffer(self, least: int) -> None:
        """Move what is left in the buffer to its front, and fill up the rest."""
        left = self._end - self._at
        buffer = self._buffer if least <= len(self._buffer) else memoryview(bytearray(max(least, _BUFFER_BYTES)))
        buffer[:left] = self._buffer[self._at : self._end]
        self._buffer, self._at, self._end = buffer, 0, left
        while self._end < least and (count := self._stream.readinto(buffer[self._end :])):
            self._end += count

    def seek(self, position: int) -> None:
        """Go to a raw offset."""
        self._stream.seek(position)
        self._at = self._end = 0
        self.position = position

    def skip(self, count: int) -> int:
        """Pass over bytes without reading them; says how many there were."""
        before = self.position
        count = min(count, max(self.seek_end() - before, 0))  # what a head says may be more than any file could have
        self.seek(before + count)
        return count

    def seek_end(self) -> int:
        """Where the file ends; a `seek` has to follow."""
        return self._stream.seek(0, io.SEEK_END)

    def ends_with(self, data: bytes, end: int) -> bool:
        """Whether these bytes stand right before an offset; a `seek` has to follow."""
        self._stream.seek(max(end - len(data), 0))
        return self._stream.read(len(data)) == data

    def skip_line_ends(self) -> None:
        """Pass over line ends between segments."""
        while data := self.feed(_FEED_BYTES):
            rest = data.lstrip(b"\r\n")
            if rest:
                self.push_back(rest)
                return

    def search(self, pattern: re.Pattern[bytes], start: int) -> Iterator[tuple[int, bytes]]:
        """Every offset at or after `start` where a pattern matches, and a glimpse of what stands there."""
        base, window, ended = start, b"", False
        while not ended:
            self._stream.seek(base + len(window))
            chunk = self._stream.read(_SEARCH_BYTES)
            ended = not chunk
            window += chunk
            # What begins too near the end to be glimpsed at is left for the next round.
            horizon = len(window) if ended else max(len(window) - GLIMPSE_BYTES, 0)
            for match in pattern.finditer(window):
                at = match.start()
                if at >= horizon:
                    break
                yield base + at, window[at : at + GLIMPSE_BYTES]
            window = window[horizon:]
            base += horizon


class GzipSegment:
    """One gzip member."""

    def __init__(self, raw: RawInput) -> None:
        self._raw = raw
        self._inflater = isal_zlib.decompressobj(wbits=31)
        self._fed = 0
        self.done = False
        self.start = raw.position
        self.end = raw.position

    def next_piece(self) -> bytes:
        """The next decompressed bytes of the member."""
        inflater = self._inflater
        while not self.done:
            data = inflater.unconsumed_tail or self._feed()
            try:
                out = inflater.decompress(data, _PIECE_BYTES)
            except IsalError as error:
                raise CorruptSegmentError(f"gzip member is corrupt ({_isal_reason(error)})") from error
            self.done = inflater.eof
            if self.done:
                self._raw.push_back(inflater.unused_data)
                self.end = self._raw.position
            if out:
                return out
        return b""

    def _feed(self) -> bytes:
        data = self._raw.feed(_FEED_BYTES if self._fed < _LARGE_FEED_BYTES else _LARGE_FEED_BYTES)
        self._fed += len(data)
        if not data:
            self.end = self._raw.position
            raise TruncatedSegmentError("gzip member is cut off")
        return data


class PlainSegment:
    """Uncompressed bytes, up to the end of the file."""

    def __init__(self, raw: RawInput) -> None:
        self._raw = raw
        self._feed_size = _FEED_BYTES
        self.done = False
        self.start = raw.position
        self.end = raw.position

    def next_piece(self) -> bytes:
        """The next bytes of the file."""
        data = self._raw.feed(self._feed_size)
        self._feed_size = _LARGE_FEED_BYTES
        self.done = not data
        self.end = self._raw.position
        return data

    def skip(self, count: int) -> int:
        """Pass over bytes that were not handed out yet; says how many there were."""
        skipped = self._raw.skip(count)
        self.end = self._raw.position
        return skipped


def gunzip_start(data: bytes, size: int) -> bytes:
    """The first decompressed bytes of what may be the beginning of a gzip member; b"" where it is none."""
    try:
        return isal_zlib.decompressobj(wbits=31).decompress(data, size)
    except IsalError:
        return b""


def find_stored_member_end(raw: RawInput, start: int) -> int | None:
    """Where a gzip member ends that holds all its bytes as they are, by its blocks alone; None for any other member.

    The end may lie beyond that of the file. Such members matter because others may be nested in what they hold.
    """
    raw.seek(start)
    if raw.take(_GZIP_HEADER_BYTES)[:4] != GZIP_MAGIC + b"\0":
        return None
    last = False
    while not last and (head := raw.take(_STORED_BLOCK_HEADER.size)):
        kind, size, inverse = (
            _STORED_BLOCK_HEADER.unpack(head) if len(head) == _STORED_BLOCK_HEADER.size else (1, 0, 0xFFFF)
        )
        if kind > 1 or size ^ inverse != 0xFFFF:
            return None
        last = kind == 1
        raw.seek(raw.position + size)
    return raw.position + _GZIP_TRAILER_BYTES


def _isal_reason(error: Exception) -> str:
    text = str(error)
    return text.partition(" ")[2].partition(" ")[2].lower() if text.startswith("Error -") else text
