"""The size of a picture in pixels, by the first bytes of its file: PNG, GIF, JPEG, WebP, BMP and SVG."""

from __future__ import annotations

import re
import struct

_MAX_SVG_BYTES = 4096
"""Where the root element of an SVG stands."""
_SVG_LENGTH = re.compile(rb"""\s(width|height)\s*=\s*["']\s*([0-9]{1,6}(?:\.[0-9]{1,4})?)(?:px)?\s*["']""")
_VIEW_BOX = re.compile(
    rb"""viewBox\s*=\s*["']\s*\S{1,20}[\s,]+\S{1,20}[\s,]+([0-9.]{1,12})[\s,]+([0-9.]{1,12})\s*["']"""
)
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers behind which the size of a JPEG stands."""


def read_image_size(start: bytes) -> tuple[int, int] | None:
    """Width and height; None where the bytes do not say."""
    if start.startswith(b"\x89PNG\r\n\x1a\n") and len(start) >= 24:
        return _both(*struct.unpack(">II", start[16:24]))
    if start[:6] in (b"GIF87a", b"GIF89a") and len(start) >= 10:
        return _both(*struct.unpack("<HH", start[6:10]))
    if start.startswith(b"\xff\xd8"):
        return _read_jpeg_size(start)
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return _read_webp_size(start)
    if start.startswith(b"BM") and len(start) >= 26:
        width, height = struct.unpack("<ii", start[18:26])
        return _both(width, abs(height))
    return _read_svg_size(start[:_MAX_SVG_BYTES]) if b"<svg" in start[:_MAX_SVG_BYTES] else None


def _both(width: int, height: int) -> tuple[int, int] | None:
    return (width, height) if width > 0 and height > 0 else None


def _read_jpeg_size(start: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(start) and start[at] == 0xFF:
        if start[at + 1] in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", start[at + 5 : at + 9])
            return _both(width, height)
        at += 2 + max(int.from_bytes(start[at + 2 : at + 4], "big"), 2)
    return None


def _read_webp_size(start: bytes) -> tuple[int, int] | None:
    kind = start[12:16]
    if kind == b"VP8X" and len(start) >= 30:
        return 1 + int.from_bytes(start[24:27], "little"), 1 + int.from_bytes(start[27:30], "little")
    if kind == b"VP8L" and len(start) >= 25:
        bits = int.from_bytes(start[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and len(start) >= 30:
        width, height = struct.unpack("<HH", start[26:30])
        return _both(width & 0x3FFF, height & 0x3FFF)
    return None


def _read_svg_size(start: bytes) -> tuple[int, int] | None:
    root = start[start.index(b"<svg") :].partition(b">")[0]
    told = {name: float(value) for name, value in _SVG_LENGTH.findall(root)}
    if {b"width", b"height"} <= told.keys():
        return _both(round(told[b"width"]), round(told[b"height"]))
    box = _VIEW_BOX.search(root)
    try:
        return _both(round(float(box[1])), round(float(box[2]))) if box else None
    except ValueError:
        return None
