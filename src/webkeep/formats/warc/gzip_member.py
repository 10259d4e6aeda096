"""Writing gzip members: compressed, or as stored blocks laid out so that any byte can be reached by arithmetic; which
bytes are worth compressing, and at what level.

A stored member holds full blocks of 65,535 bytes and one last shorter one, behind the ten bytes of a gzip header.
Byte n of the content therefore lies at 10 + n + 5 * (n // 65535 + 1), and a range near the end of a large video is
read without inflating what comes before it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from isal import isal_zlib

COMPRESSION_LEVEL = 2
"""isal's level: nearly zlib's size at a fraction of its time."""

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_BLOCK_BYTES = 65535
"""The longest that deflate lets a stored block be (RFC 1951, 3.2.4)."""
_FULL_BLOCK_HEAD = b"\x00\xff\xff\x00\x00"
_SAMPLE_BYTES = 2048
"""Compressed for a trial where a glance does not tell."""
_GLANCE_BYTES = 256
"""Looked at for how many different bytes there are."""
_MAX_WORTHWHILE_RATIO = 0.92
"""What does not become smaller than this is stored as it is, and any part of it can be reached."""


def is_compressible(sample: bytes) -> bool:
    """Whether bytes like these are worth compressing, judged by a stretch from their middle."""
    if len(sample) < 512:
        return True
    middle = len(sample) // 2
    # Of 256 random bytes about 162 differ, of a text about 60: most bodies are told by a glance.
    different = len(set(sample[middle : middle + _GLANCE_BYTES]))
    if not 100 < different < 145:
        return different <= 100
    stretch = sample[max(0, middle - _SAMPLE_BYTES // 2) : middle + _SAMPLE_BYTES // 2]
    return len(isal_zlib.compress(stretch, 1, wbits=-15)) < _MAX_WORTHWHILE_RATIO * len(stretch)


def compress_member(data: bytes) -> bytes:
    """One gzip member that holds the data, compressed."""
    return isal_zlib.compress(data, COMPRESSION_LEVEL, wbits=31)


def compress_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member that holds the chunks, compressed, piece by piece."""
    deflater = isal_zlib.compressobj(COMPRESSION_LEVEL, wbits=31)
    for chunk in chunks:
        if piece := deflater.compress(chunk):
            yield piece
    yield deflater.flush()


def store_member(data: bytes) -> bytes:
    """One gzip member that holds the data as it is, laid out as `store_chunks` does."""
    last = max(len(data) - 1, 0) // _BLOCK_BYTES * _BLOCK_BYTES
    pieces = [_HEADER]
    for start in range(0, last, _BLOCK_BYTES):
        pieces += (_FULL_BLOCK_HEAD, data[start : start + _BLOCK_BYTES])
    pieces += (_block_head(len(data) - last, last=True), data[last:], _member_end(isal_zlib.crc32(data), len(data)))
    return b"".join(pieces)


def store_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member that holds the chunks as they are, in full stored blocks."""
    yield _HEADER
    checksum, size, held = 0, 0, bytearray()
    for chunk in chunks:
        checksum = isal_zlib.crc32(chunk, checksum)
        size += len(chunk)
        held += chunk
        while len(held) > _BLOCK_BYTES:  # at least one byte stays back for the last block
            yield _FULL_BLOCK_HEAD
            yield bytes(held[:_BLOCK_BYTES])
            del held[:_BLOCK_BYTES]
    yield _block_head(len(held), last=True)
    yield bytes(held)
    yield _member_end(checksum, size)


def read_stored_from(stream: BinaryIO, offset: int, start: int) -> Iterator[bytes] | None:
    """The content of a stored member from byte `start` on; None when the member is not laid out that way.

    The checksum is not looked at, and a member that breaks off gives what there is.
    """
    block, within = divmod(start, _BLOCK_BYTES)
    stream.seek(offset)
    if stream.read(len(_HEADER)) != _HEADER:
        return None
    for full in {0, block - 1} if block else ():  # what lies between may be trusted if both are as they should be
        stream.seek(_block_offset(offset, full))
        if stream.read(5) != _FULL_BLOCK_HEAD:
            return None
    stream.seek(_block_offset(offset, block))
    length, last = _parse_block_head(stream.read(5))
    if length < within or (length != _BLOCK_BYTES and not last):
        return None
    stream.seek(within, 1)
    return _read_blocks(stream, length - within, last)


def _read_blocks(stream: BinaryIO, length: int, last: bool) -> Iterator[bytes]:
    left = length
    while left >= 0:
        data = stream.read(left)
        if data:
            yield data
        if last or len(data) < left:
            return
        left, last = _parse_block_head(stream.read(5))


def _block_offset(offset: int, block: int) -> int:
    return offset + len(_HEADER) + block * (_BLOCK_BYTES + 5)


def _block_head(length: int, last: bool) -> bytes:
    return struct.pack("<BHH", last, length, length ^ 0xFFFF)


def _member_end(checksum: int, size: int) -> bytes:
    return struct.pack("<II", checksum, size & 0xFFFFFFFF)


def _parse_block_head(head: bytes) -> tuple[int, bool]:
    """The length of a stored block and whether it is the last; -1 when these are no such five bytes."""
    if len(head) < 5:
        return -1, True
    kind, length, inverse = struct.unpack("<BHH", head)
    return (length, kind == 1) if kind in (0, 1) and length ^ inverse == 0xFFFF else (-1, True)
