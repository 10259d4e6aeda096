"""Segments: the separately compressed stretches of an archive file, with their exact places in it.

Theory of operation. A WARC file is a row of gzip members or zstd frames, one for each record, or it is not
compressed at all. A reader needs three things of that layer and no more: the decompressed bytes of the stretch at
hand, the raw offset where it begins and where it ends, and, when the stretch is corrupt, the offset of the next one
that looks whole. Raw bytes are taken in small feeds so that what follows a member is not copied over and over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

import zstandard
from isal import igzip_lib, isal_zlib

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"

IsalError = cast("type[Exception]", igzip_lib.IsalError)  # its type stubs do not say that it is an exception

_FEED = 16 * 1024
_LARGE_FEED = 128 * 1024
_PIECE = 256 * 1024
_SEARCH = 1 << 20
_LARGEST_DICTIONARY = 64 << 20


class CorruptSegmentError(Exception):
    """The stretch at hand cannot be decompressed; readers turn this into a finding."""


class Segment(Protocol):
    """One stretch: pieces of decompressed bytes, and the raw offsets it spans."""

    start: int
    end: int

    def piece(self) -> bytes:
        """The next decompressed bytes, b"" at the end of the stretch; `end` is right from then on."""
        ...


class RawInput:
    """A seekable stream read in feeds, with bytes pushed back where a member ended."""

    def __init__(self, stream: BinaryIO, position: int = 0) -> None:
        self._stream = stream
        self._kept = b""
        self.position = position
        stream.seek(position)

    def feed(self, size: int) -> bytes:
        """The next raw bytes, at most about `size`."""
        data = self._kept or self._stream.read(size)
        self._kept = b""
        self.position += len(data)
        return data

    def push_back(self, data: bytes) -> None:
        """Give back what the last feed held too much."""
        self._kept = data
        self.position -= len(data)

    def peek(self, size: int) -> bytes:
        """Look at the next bytes without taking them."""
        if len(self._kept) < size:
            self._kept += self._stream.read(max(size, _FEED))
        return self._kept[:size]

    def seek(self, position: int) -> None:
        """Go to a raw offset."""
        self._stream.seek(position)
        self._kept = b""
        self.position = position

    def find(self, magic: bytes, start: int) -> Iterator[int]:
        """Every offset at or after `start` where the magic bytes stand."""
        base, tail = start, b""
        self._stream.seek(start)
        while chunk := self._stream.read(_SEARCH):
            window = tail + chunk
            at = window.find(magic)
            while at >= 0:
                yield base + at
                self._stream.seek(base + len(window))
                at = window.find(magic, at + 1)
            tail = window[-len(magic) + 1 :]
            base += len(window) - len(tail)


class GzipSegment:
    """One gzip member."""

    def __init__(self, raw: RawInput) -> None:
        self._raw = raw
        self._inflater = isal_zlib.decompressobj(wbits=31)
        self._fed = 0
        self._done = False
        self.start = raw.position
        self.end = raw.position

    def piece(self) -> bytes:
        """The next decompressed bytes of the member."""
        inflater = self._inflater
        while not self._done:
            data = inflater.unconsumed_tail or self._feed()
            try:
                out = inflater.decompress(data, _PIECE)
            except IsalError as error:
                raise CorruptSegmentError(f"gzip member is corrupt ({_reason(error)})") from error
            self._done = inflater.eof
            if self._done:
                self._raw.push_back(inflater.unused_data)
                self.end = self._raw.position
            if out:
                return out
        return b""

    def _feed(self) -> bytes:
        data = self._raw.feed(_FEED if self._fed < _LARGE_FEED else _LARGE_FEED)
        self._fed += len(data)
        if not data:
            self.end = self._raw.position
            raise CorruptSegmentError("gzip member is cut off")
        return data


class ZstdSegment:
    """One zstd frame."""

    def __init__(self, raw: RawInput, dictionary: zstandard.ZstdCompressionDict | None) -> None:
        self._raw = raw
        self._inflater = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 27).decompressobj(
            write_size=_PIECE
        )
        self._done = False
        self.start = raw.position
        self.end = raw.position

    def piece(self) -> bytes:
        """The next decompressed bytes of the frame."""
        inflater = self._inflater
        while not self._done:
            data = self._raw.feed(4096)  # a zstd piece has no size limit of its own: small feeds bound it
            if not data:
                self.end = self._raw.position
                raise CorruptSegmentError("zstd frame is cut off")
            try:
                out = inflater.decompress(data)
            except zstandard.ZstdError as error:
                raise CorruptSegmentError(f"zstd frame is corrupt ({_reason(error)})") from error
            self._done = inflater.eof
            if self._done:
                self._raw.push_back(inflater.unused_data)
                self.end = self._raw.position
            if out:
                return out
        return b""


class PlainSegment:
    """Uncompressed bytes, up to the end of the file."""

    def __init__(self, raw: RawInput) -> None:
        self._raw = raw
        self.start = raw.position
        self.end = raw.position

    def piece(self) -> bytes:
        """The next bytes of the file."""
        data = self._raw.feed(_LARGE_FEED)
        self.end = self._raw.position
        return data


def zstd_dictionary(raw: RawInput) -> zstandard.ZstdCompressionDict | None:
    """The dictionary a .warc.zst file may begin with (a skippable frame); the input is left behind it."""
    head = raw.peek(8)
    if head[:4] != ZSTD_DICTIONARY or len(head) < 8:
        return None
    size = int.from_bytes(head[4:8], "little")
    if size > _LARGEST_DICTIONARY:
        raise CorruptSegmentError(f"zstd dictionary of {size} bytes is larger than any reader takes")
    after = raw.position + 8 + size
    raw.seek(raw.position + 8)
    parts = []
    while raw.position < after and (data := raw.feed(after - raw.position)):
        parts.append(data)
    data = b"".join(parts)[:size]
    raw.seek(after)
    try:
        if data[:4] == ZSTD_MAGIC:
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=_LARGEST_DICTIONARY)
        return zstandard.ZstdCompressionDict(data)
    except zstandard.ZstdError as error:
        raise CorruptSegmentError(f"zstd dictionary is corrupt ({_reason(error)})") from error


def begins_with(raw: RawInput, offset: int, prefix: bytes) -> bool:
    """Whether a gzip member at this raw offset inflates to bytes that begin so."""
    raw.seek(offset)
    try:
        return isal_zlib.decompressobj(wbits=31).decompress(raw.peek(1024), len(prefix)) == prefix
    except IsalError:
        return False


def _reason(error: Exception) -> str:
    text = str(error)
    return text.partition(" ")[2].partition(" ")[2].lower() if text.startswith("Error -") else text
