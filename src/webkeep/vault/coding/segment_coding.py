"""A sealed segment as a file becomes blocks as a file, and comes back out of any blocks that suffice; stripe by stripe,
so that memory does not grow with its size.

Block i of r is the i-th part of the segment (the last padded with zeros), so that the first r blocks are the segment
itself, whatever becomes of this program. Blocks lie one behind the other in their file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.vault.coding.fountain import SYMBOL_ALIGNMENT_BYTES, decode_symbols, encode_symbols, symbol_bytes
from webkeep.vault.coding.reed_solomon import STRIPE_BYTES, decode_stripe, encode_stripe
from webkeep.vault.vault_plan import ErasureCode, code_for

_MAX_STRIPE_BYTES = 8 << 20
"""Bytes of all blocks together that are worked on at once."""


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """How a segment is cut into blocks."""

    size: int
    """Bytes of the sealed segment."""
    needed: int
    total: int

    @property
    def code(self) -> ErasureCode:
        """The code that the blocks are of."""
        return code_for(self.total)

    @property
    def block_bytes(self) -> int:
        """Bytes of each block."""
        return block_bytes_of(self.size, self.needed, self.total)

    def stripes(self) -> Iterator[tuple[int, int]]:
        """Offset in each block and width of the stripes, in order."""
        if self.code is ErasureCode.RAPTORQ:
            width = symbol_bytes(self.needed)
        else:
            width = max(1024, min(STRIPE_BYTES, _MAX_STRIPE_BYTES // self.total))
        for start in range(0, self.block_bytes, width):
            yield start, min(width, self.block_bytes - start)


def block_bytes_of(size: int, needed: int, total: int) -> int:
    """Bytes of each of the blocks that a segment of a size becomes."""
    least = max(1, -(-size // needed))
    if code_for(total) is ErasureCode.REED_SOLOMON:
        return least
    return -(-least // SYMBOL_ALIGNMENT_BYTES) * SYMBOL_ALIGNMENT_BYTES


def encode_segment(source: BinaryIO, layout: BlockLayout, target: BinaryIO) -> None:
    """Write all blocks of a segment, one behind the other."""
    size = layout.block_bytes
    encode = encode_symbols if layout.code is ErasureCode.RAPTORQ else encode_stripe
    for start, width in layout.stripes():
        data = [_read_padded(source, index * size + start, width) for index in range(layout.needed)]
        for index, piece in enumerate(encode(data, layout.total)):
            os.pwrite(target.fileno(), piece, index * size + start)


BlockReader = Callable[[int, int, int], bytes]
"""Bytes of a block that is held: its index, where they begin, and how many."""


def decode_segment(held: Sequence[int], read: BlockReader, layout: BlockLayout, target: BinaryIO) -> bool:
    """Write a segment out of blocks that are held; False where these do not suffice, by bad luck of a fountain code."""
    size, chosen = layout.block_bytes, _choose_blocks(held, layout)
    for start, width in layout.stripes():
        data = _decode_pieces({index: read(index, start, width) for index in chosen}, layout)
        if data is None:
            return False
        for index in range(layout.needed):
            piece = data[index * width : (index + 1) * width]
            os.pwrite(target.fileno(), piece, index * size + start)
    target.truncate(layout.size)
    return True


def _choose_blocks(held: Sequence[int], layout: BlockLayout) -> list[int]:
    """The blocks to decode by: those of the data where they are held, as they need no decoding."""
    ordered = sorted(held)
    return ordered if layout.code is ErasureCode.RAPTORQ else ordered[: layout.needed]


def _decode_pieces(pieces: Mapping[int, bytes], layout: BlockLayout) -> bytes | None:
    if layout.code is ErasureCode.RAPTORQ:
        return decode_symbols(pieces, layout.needed)
    return decode_stripe(pieces, layout.needed, layout.total)


def _read_padded(source: BinaryIO, offset: int, width: int) -> bytes:
    return os.pread(source.fileno(), width, offset).ljust(width, b"\0")
