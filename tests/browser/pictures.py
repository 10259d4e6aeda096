"""Pictures of pages compared: what share of their pixels differs."""

import struct
import zlib
from collections.abc import Iterator

_SIGN = b"\x89PNG\r\n\x1a\n"


def difference(one: bytes, other: bytes) -> float:
    """The share of pixels that differ between two PNG pictures; all of them where their sizes do."""
    if one == other:
        return 0.0
    first, second = rows(one), rows(other)
    if len(first) != len(second) or len(first[0]) != len(second[0]):
        return 1.0
    differing = sum(
        line[at : at + 3] != mate[at : at + 3]
        for line, mate in zip(first, second, strict=True)
        if line != mate
        for at in range(0, len(line), 3)
    )
    return differing / (len(first) * len(first[0]) // 3)


def greatest_step(one: bytes, other: bytes) -> int:
    """By how much the colours of two PNG pictures of one size differ at most, in steps of 255."""
    pairs = zip(rows(one), rows(other), strict=True)
    return max((abs(a - b) for line, mate in pairs if line != mate for a, b in zip(line, mate, strict=True)), default=0)


def rows(picture: bytes) -> list[bytes]:
    """The rows of a picture, three bytes a pixel; of a screenshot all pixels are opaque."""
    assert picture.startswith(_SIGN)
    parts = list(_chunks(picture))
    width, _, depth, kind = struct.unpack(">IIBB", parts[0][1][:10])
    assert (depth, kind) in ((8, 2), (8, 6))
    step = 3 if kind == 2 else 4
    data = zlib.decompress(b"".join(content for name, content in parts if name == b"IDAT"))
    found: list[bytes] = []
    above = bytes(width * step)
    for at in range(0, len(data), width * step + 1):
        above = _unfiltered(data[at], data[at + 1 : at + 1 + width * step], above, step)
        found.append(above if step == 3 else b"".join(above[each : each + 3] for each in range(0, len(above), 4)))
    return found


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGN)
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        at += size + 12


def _unfiltered(kind: int, line: bytes, above: bytes, step: int) -> bytes:
    """A row of a picture without its filter (the PNG standard, section 9)."""
    if kind == 0:
        return line
    if kind == 2:
        return bytes((value + up) & 255 for value, up in zip(line, above, strict=True))
    out = bytearray(line)
    for at, value in enumerate(line):
        left = out[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        out[at] = (value + _guess(kind, left, above[at], corner)) & 255
    return bytes(out)


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 1:
        return left
    if kind == 3:
        return (left + up) // 2
    estimate = left + up - corner
    return min((left, up, corner), key=lambda each: abs(estimate - each))
