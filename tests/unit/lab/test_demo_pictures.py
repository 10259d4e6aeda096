"""Pictures: real files of their format, the same view in every width."""

import struct
import zlib
from xml.etree import ElementTree

import pytest

from webkeep.lab.demo.pictures.drawing import render_curve, render_emblem, render_icon, render_town_map
from webkeep.lab.demo.pictures.landscape import render_landscape
from webkeep.lab.demo.pictures.png import encode_ico, encode_png
from webkeep.lab.demo.pictures.scene import SCENES


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """The chunks of a PNG file, each checked against its sum."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    found, at = [], 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size) == (zlib.crc32(name + data),)
        found.append((name, data))
        at += 12 + size
    return found


def decoded(png: bytes) -> tuple[int, int, bytes, bytes]:
    """Width, height, palette and pixels."""
    named = dict(chunks(png))
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", named[b"IHDR"])
    assert (depth, colour) == (8, 3)
    rows = zlib.decompress(named[b"IDAT"])
    assert len(rows) == height * (width + 1)
    assert set(rows[:: width + 1]) == {0}
    pixels = b"".join(rows[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height))
    return width, height, named[b"PLTE"], pixels


def test_pixels_come_back() -> None:
    palette = [(0, 0, 0), (255, 0, 10)]
    assert decoded(encode_png(3, 2, b"\0\1\0\1\1\0", palette)) == (3, 2, b"\0\0\0\xff\0\x0a", b"\0\1\0\1\1\0")


@pytest.mark.parametrize("name", SCENES)
def test_landscapes_are_pictures(name: str) -> None:
    width, height, palette, pixels = decoded(render_landscape(SCENES[name], 160, 1))
    assert (width, height) == (160, 90)
    assert 50 < len(set(pixels)) <= len(palette) // 3 <= 256


def test_another_seed_gives_another_view() -> None:
    scene = SCENES["harbour-day"]
    assert render_landscape(scene, 160, 1) == render_landscape(scene, 160, 1) != render_landscape(scene, 160, 2)


def test_icon_file_holds_its_picture() -> None:
    png = render_icon(32)
    ico = encode_ico(png, 32)
    assert ico[:6] == b"\0\0\1\0\1\0"
    size, offset = struct.unpack_from("<II", ico, 14)
    assert ico[offset : offset + size] == png
    assert decoded(png)[:2] == (32, 32)


def test_drawings_are_well_formed() -> None:
    for drawing in (
        render_emblem(),
        render_town_map(1),
        render_curve([1.0, 1.0], "flat"),
        render_curve([1, 3, 2], "some"),
    ):
        ElementTree.fromstring(drawing)
