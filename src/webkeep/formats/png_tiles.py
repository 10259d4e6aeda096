"""PNG pictures put together out of tiles, and whether anything is to be seen on one.

Theory of operation. Chromium's quick encoder leaves the rows of a picture as they are, or writes each as its difference
to the row above. Such rows depend on nothing to their left, and the first one on nothing at all, so that tiles are
joined side by side and one below the other as they are, without a pixel being decoded. Other filters are refused.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from isal import isal_zlib

from webkeep.errors import FormatError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_PIXEL_BYTES = {2: 3, 6: 4}
"""Bytes of a pixel by colour type: RGB, and RGB with transparency."""
_DEPTH_BITS = 8
"""Of each colour, in all pictures that Chromium makes."""
_NO_FILTER, _UP_FILTER = 0, 2
"""The numbers that the standard gives to filters of rows."""
_MAX_TILE_BYTES = 512 << 20
"""Of one tile without its compression; no tile that we ask for is half as large."""


@dataclass(frozen=True, slots=True)
class PngTile:
    """A picture as its filtered rows."""

    width: int
    height: int
    colour_type: int
    rows: bytes
    """Each with the number of its filter before it."""

    @property
    def row_bytes(self) -> int:
        """Of one row, with the number of its filter."""
        return 1 + self.width * _PIXEL_BYTES[self.colour_type]

    def row(self, number: int) -> memoryview:
        """One row, with the number of its filter."""
        return memoryview(self.rows)[number * self.row_bytes : (number + 1) * self.row_bytes]


def read_tile(png: bytes) -> PngTile:
    """A picture, where its rows depend on nothing but the rows above."""
    chunks = dict[bytes, bytes]()
    for name, data in _read_chunks(png):
        chunks[name] = chunks.get(name, b"") + data
    try:
        width, height, depth, colour_type, _, _, interlace = _HEADER.unpack(chunks[b"IHDR"])
        unpacker = zlib.decompressobj()
        rows = unpacker.decompress(chunks[b"IDAT"], _MAX_TILE_BYTES)
    except (KeyError, struct.error, zlib.error) as error:
        raise FormatError(f"it is no PNG that can be read: {error}", "picture") from error
    if depth != _DEPTH_BITS or colour_type not in _PIXEL_BYTES or interlace:
        raise FormatError("it is a PNG of a kind that Chromium does not make", "picture")
    tile = PngTile(width, height, colour_type, rows)
    if len(rows) != tile.row_bytes * height or {*rows[:: tile.row_bytes]} - {_NO_FILTER, _UP_FILTER}:
        raise FormatError("its rows cannot be joined with others", "picture")
    return tile


def read_size(png: bytes) -> tuple[int, int]:
    """Width and height of a picture, in pixels."""
    if not png.startswith(_SIGNATURE) or len(png) < len(_SIGNATURE) + 8 + _HEADER.size:
        raise FormatError("it is no PNG", "picture")
    width, height = struct.unpack_from(">II", png, len(_SIGNATURE) + 8)
    return width, height


def join_tiles(width: int, height: int, bands: Iterable[Sequence[bytes]]) -> bytes:
    """One picture of bands from top to bottom, each of tiles from left to right."""
    parts: list[bytes] = []
    compressor = isal_zlib.compressobj(level=1)
    colour_type = done = 0
    for band in bands:
        tiles = [read_tile(png) for png in band]
        colour_type = colour_type or tiles[0].colour_type
        if {(tile.height, tile.colour_type) for tile in tiles} != {(tiles[0].height, colour_type)}:
            raise FormatError("its tiles do not fit together", "picture")
        if sum(tile.width for tile in tiles) != width:
            raise FormatError("its tiles are not as wide as the whole", "picture")
        parts.extend(map(compressor.compress, _join_rows(tiles)))
        done += tiles[0].height
    if done != height:
        raise FormatError("its tiles are not as long as the whole", "picture")
    parts.append(compressor.flush())
    header = _HEADER.pack(width, height, _DEPTH_BITS, colour_type, 0, 0, 0)
    return _SIGNATURE + b"".join(
        _write_chunk(name, data) for name, data in ((b"IHDR", header), (b"IDAT", b"".join(parts)), (b"IEND", b""))
    )


def _join_rows(tiles: Sequence[PngTile]) -> Iterator[bytes]:
    """The rows of tiles that stand side by side; the first has nothing above it, whatever comes before."""
    for number in range(tiles[0].height):
        rows = [tile.row(number) for tile in tiles]
        filters = {row[0] for row in rows} if number else {_NO_FILTER}
        if len(filters) > 1:
            raise FormatError("its tiles are filtered each in its own way", "picture")
        yield bytes(filters) + b"".join(row[1:] for row in rows)


def is_blank(png: bytes) -> bool:
    """Whether all of a picture is of one colour."""
    tile = read_tile(png)
    if not tile.height or not tile.width:
        return True
    first = bytes(tile.row(0)[1:])
    if first != first[: _PIXEL_BYTES[tile.colour_type]] * tile.width:
        return False
    same = {_NO_FILTER: first, _UP_FILTER: bytes(len(first))}
    return all(tile.row(number)[1:] == same[tile.row(number)[0]] for number in range(1, tile.height))


def _read_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(_SIGNATURE):
        raise FormatError("it is no PNG", "picture")
    at = len(_SIGNATURE)
    while at + 12 <= len(png):
        (size,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def _write_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
