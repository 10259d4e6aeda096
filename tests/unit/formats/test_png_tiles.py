"""PNG pictures out of tiles, and pictures on which nothing is."""

import struct
import zlib

import pytest

from webkeep.errors import FormatError
from webkeep.formats import is_blank, join_tiles, read_size

Pixels = list[list[tuple[int, int, int]]]


def encode(pixels: Pixels, kind: int = 2) -> bytes:
    """A picture as Chromium's quick encoder writes it: each row as its difference to the one above (2), or as it is."""
    rows, above = b"", bytes(3 * len(pixels[0]))
    for row in pixels:
        plain = b"".join(bytes(each) for each in row)
        rows += bytes([kind]) + (
            bytes((a - b) % 256 for a, b in zip(plain, above, strict=True)) if kind == 2 else plain
        )
        above = plain
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def decode(png: bytes) -> Pixels:
    """The pixels of a picture without transparency, whose rows are as above."""
    width, height = read_size(png)
    start = png.index(b"IDAT")
    (size,) = struct.unpack(">I", png[start - 4 : start])
    data, above, found = zlib.decompress(png[start + 4 : start + 4 + size]), bytes(3 * width), []
    for at in range(0, len(data), 3 * width + 1):
        row = data[at + 1 : at + 1 + 3 * width]
        above = bytes((a + b) % 256 for a, b in zip(row, above, strict=True)) if data[at] == 2 else row
        found.append([(above[x], above[x + 1], above[x + 2]) for x in range(0, 3 * width, 3)])
    assert len(found) == height
    return found


PICTURE: Pixels = [[(x * 9 % 256, y * 13 % 256, (x * y) % 256) for x in range(11)] for y in range(9)]


@pytest.mark.parametrize("kind", [0, 2])
def test_tiles_are_joined_to_the_picture_they_were_cut_from(kind: int) -> None:
    bands = [
        [encode([row[left : left + 4] for row in PICTURE[top : top + 3]], kind) for left in range(0, 11, 4)]
        for top in range(0, 9, 3)
    ]
    joined = join_tiles(11, 9, bands)
    assert read_size(joined) == (11, 9)
    assert decode(joined) == PICTURE


def test_tiles_that_do_not_fit_are_refused() -> None:
    tile = encode(PICTURE)
    with pytest.raises(FormatError, match="wide"):
        join_tiles(12, 9, [[tile]])
    with pytest.raises(FormatError, match="long"):
        join_tiles(11, 10, [[tile]])
    with pytest.raises(FormatError, match="filtered"):
        join_tiles(22, 9, [[tile, encode(PICTURE, 0)]])


@pytest.mark.parametrize("damaged", [b"", b"GIF89a", encode(PICTURE)[:60], encode(PICTURE, 1)])
def test_what_is_no_such_picture_is_refused(damaged: bytes) -> None:
    with pytest.raises(FormatError):
        is_blank(damaged)


@pytest.mark.parametrize("kind", [0, 2])
def test_a_picture_of_one_colour_is_blank(kind: int) -> None:
    assert is_blank(encode([[(250, 250, 250)] * 20] * 15, kind))
    assert not is_blank(encode([[(250, 250, 250)] * 20] * 14 + [[(250, 250, 250)] * 19 + [(0, 0, 0)]], kind))
    assert not is_blank(encode(PICTURE, kind))
