"""All blocks that were found, told apart by vault, segment and version; their bytes in a file, as they may be many.

Nothing that is hostile fills memory or disk: how many versions, blocks and bytes are held is bounded. Blocks of vaults
that are not wanted take nothing of that; where a vault has more versions than can be held, its oldest go first. What is
left out is counted.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.errors import StorageError
from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.blocks.block_scanner import ScannedBlock, scan_blocks

MAX_VERSIONS = 10_000
"""Versions of segments that are held apart; a vault protected daily for a year with 20 segments has 7,300."""
MAX_BLOCKS = 2_000_000
"""Blocks that are held, in some 200 MB of memory: of 20,000 pages, a hundred versions."""
MAX_HELD_BYTES = 64 << 30
"""Of all blocks together."""
_MAX_VAULTS = 100_000
"""Vaults whose blocks are counted, in some 20 MB."""


@dataclass(slots=True)
class SegmentBlocks:
    """The blocks that were found of one version of a segment."""

    identity: SegmentIdentity
    places: dict[int, int] = field(default_factory=dict)
    """Where the bytes of each block begin, by its index."""

    @property
    def missing(self) -> int:
        """How many blocks are missing to r; 0 where there are enough."""
        return max(0, self.identity.needed - len(self.places))


class BlockCollection:
    """Blocks as they are found, until they are used."""

    def __init__(self, folder: Path | None = None, vault: str = "") -> None:
        """Hold bytes in a folder; of a vault alone whose name begins so, where it is given."""
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close()
        self._size = self._blocks = 0
        self._wanted = vault
        self._oldest: dict[str, list[tuple[str, int, SegmentIdentity]]] = {}
        """The versions of each vault, as a heap."""
        self.versions: dict[SegmentIdentity, SegmentBlocks] = {}
        self.vaults: Counter[str] = Counter()
        """How many blocks there were of each vault, those that are not held as well."""
        self.unusable: Counter[str] = Counter()
        """What was found and is of no use, by reason."""
        self.duplicates = 0
        self.pages = 0
        """How many pages were looked at."""
        self.carriers = 0
        """How many of them had blocks that can be used."""

    def add_page(self, where: str, chunks: Iterable[bytes]) -> int:
        """Take the blocks of a page, and how many can be used; where it is, is said of a disk that is full."""
        found = 0
        for each in scan_blocks(chunks):
            if not isinstance(each, ScannedBlock):
                self.unusable[each.reason] += 1
            elif self._is_wanted(each.header.segment.vault):
                self._add_block(where, each)
                found += 1
        self.pages += 1
        self.carriers += bool(found)
        return found

    def _is_wanted(self, vault: str) -> bool:
        if vault in self.vaults or len(self.vaults) < _MAX_VAULTS:
            self.vaults[vault] += 1
        return vault.startswith(self._wanted)

    def _add_block(self, where: str, block: ScannedBlock) -> None:
        identity, index = block.header.segment, block.header.index
        held = self.versions.get(identity)
        if held is not None and index in held.places:
            self.duplicates += 1
        elif held is None and len(self.versions) >= MAX_VERSIONS and not self._make_room(identity):
            self.unusable["too many versions"] += 1
        elif self._blocks >= MAX_BLOCKS and not self._make_room(identity):
            self.unusable["too many blocks"] += 1
        elif self._size + len(block.data) > MAX_HELD_BYTES:
            self.unusable["too many bytes"] += 1
        else:
            self._hold(where, self.versions.get(identity) or self._begin_version(identity), block)

    def _make_room(self, identity: SegmentIdentity) -> bool:
        """Let go of the oldest version of the same vault, where it is older than this one."""
        oldest = self._oldest.get(identity.vault, [])
        if not oldest or oldest[0][0] >= identity.version:
            return False
        _, _, given_up = heappop(oldest)
        blocks = len(self.versions.pop(given_up).places)
        self._blocks -= blocks
        self.unusable["too many versions"] += blocks
        return True

    def _begin_version(self, identity: SegmentIdentity) -> SegmentBlocks:
        held = self.versions[identity] = SegmentBlocks(identity)
        heappush(self._oldest.setdefault(identity.vault, []), (identity.version, id(held), identity))
        return held

    def _hold(self, where: str, held: SegmentBlocks, block: ScannedBlock) -> None:
        try:
            self._file.seek(self._size)
            self._file.write(block.data)
        except OSError as error:
            raise StorageError(f"the blocks of {where} cannot be kept ({error.strerror}); make room") from error
        held.places[block.header.index] = self._size
        self._size += len(block.data)
        self._blocks += 1

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
