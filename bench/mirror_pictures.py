"""A small picture in PNG."""

from __future__ import annotations

import struct
import zlib

_SIZE = 8


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", _SIZE, _SIZE, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress((b"\0" + bytes(range(_SIZE))) * _SIZE))
    + _chunk(b"IEND", b"")
)
"""Eight by eight shades of grey."""
