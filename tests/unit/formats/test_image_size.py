"""The sizes of pictures, by the first bytes of their files."""

import struct

import pytest

from webkeep.formats.binary import read_image_size

JPEG = b"\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x11\x08" + struct.pack(">HH", 48, 64) + b"\x03"


@pytest.mark.parametrize(
    ("start", "size"),
    [
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480), (640, 480)),
        (b"GIF89a" + struct.pack("<HH", 12, 34) + b"\0\0\0", (12, 34)),
        (JPEG, (64, 48)),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"), (100, 50)),
        (b"RIFF\0\0\0\0WEBPVP8L" + bytes(5) + (9 | 19 << 14).to_bytes(4, "little"), (10, 20)),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 30, 40), (30, 40)),
        (b"BM" + bytes(16) + struct.pack("<ii", 7, -8), (7, 8)),
        (b'<?xml version="1.0"?><svg width="30px" height="20">', (30, 20)),
        (b"<svg viewBox='0 0 300 150'>", (300, 150)),
    ],
    ids=["png", "gif", "jpeg", "webp", "webp lossless", "webp lossy", "bmp", "svg", "svg by its box"],
)
def test_sizes_are_read(start: bytes, size: tuple[int, int]) -> None:
    assert read_image_size(start) == size


@pytest.mark.parametrize(
    "start",
    [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", JPEG[:12], b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50, b"<svg>",
     b"<svg viewBox='0 0 . .'>", b"RIFF\0\0\0\0WEBPVP8X", b"\x89PNG\r\n\x1a\n" + bytes(16), b"<p>text"],
)  # fmt: skip
def test_what_does_not_say_has_no_size(start: bytes) -> None:
    assert read_image_size(start) is None
