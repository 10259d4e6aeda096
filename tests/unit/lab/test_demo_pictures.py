"""Pictures: real files of their format, the same view in every width."""

import struct
import zlib
from xml.etree import ElementTree

import pytest

from webkeep.lab.demo.page_markup import PICTURE_WIDTHS_PIXELS
from webkeep.lab.demo.scene_pictures import (
    SCENE_CAPTIONS,
    WEBCAM_BOATS,
    WEBCAM_LIGHTS,
    add_comment,
    read_picture,
)


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


def sides(png: bytes) -> tuple[int, int]:
    """Width and height."""
    width, height = struct.unpack_from(">II", dict(chunks(png))[b"IHDR"])
    return width, height


@pytest.mark.parametrize("name", SCENE_CAPTIONS)
def test_every_scene_is_there_in_every_width(name: str) -> None:
    for width in (*PICTURE_WIDTHS_PIXELS, 480):
        assert sides(read_picture(f"{name}-{width}.png")) == (width, width * 9 // 16)


def test_the_camera_has_a_picture_of_every_light() -> None:
    pictures = {read_picture(f"webcam-{light}-{boats}.png") for light in WEBCAM_LIGHTS for boats in WEBCAM_BOATS}
    assert {sides(picture) for picture in pictures} == {(640, 360)}
    assert len(pictures) == len(WEBCAM_LIGHTS) * len(WEBCAM_BOATS)


def test_a_comment_makes_another_file_of_the_same_picture() -> None:
    plain = read_picture("quay-dawn-320.png")
    noted = chunks(add_comment(plain, "one"))
    assert [chunk for chunk in noted if chunk[0] != b"tEXt"] == chunks(plain)
    assert noted[1] == (b"tEXt", b"Comment\0one")


def test_icon_file_holds_its_picture() -> None:
    ico = read_picture("favicon.ico")
    assert ico[:6] == b"\0\0\1\0\1\0"
    size, offset = struct.unpack_from("<II", ico, 14)
    assert sides(ico[offset : offset + size]) == (32, 32)


def test_drawings_are_well_formed() -> None:
    for name in ("emblem.svg", "map.svg"):
        ElementTree.fromstring(read_picture(name))
