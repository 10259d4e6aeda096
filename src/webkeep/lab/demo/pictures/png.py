"""A small PNG encoder for pictures with a palette (ISO/IEC 15948)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

RgbColour = tuple[int, int, int]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE_TYPE = 3


def encode_png(width: int, height: int, pixels: bytes | bytearray, palette: Sequence[RgbColour]) -> bytes:
    """The file for rows of palette places, one byte a pixel."""
    rows = b"".join(b"\0" + pixels[y * width : (y + 1) * width] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, _PALETTE_TYPE, 0, 0, 0)
    colours = bytes(channel for colour in palette for channel in colour)
    return b"".join(
        (
            _SIGNATURE,
            _encode_chunk(b"IHDR", header),
            _encode_chunk(b"PLTE", colours),
            _encode_chunk(b"IDAT", zlib.compress(rows, 6)),
            _encode_chunk(b"IEND", b""),
        )
    )


def encode_ico(png: bytes, side: int) -> bytes:
    """An icon file holding one square PNG picture."""
    entry = struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 8, len(png), 22)
    return struct.pack("<HHH", 0, 1, 1) + entry + png


def _encode_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
