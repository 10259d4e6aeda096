"""What the resources of a simulated site are called, and what is in them: the same for the same site and number."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterable

from webkeep.lab.recovery.world import ROOT, Kind, World

_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa")
_WORDS = 60
MEDIA_TYPES = {
    Kind.HTML: "text/html",
    Kind.IMAGE: "image/png",
    Kind.DOCUMENT: "application/pdf",
    Kind.OTHER: "application/zip",
}


def origin(world: World) -> str:
    """Where the site was, with a slash at the end."""
    return f"http://www.lost{world.number}.example/"


def url_of(world: World, number: int) -> str:
    """The URL of a resource."""
    if number == ROOT:
        return origin(world)
    match world.kinds[number]:
        case Kind.HTML:
            path = f"part{number % 7}/page{number}.html"
        case Kind.IMAGE:
            path = f"images/picture{number}.png"
        case Kind.DOCUMENT:
            path = f"papers/paper{number}.pdf"
        case Kind.OTHER:
            path = f"files/file{number}.zip"
    return origin(world) + path


def body_of(world: World, number: int) -> bytes:
    """The content of a resource."""
    match world.kinds[number]:
        case Kind.HTML:
            return page(world, number)
        case Kind.IMAGE:
            return picture(number)
        case Kind.DOCUMENT:
            return b"%PDF-1.4\n% " + words(f"{world.number}/{number}").encode() + b"\n%%EOF\n"
        case Kind.OTHER:
            return b"PK\x05\x06" + bytes(16) + struct.pack("<H", 4) + struct.pack("<I", number)


def page(world: World, number: int) -> bytes:
    """A page of text with its links and pictures."""
    title = words(f"{world.number}/{number}/title", 4)
    targets = world.links.get(number, ())
    pieces = [
        f"<!doctype html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1>",
        f"<p>{words(f'{world.number}/{number}')}</p>",
        *(_link(world, target) for target in targets),
        "</body></html>\n",
    ]
    return "\n".join(pieces).encode()


def _link(world: World, target: int) -> str:
    url = url_of(world, target).removeprefix(origin(world).rstrip("/"))
    if world.kinds[target] is Kind.IMAGE:
        return f'<img src="{url}" alt="">'
    return f'<a href="{url}">{words(url, 2)}</a>'


def words(seed: str, count: int = _WORDS) -> str:
    """Words of no language, which no other seed gives."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices(_SYLLABLES, k=3)) for _ in range(count))


def picture(number: int) -> bytes:
    """A picture of one point, whose colour is the number."""
    colour = bytes([0, number >> 16 & 255, number >> 8 & 255, number & 255])
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(colour)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + _joined(chunks)


def _joined(chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
