"""The compressed index of a WACZ (ZipNum) as it is written: gzip blocks of CDXJ lines, how many lines are in a block,
and a second index of where each block begins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

from isal import isal_zlib

from webkeep.errors import UsageError

LINES_PER_BLOCK = 1024
"""Lines to a block: what replay tools load to answer for one URL."""


class WaczIndexBlocks:
    """Compresses sorted lines and keeps, for each block, its first line's place."""

    def __init__(self, filename: str) -> None:
        self._entries = [f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': filename})}\n"]
        self._offset = 0
        self._last = ""

    def compress_lines(self, lines: Iterable[str]) -> Iterator[bytes]:
        """One gzip member for each block; the lines come sorted and without their ends."""
        block: list[str] = []
        for line in lines:
            self._check_order(line)
            block.append(line)
            if len(block) == LINES_PER_BLOCK:
                yield self._compress_block(block)
                block = []
        if block:
            yield self._compress_block(block)

    def entries(self) -> Iterator[bytes]:
        """The second index."""
        return (entry.encode("utf-8", "surrogateescape") for entry in self._entries)

    def _check_order(self, line: str) -> None:
        # Code points and UTF-8 bytes have one order, so text may be compared.
        if line < self._last:
            raise UsageError(f"index lines are not sorted: {line[:80]!r} comes after {self._last[:80]!r}; sort them")
        self._last = line

    def _compress_block(self, block: list[str]) -> bytes:
        text = "".join(f"{line}\n" for line in block).encode("utf-8", "surrogateescape")
        compressor = isal_zlib.compressobj(level=2, wbits=31)
        data = compressor.compress(text) + compressor.flush()
        place = {"offset": self._offset, "length": len(data), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        prefix = block[0].partition("{")[0].rstrip()
        self._entries.append(f"{prefix} {json.dumps(place)}\n")
        self._offset += len(data)
        return data
