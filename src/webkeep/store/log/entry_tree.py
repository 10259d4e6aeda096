"""The tree over entries that are read from somewhere: leaves are hashed when they are asked for, the rows above them
once and then held.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from webkeep.formats.transparency import TILE_WIDTH, GrowingTree, hash_leaves

_ENTRIES_PER_READ = TILE_WIDTH * 256
"""Read at a time where all are read: 2 MB."""

EntryReader = Callable[[int, int], bytes]
"""Reads so many entries from a number on."""


class EntryTree:
    """The hashes of the tree over a growing row of entries."""

    def __init__(self, read_entries: EntryReader, row: bytes = b"") -> None:
        """`row` has the hashes of the first full tiles of leaves, where they are known."""
        self._read_entries = read_entries
        self._growing = threading.Lock()
        self._rows = GrowingTree()
        self._rows.add_tiles(row)

    def read_hashes(self, row: int, start: int, count: int) -> bytes:
        """So many hashes of a row of the tree."""
        if row == 0:
            return hash_leaves(self._read_entries(start, count))
        self.grow((start + count) * TILE_WIDTH**row)
        return self._rows.read_hashes(row, start, count)

    def grow(self, size: int) -> None:
        """Hash what lies in full tiles among the first so many entries."""
        end = size - size % TILE_WIDTH
        with self._growing:
            for start in range(self._rows.size, end, _ENTRIES_PER_READ):
                self._rows.add_leaves(hash_leaves(self._read_entries(start, min(_ENTRIES_PER_READ, end - start))))

    @property
    def row(self) -> bytes:
        """The hashes of all full tiles of leaves so far."""
        return bytes(self._rows.rows[0]) if self._rows.rows else b""
