"""Tiles, the published form in which the hashes and entries of a transparency log are served (C2SP tlog-tiles): their
paths, and bundles of entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.formats.transparency.merkle_tree import HASH_BYTES, TILE_WIDTH

ENTRIES_LEVEL = -1
"""The level of a tile that has the entries themselves, which paths call `entries`."""
_MAX_TILE_LEVELS = 64
"""As the published form has it: from 0 to 63."""
_MAX_INDEX_PARTS = 7
"""Of three digits each: more leaves than a tree can have."""
_TILE_PATH = re.compile(
    rf"tile/(entries|0|[1-9]\d?)/((?:x\d{{3}}/){{0,{_MAX_INDEX_PARTS - 1}}})(\d{{3}})(?:\.p/([1-9]\d{{0,2}}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile: a stretch of up to 256 hashes of a level, or of entries."""

    level: int
    index: int
    width: int = TILE_WIDTH

    @property
    def start(self) -> int:
        """The number of its first hash in its level."""
        return self.index * TILE_WIDTH

    @property
    def path(self) -> str:
        """Where it is served, behind the prefix of its log."""
        digits = f"{self.index:03d}"
        parts = [digits[max(0, end - 3) : end].zfill(3) for end in range(len(digits), 0, -3)][::-1]
        name = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
        level = "entries" if self.level == ENTRIES_LEVEL else str(self.level)
        partial = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"tile/{level}/{name}{partial}"


def parse_tile_path(path: str) -> Tile:
    """The tile that a path names; FormatError where it names none, or not in the one way there is."""
    match = _TILE_PATH.fullmatch(path)
    if match is None:
        raise FormatError(f"{path[:200]!r} is no path of a tile", "tile path", 0)
    level, high, low, width = match.groups()
    tile = Tile(
        ENTRIES_LEVEL if level == "entries" else int(level),
        int(high.replace("x", "").replace("/", "") + low),
        int(width) if width else TILE_WIDTH,
    )
    if tile.level >= _MAX_TILE_LEVELS or tile.width > TILE_WIDTH or tile.path != path:
        raise FormatError(f"{path[:200]!r} is no path of a tile", "tile path", 0)
    return tile


def list_tiles(size: int) -> Iterable[Tile]:
    """All tiles of a log of that size, those of entries among them."""
    yield from _list_level(ENTRIES_LEVEL, size)
    level = 0
    while size:
        yield from _list_level(level, size)
        size //= TILE_WIDTH
        level += 1


def _list_level(level: int, count: int) -> Iterable[Tile]:
    full, rest = divmod(count, TILE_WIDTH)
    for index in range(full):
        yield Tile(level, index)
    if rest:
        yield Tile(level, full, rest)


def build_entry_bundle(entries: bytes) -> bytes:
    """A bundle of entries that are 32 bytes each, one behind the other."""
    prefix = HASH_BYTES.to_bytes(2, "big")
    return b"".join([prefix + entries[at : at + HASH_BYTES] for at in range(0, len(entries), HASH_BYTES)])


def parse_entry_bundle(data: bytes) -> list[bytes]:
    """The entries of a bundle; FormatError where it breaks off or has too many."""
    entries: list[bytes] = []
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        entry = data[at + 2 : at + 2 + length]
        if len(data) - at < 2 or len(entry) < length or len(entries) == TILE_WIDTH:
            raise FormatError("a bundle of entries breaks off, or has more than 256; get it again", "bundle", at)
        entries.append(entry)
        at += 2 + length
    return entries
