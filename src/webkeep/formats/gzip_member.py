"""Writing gzip members: compressed, or as stored blocks laid out so that any byte can be reached by arithmetic.

A stored member holds full blocks of 65,535 bytes and one last shorter one, behind the ten bytes of a gzip header.
Byte n of the content therefore lies at 10 + n + 5 * (n // 65535 + 1), and a range near the end of a large video is
read without inflating what comes before it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from isal import isal_zlib

LEVEL = 2
"""isal's level: nearly zlib's size at a fraction of its time."""

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_BLOCK = 65535
_FULL_BLOCK = b"\x00\xff\xff\x00\x00"
_SAMPLE = 2048
_GLANCE = 256
_WORTHWHILE = 0.92


def compresses(sample: bytes) -> bool:
    """Whether bytes like these are worth compressing, judged by a stretch from their middle."""
    if len(sample) < 512:
        return True
    middle = len(sample) // 2
    # Of 256 random bytes about 162 differ, of a text about 60: most bodies are told by a glance.
    different = len(set(sample[middle : middle + _GLANCE]))
    if not 100 < different < 145:
        return different <= 100
    stretch = sample[max(0, middle - _SAMPLE // 2) : middle + _SAMPLE // 2]
    return len(isal_zlib.compress(stretch, 1, wbits=-15)) < _WORTHWHILE * len(stretch)


def compressed_member(data: bytes) -> bytes:
    """One gzip member that holds the data, compressed."""
    return isal_zlib.compress(data, LEVEL, wbits=31)


def compressed_pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member that holds the chunks, compressed, piece by piece."""
    deflater = isal_zlib.compressobj(LEVEL, wbits=31)
    for chunk in chunks:
        if piece := deflater.compress(chunk):
            yield piece
    yield deflater.flush()


def stored_pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """One gzip member that holds the chunks as they are, in full stored blocks."""
    yield _HEADER
    checksum, size, held = 0, 0, bytearray()
    for chunk in chunks:
        checksum = isal_zlib.crc32(chunk, checksum)
        size += len(chunk)
        held += chunk
        while len(held) > _BLOCK:  # at least one byte stays back for the last block
            yield _FULL_BLOCK
            yield bytes(held[:_BLOCK])
            del held[:_BLOCK]
    yield _block_head(len(held), last=True)
    yield bytes(held)
    yield struct.pack("<II", checksum, size & 0xFFFFFFFF)


def stored_from(stream: BinaryIO, offset: int, start: int) -> Iterator[bytes] | None:
    """The content of a stored member from byte `start` on; None when the member is not laid out that way.

    The checksum is not looked at, and a member that breaks off gives what there is.
    """
    block, within = divmod(start, _BLOCK)
    stream.seek(offset)
    if stream.read(len(_HEADER)) != _HEADER:
        return None
    for full in {0, block - 1} if block else ():  # what lies between may be trusted if both are as they should be
        stream.seek(_place(offset, full))
        if stream.read(5) != _FULL_BLOCK:
            return None
    stream.seek(_place(offset, block))
    length, last = _block_length(stream.read(5))
    if length < within or (length != _BLOCK and not last):
        return None
    stream.seek(within, 1)
    return _blocks(stream, length - within, last)


def _blocks(stream: BinaryIO, length: int, last: bool) -> Iterator[bytes]:
    left = length
    while left >= 0:
        data = stream.read(left)
        if data:
            yield data
        if last or len(data) < left:
            return
        left, last = _block_length(stream.read(5))


def _place(offset: int, block: int) -> int:
    return offset + len(_HEADER) + block * (_BLOCK + 5)


def _block_head(length: int, last: bool) -> bytes:
    return struct.pack("<BHH", last, length, length ^ 0xFFFF)


def _block_length(head: bytes) -> tuple[int, bool]:
    """The length of a stored block and whether it is the last; -1 when these are no such five bytes."""
    if len(head) < 5:
        return -1, True
    kind, length, inverse = struct.unpack("<BHH", head)
    return (length, kind == 1) if kind in (0, 1) and length ^ inverse == 0xFFFF else (-1, True)
