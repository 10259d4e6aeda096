"""The hashes of a Merkle tree (RFC 6962, 2.1; RFC 9162, 2.1): of leaves, of nodes, of any range of leaves, out of
hashes that are kept one for each 256 of the level below.

Theory of operation. A tree is kept as rows of hashes: row 0 has one for each leaf, row 1 one for each 256 leaves, row 2
one for each 65,536, as tiles have them. What lies between two rows is computed when it is asked for: of a node that is
2^r hashes of its row wide, that is 2^r - 1 hashes. So any root, and any proof, is had from at most 256 hashes a row.
"""

from __future__ import annotations

import hashlib
from typing import Protocol

HASH_BYTES = 32
"""The length of a SHA-256."""
TILE_WIDTH = 256
"""Hashes of one row that are one in the row above; the published form of tiles has it so."""
_ROW_HEIGHT = 8
"""Levels of the tree from one row to the next: 2^8 is the width of a tile."""
EMPTY_ROOT = hashlib.sha256().digest()
"""The root of a tree without leaves."""


class TreeHashes(Protocol):
    """Where the rows of a tree are kept."""

    def read_hashes(self, row: int, start: int, count: int) -> bytes:
        """So many hashes of a row, one behind the other; all of them are complete."""
        ...


def hash_leaf(entry: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """The hash of a node over two others."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def hash_complete(hashes: bytes) -> bytes:
    """The hash over hashes of one level whose number is a power of two."""
    sha256 = hashlib.sha256
    while len(hashes) > HASH_BYTES:
        hashes = b"".join(
            [
                sha256(b"\x01" + hashes[at : at + 2 * HASH_BYTES]).digest()
                for at in range(0, len(hashes), 2 * HASH_BYTES)
            ]
        )
    return hashes


def hash_leaves(entries: bytes) -> bytes:
    """The leaf hashes of entries that are 32 bytes each, one behind the other."""
    sha256 = hashlib.sha256
    return b"".join(
        [sha256(b"\x00" + entries[at : at + HASH_BYTES]).digest() for at in range(0, len(entries), HASH_BYTES)]
    )


def range_hash(tree: TreeHashes, start: int, end: int) -> bytes:
    """The hash over the leaves from `start` to before `end`, as RFC 6962 splits them."""
    count = end - start
    if count <= 0:
        return EMPTY_ROOT
    if count & (count - 1) == 0 and start % count == 0:
        row, levels = divmod(count.bit_length() - 1, _ROW_HEIGHT)
        return hash_complete(tree.read_hashes(row, start >> (row * _ROW_HEIGHT), 1 << levels))
    middle = start + split_point(count)
    return hash_node(range_hash(tree, start, middle), range_hash(tree, middle, end))


def tree_root(tree: TreeHashes, size: int) -> bytes:
    """The root of the tree of the first so many leaves."""
    return range_hash(tree, 0, size)


def split_point(count: int) -> int:
    """How many of more than one leaf are to the left: the largest power of two that is less."""
    return 1 << ((count - 1).bit_length() - 1)


class GrowingTree:
    """The rows of a tree in memory, fed with leaves in order; of row 0 only what the last tile has is held.

    It makes the rows above, and says which hashes are new in them. Roots are those of what was fed so far.
    """

    def __init__(self) -> None:
        self.rows: list[bytearray] = []
        """Row 1 and those above it."""
        self.size = 0
        self._pending = bytearray()

    def add_leaves(self, hashes: bytes) -> None:
        """Append leaf hashes, one behind the other."""
        self.size += len(hashes) // HASH_BYTES
        pending = self._pending
        pending += hashes
        tile = TILE_WIDTH * HASH_BYTES
        done = len(pending) - len(pending) % tile
        for at in range(0, done, tile):
            self._add_hash(0, hash_complete(bytes(pending[at : at + tile])))
        del pending[:done]

    def add_tiles(self, hashes: bytes) -> None:
        """Append full tiles of leaves, each by its hash; no leaves may wait for their tile to be full."""
        self.size += len(hashes) // HASH_BYTES * TILE_WIDTH
        for at in range(0, len(hashes), HASH_BYTES):
            self._add_hash(0, hashes[at : at + HASH_BYTES])

    def _add_hash(self, above: int, value: bytes) -> None:
        if above == len(self.rows):
            self.rows.append(bytearray())
        row = self.rows[above]
        row += value
        if len(row) % (TILE_WIDTH * HASH_BYTES) == 0:
            self._add_hash(above + 1, hash_complete(bytes(row[-TILE_WIDTH * HASH_BYTES :])))

    def read_hashes(self, row: int, start: int, count: int) -> bytes:
        """Hashes of a row; of row 0, those of the last tile."""
        if row == 0:
            held_from = self.size - len(self._pending) // HASH_BYTES
            start -= held_from
            return bytes(self._pending[start * HASH_BYTES : (start + count) * HASH_BYTES])
        return bytes(self.rows[row - 1][start * HASH_BYTES : (start + count) * HASH_BYTES])

    @property
    def root(self) -> bytes:
        """The root of all leaves so far."""
        return tree_root(self, self.size)
