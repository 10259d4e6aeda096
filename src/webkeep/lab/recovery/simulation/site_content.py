"""What the resources of a simulated lost site are called, and what is in them, the same for the same number."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterable

from webkeep.lab.recovery.simulation.lost_site import ROOT_NUMBER, LostSite, WorldKind

_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa")
_WORDS_A_PAGE = 60
"""So many that ten-word shingles of two pages hardly meet."""
MEDIA_TYPES = {
    WorldKind.HTML: "text/html",
    WorldKind.IMAGE: "image/png",
    WorldKind.DOCUMENT: "application/pdf",
    WorldKind.OTHER: "application/zip",
}


def site_origin(world: LostSite) -> str:
    """Where the site was, with a slash at the end."""
    return f"http://www.lost{world.number}.example/"


def resource_url(world: LostSite, number: int) -> str:
    """The URL of a resource."""
    if number == ROOT_NUMBER:
        return site_origin(world)
    match world.kinds[number]:
        case WorldKind.HTML:
            path = f"part{number % 7}/page{number}.html"
        case WorldKind.IMAGE:
            path = f"images/picture{number}.png"
        case WorldKind.DOCUMENT:
            path = f"papers/paper{number}.pdf"
        case WorldKind.OTHER:
            path = f"files/file{number}.zip"
    return site_origin(world) + path


def resource_body(world: LostSite, number: int) -> bytes:
    """The content of a resource."""
    match world.kinds[number]:
        case WorldKind.HTML:
            return render_page(world, number)
        case WorldKind.IMAGE:
            return render_picture(number)
        case WorldKind.DOCUMENT:
            return b"%PDF-1.4\n% " + draw_words(f"{world.number}/{number}").encode() + b"\n%%EOF\n"
        case WorldKind.OTHER:
            return b"PK\x05\x06" + bytes(16) + struct.pack("<H", 4) + struct.pack("<I", number)


def render_page(world: LostSite, number: int) -> bytes:
    """A page of text with its links and pictures."""
    title = draw_words(f"{world.number}/{number}/title", 4)
    targets = world.links.get(number, ())
    pieces = [
        f"<!doctype html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1>",
        f"<p>{draw_words(f'{world.number}/{number}')}</p>",
        *(_render_link(world, target) for target in targets),
        "</body></html>\n",
    ]
    return "\n".join(pieces).encode()


def _render_link(world: LostSite, target: int) -> str:
    url = resource_url(world, target).removeprefix(site_origin(world).rstrip("/"))
    if world.kinds[target] is WorldKind.IMAGE:
        return f'<img src="{url}" alt="">'
    return f'<a href="{url}">{draw_words(url, 2)}</a>'


def draw_words(seed: str, count: int = _WORDS_A_PAGE) -> str:
    """Words of no language, which no other seed gives."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices(_SYLLABLES, k=3)) for _ in range(count))


def render_picture(number: int) -> bytes:
    """A picture of one point, whose colour is the number."""
    colour = bytes([0, number >> 16 & 255, number >> 8 & 255, number & 255])
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(colour)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + _join_chunks(chunks)


def _join_chunks(chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
