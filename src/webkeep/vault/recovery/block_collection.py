"""All blocks that were found, told apart by vault, segment and version; their bytes in a file, as they may be many.

Nothing that is hostile fills memory or disk: how many versions, blocks and bytes are held is bounded, and what is
beyond is counted.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.blocks.block_scanner import ScannedBlock, scan_blocks

MAX_VERSIONS = 10_000
"""Versions of segments that are held apart; a vault protected daily for a year with 20 segments has 7,300."""
MAX_HELD_BYTES = 64 << 30
"""Of all blocks together."""


@dataclass(slots=True)
class SegmentBlocks:
    """The blocks that were found of one version of a segment."""

    identity: SegmentIdentity
    places: dict[int, int] = field(default_factory=dict)
    """Where the bytes of each block begin, by its index."""
    pages: set[str] = field(default_factory=set)
    """Where they were found."""

    @property
    def missing(self) -> int:
        """How many blocks are missing to r; 0 where there are enough."""
        return max(0, self.identity.needed - len(self.places))


class BlockCollection:
    """Blocks as they are found, until they are used."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close()
        self._size = 0
        self.versions: dict[SegmentIdentity, SegmentBlocks] = {}
        self.unusable: Counter[str] = Counter()
        """What was found and is of no use, by reason."""
        self.duplicates = 0
        self.pages = 0
        """How many pages were looked at."""
        self.carriers = 0
        """How many of them had blocks that can be used."""

    def add_page(self, where: str, chunks: Iterable[bytes]) -> int:
        """Take the blocks of a page, and how many can be used."""
        found = 0
        for each in scan_blocks(chunks):
            if isinstance(each, ScannedBlock):
                self._add_block(where, each)
                found += 1
            else:
                self.unusable[each.reason] += 1
        self.pages += 1
        self.carriers += bool(found)
        return found

    def _add_block(self, where: str, block: ScannedBlock) -> None:
        identity, index = block.header.segment, block.header.index
        held = self.versions.get(identity)
        if held is None:
            if len(self.versions) >= MAX_VERSIONS:
                self.unusable["too many versions"] += 1
                return
            held = self.versions[identity] = SegmentBlocks(identity)
        if index in held.places:
            self.duplicates += 1
            return
        if self._size + len(block.data) > MAX_HELD_BYTES:
            self.unusable["too many bytes"] += 1
            return
        self._file.seek(self._size)
        self._file.write(block.data)
        held.places[index] = self._size
        held.pages.add(where)
        self._size += len(block.data)

    def read(self, held: SegmentBlocks, index: int, start: int, size: int) -> bytes:
        """Bytes of a block."""
        self._file.seek(held.places[index] + start)
        return self._file.read(size)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
