"""Flash films (SWF): their strings, out of plain, zlib and LZMA files, by the constant pools of their programs and by
printable stretches of all else; how much of a film is unpacked.
"""

from __future__ import annotations

import lzma
import re
import zlib
from collections.abc import Iterator

FLASH_SIGNATURES = (b"FWS", b"CWS", b"ZWS")
MAX_FLASH_BYTES = 16 * 1024 * 1024
"""How much of a film is unpacked, which is held whole; addresses are in its programs, and films have a few
megabytes."""

_HEADER_BYTES, _LZMA_HEADER_BYTES = 8, 17
"""Of a file that is compressed by zlib or not at all, and of one compressed by LZMA, which has its properties there."""
_MAX_DICTIONARY_BYTES = 64 * 1024 * 1024
"""A film cannot make its reader hold more."""
_PRINTABLE_RUN = re.compile(rb"[\x20-\x7e\x80-\xff]{4,2048}")
_DO_ABC, _DO_ABC_1 = 82, 72
"""The tags that hold programs."""
_LONG_TAG_SIZE = 0x3F
"""In place of the size, this says that the size follows in four bytes."""
_MAX_TAGS = 200_000
"""A film of empty tags would have no end otherwise."""


def read_flash_strings(content: bytes) -> Iterator[str]:
    """The strings of a film: those of its byte code one by one, and every printable stretch of all else."""
    body = _unpack(content)
    for code, start, end in _read_tags(body):
        if code in (_DO_ABC, _DO_ABC_1):
            yield from _read_pool(body, _find_pool(body, code, start, end), end)
        else:
            yield from (run[0].decode("utf-8", "replace") for run in _PRINTABLE_RUN.finditer(body, start, end))


def _unpack(content: bytes) -> bytes:
    kind = content[:3]
    if kind == b"FWS":
        return content[_HEADER_BYTES:MAX_FLASH_BYTES]
    try:
        if kind == b"CWS":
            return zlib.decompressobj().decompress(content[_HEADER_BYTES:], MAX_FLASH_BYTES)
        if kind == b"ZWS":
            return _unpack_lzma(content)
    except (zlib.error, lzma.LZMAError):
        return b""
    return b""


def _unpack_lzma(content: bytes) -> bytes:
    """Undo LZMA, whose header in a film lacks the size that the usual one has."""
    properties = content[12:_LZMA_HEADER_BYTES]
    if len(properties) < 5 or int.from_bytes(properties[1:], "little") > _MAX_DICTIONARY_BYTES:
        return b""
    unknown_size = b"\xff" * 8
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE)
    return decompressor.decompress(properties + unknown_size + content[_LZMA_HEADER_BYTES:], MAX_FLASH_BYTES)


def _read_tags(body: bytes) -> Iterator[tuple[int, int, int]]:
    """Each tag's code and where its bytes begin and end; all of a body without readable tags as one."""
    if not body:
        return
    # The frame's size is a rectangle of five bits and four times as many as these say, then rate and count follow.
    at = (5 + 4 * (body[0] >> 3) + 7) // 8 + 4
    for _ in range(_MAX_TAGS):
        if at + 2 > len(body):
            return
        head = int.from_bytes(body[at : at + 2], "little")
        code, size = head >> 6, head & _LONG_TAG_SIZE
        at += 2
        if size == _LONG_TAG_SIZE:
            size = int.from_bytes(body[at : at + 4], "little")
            at += 4
        end = min(at + size, len(body))
        yield code, at, end
        if code == 0:
            return
        at = end


def _find_pool(body: bytes, code: int, start: int, end: int) -> int:
    """Where the constants of byte code begin: behind flags and name, and behind a version."""
    if code == _DO_ABC:
        name_end = body.find(b"\0", start + 4, end)
        start = end if name_end < 0 else name_end + 1
    return start + 4


def _read_pool(body: bytes, at: int, end: int) -> Iterator[str]:
    for _ in range(2):  # integers of both kinds, each of a variable length
        count, at = _read_number(body, at, end)
        for _ in range(min(count, end) - 1):
            if at >= end:
                return
            _, at = _read_number(body, at, end)
    doubles, at = _read_number(body, at, end)
    at += 8 * max(0, doubles - 1)
    count, at = _read_number(body, at, end)
    for _ in range(count - 1):
        size, at = _read_number(body, at, end)
        if at + size > end or at >= end:
            return
        yield body[at : at + size].decode("utf-8", "replace")
        at += size


def _read_number(body: bytes, at: int, end: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 35, 7):
        if at >= end:
            return value, at
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return value, at
