"""The demo town's pictures: files of the package, and what is to be seen on them; and how a comment makes another file
of the same picture.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from importlib.resources import files

SCENE_CAPTIONS = {
    "quay-dawn": "The quay before the first ferry",
    "harbour-day": "The harbour on a clear day",
    "lighthouse-dusk": "The lighthouse on the headland at dusk",
    "old-town-night": "Lit windows along the old town",
    "bay-mist": "Mist over the bay",
    "regatta": "Sails off the breakwater",
    "fell-dawn": "First light on the fell",
    "fell-day": "The upper valley",
    "tarn-dusk": "The tarn above the mill",
    "harbour-mist": "The old harbour in the morning",
    "lighthouse-night": "The light seen from the ferry",
    "slipway": "The boatyard's slipway",
}
"""The scenes that there are in every width, and what is written below them."""
WEBCAM_LIGHTS = ("dawn", "day", "dusk", "night", "mist")
WEBCAM_BOATS = (0, 2, 4)
"""The harbour camera has a picture of each light with as many boats."""
_HEADER_END_BYTES = 33
"""Of a PNG file: eight of signature, 25 of the header chunk, which is always the first."""


@cache
def read_picture(name: str) -> bytes:
    """A file among the pictures."""
    return files("webkeep.lab.demo").joinpath("assets", "pictures", name).read_bytes()


def add_comment(png: bytes, text: str) -> bytes:
    """The same picture with a comment (ISO/IEC 15948, 11.3.4.3): another file to whoever compares bytes."""
    chunk = b"tEXtComment\0" + text.encode("latin-1")
    framed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:_HEADER_END_BYTES] + framed + png[_HEADER_END_BYTES:]
