"""Tiles: their paths are the published ones, each in one way only; bundles of entries."""

import pytest

from webkeep.errors import FormatError
from webkeep.formats.transparency import (
    ENTRIES_LEVEL,
    Tile,
    build_entry_bundle,
    list_tiles,
    parse_entry_bundle,
    parse_tile_path,
)

PATHS = {
    "tile/0/000": Tile(0, 0),
    "tile/3/x001/x234/067": Tile(3, 1_234_067),
    "tile/0/x001/000.p/112": Tile(0, 1000, 112),
    "tile/entries/017": Tile(ENTRIES_LEVEL, 17),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_names_a_tile(path: str) -> None:
    assert parse_tile_path(path) == PATHS[path]
    assert PATHS[path].path == path


@pytest.mark.parametrize(
    "path",
    ["tile/64/000", "tile/00/000", "tile/0/00", "tile/0/x000/001", "tile/0/0000", "tile/0/000.p/256", "tile/0/000.p/0",
     "tile/0/000.p/01", "tile/0/../000", "tile/0/٠٠٠", "tile/0/000/", "/tile/0/000", "tile/-1/000", ""],
)  # fmt: skip
def test_what_is_no_path_of_a_tile_is_refused(path: str) -> None:
    with pytest.raises(FormatError):
        parse_tile_path(path)


def test_the_tiles_of_a_log_are_those_of_the_published_example() -> None:
    tiles = list(list_tiles(70_000))
    of_level = {level: [tile for tile in tiles if tile.level == level] for level in (ENTRIES_LEVEL, 0, 1, 2, 3)}
    assert [len(of_level[level]) for level in (ENTRIES_LEVEL, 0, 1, 2, 3)] == [274, 274, 2, 1, 0]
    assert [of_level[level][-1].width for level in (0, 1, 2)] == [112, 17, 1]
    assert [tile.path for tile in list_tiles(256)] == ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]


def test_a_bundle_has_its_entries() -> None:
    entries = [bytes([number]) * 32 for number in range(3)]
    assert parse_entry_bundle(build_entry_bundle(b"".join(entries))) == entries


@pytest.mark.parametrize("data", [b"\x00", b"\x00\x05abc", b"\x00\x00" * 257])
def test_a_bundle_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_entry_bundle(data)
