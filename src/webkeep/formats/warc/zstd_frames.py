"""Zstd frames as segments (.warc.zst), decompressed block by block, and the dictionary a file of them may begin with;
how large that and a frame's window may be.

Four bytes of a frame can stand for 128 KB, and the library bounds no output of its own: frames are therefore taken
apart into their blocks (RFC 8878, section 3.1.1.2) and decompressed one block at a time.
"""

from __future__ import annotations

import io

import zstandard

from webkeep.formats.warc.segments import GLIMPSE_BYTES, CorruptSegmentError, RawInput, TruncatedSegmentError

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"

_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"
_MAX_DICTIONARY_BYTES = 64 << 20
"""A file cannot make its reader hold more."""
_MAX_WINDOW_BYTES = 128 << 20
"""What the zstd tool decompresses without being told to allow more."""
_MAX_HEADER_BYTES = 18
"""Magic and frame header at their longest (RFC 8878, section 3.1.1)."""
_BLOCK_HEADER_BYTES, _CHECKSUM_BYTES = 3, 4
"""By RFC 8878, 3.1.1."""
_RLE_BLOCK, _RESERVED_BLOCK = 1, 3
"""Kinds of blocks: one byte that is repeated, and one that is not allowed."""


class ZstdSegment:
    """One zstd frame."""

    def __init__(self, raw: RawInput, decompressor: zstandard.ZstdDecompressor) -> None:
        self._raw = raw
        self._decompressor = decompressor
        self._inflater: zstandard.ZstdDecompressionObj | None = None
        self._checksum = 0
        self.done = False
        self.start = raw.position
        self.end = raw.position

    def next_piece(self) -> bytes:
        """The next decompressed bytes of the frame."""
        try:
            while not self.done:
                out = self._next_block()
                self.end = self._raw.position
                if out:
                    return out
        except zstandard.ZstdError as error:
            raise CorruptSegmentError(f"zstd frame is corrupt ({error})") from error
        return b""

    def _next_block(self) -> bytes:
        start = b""
        if self._inflater is None:
            start = self._take_header()
            self._inflater = self._decompressor.decompressobj()
        header = int.from_bytes(self._take(_BLOCK_HEADER_BYTES), "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        if kind == _RESERVED_BLOCK:
            raise CorruptSegmentError("zstd frame is corrupt (a block is of no known kind)")
        rest = (1 if kind == _RLE_BLOCK else size) + (self._checksum if last else 0)
        block = start + header.to_bytes(_BLOCK_HEADER_BYTES, "little") + self._take(rest)
        out = self._inflater.decompress(block)
        self.done = self._inflater.eof
        if self.done != bool(last):
            raise CorruptSegmentError("zstd frame is corrupt (it does not end with its last block)")
        return out

    def _take_header(self) -> bytes:
        ahead = self._raw.peek(_MAX_HEADER_BYTES)
        if len(ahead) < _MAX_HEADER_BYTES and (len(ahead) < 6 or len(ahead) < zstandard.frame_header_size(ahead)):
            raise _cut_off_error()
        self._checksum = _CHECKSUM_BYTES if zstandard.get_frame_parameters(ahead).has_checksum else 0
        return self._take(zstandard.frame_header_size(ahead))

    def _take(self, size: int) -> bytes:
        data = self._raw.take(size)
        if len(data) < size:
            self.end = self._raw.position
            raise _cut_off_error()
        return data


def new_decompressor(dictionary: zstandard.ZstdCompressionDict | None = None) -> zstandard.ZstdDecompressor:
    """What decompresses the frames of a file, one after the other."""
    return zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=_MAX_WINDOW_BYTES)


def read_dictionary(raw: RawInput) -> zstandard.ZstdDecompressor:
    """What decompresses the frames of a file that begins with a dictionary; raw is left behind it."""
    size = int.from_bytes(raw.take(8)[4:], "little")
    if size > _MAX_DICTIONARY_BYTES:
        raise CorruptSegmentError(f"zstd dictionary of {size} bytes is larger than any reader takes")
    data = raw.take(size)
    if len(data) < size:
        raise CorruptSegmentError("zstd dictionary is cut off")
    try:
        decompressor = new_decompressor(zstandard.ZstdCompressionDict(_unpack_dictionary(data)))
        decompressor.decompressobj()  # a dictionary that cannot be used shows here
    except zstandard.ZstdError as error:
        raise CorruptSegmentError(f"zstd dictionary is corrupt ({error})") from error
    return decompressor


def skip_skippable_frame(raw: RawInput) -> bool:
    """Pass over a frame that holds nothing for a reader; False where there is none."""
    head = raw.peek(8)
    if len(head) < 8 or head[1:4] != _SKIPPABLE_MAGIC or head[0] >> 4 != 5:
        return False
    raw.seek(raw.position + 8 + int.from_bytes(head[4:], "little"))
    return True


def may_hold_prefix(prefix: bytes, data: bytes, decompressor: zstandard.ZstdDecompressor) -> bool:
    """Whether a frame begins here that holds such bytes; a first block that the data does not reach is trusted."""
    raw = RawInput(io.BytesIO(data))
    try:
        return ZstdSegment(raw, decompressor).next_piece().startswith(prefix)
    except CorruptSegmentError:
        return raw.position == len(data) and len(data) == GLIMPSE_BYTES


def _unpack_dictionary(data: bytes) -> bytes:
    """A dictionary may be compressed itself."""
    if data[:4] != ZSTD_MAGIC:
        return data
    segment = ZstdSegment(RawInput(io.BytesIO(data)), new_decompressor())
    unpacked = bytearray()
    while piece := segment.next_piece():
        unpacked += piece
        if len(unpacked) > _MAX_DICTIONARY_BYTES:
            raise CorruptSegmentError("zstd dictionary is larger than any reader takes")
    return bytes(unpacked)


def _cut_off_error() -> TruncatedSegmentError:
    return TruncatedSegmentError("zstd frame is cut off")
