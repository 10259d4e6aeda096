"""What a manifest takes of pages, for plans and for what is done: how many carry it, and by how much each grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import zstandard

from webkeep.vault.container.sealing import COMPRESSION_LEVEL
from webkeep.vault.protection.plan_rule import planned_comment_bytes
from webkeep.vault.protection.vault_folder import MANIFEST
from webkeep.vault.vault_plan import DEFAULT_MANIFEST_PAGES

_MAX_BLOCK_BYTES = 12 << 10
"""Of a manifest in one page; a larger one is spread over several."""
_REDUNDANCY = 3
"""So many times as many pages carry a manifest that is spread as it takes to bring it back."""
_ESTIMATE_FACTOR = 1.5
"""What is guessed beforehand is taken so many times: names are added, and compress less well in another order."""
_FILE_FACT_BYTES = 10
"""Of size and time of a file, compressed."""
_FIXED_BYTES = 1000
"""Of a manifest that names nothing, sealed."""


@dataclass(frozen=True, slots=True)
class ManifestRoom:
    """What a manifest takes."""

    needed: int
    """Blocks that bring it back."""
    pages: int
    """Pages that are to carry it."""
    page_bytes: int
    """By which each of them grows."""

    def is_enough(self, pages: int) -> bool:
        """Whether a manifest is safe in so many pages: in one block, or in several with enough to spare."""
        return pages >= (1 if self.needed == 1 else _REDUNDANCY * self.needed)


def room_for_manifest(size: int, cipher: str, wanted_pages: int = DEFAULT_MANIFEST_PAGES) -> ManifestRoom:
    """What a manifest of a sealed size takes, where it is wanted in so many pages."""
    needed = max(1, -(-size // _MAX_BLOCK_BYTES))
    pages = max(wanted_pages, _REDUNDANCY * needed)
    return ManifestRoom(needed, pages, planned_comment_bytes(MANIFEST, size, needed, pages, cipher))


def estimate_manifest_room(page_paths: Iterable[str], file_paths: Iterable[str], cipher: str) -> ManifestRoom:
    """What is to be left free for a manifest that will name these pages and files; rather too much than too little."""
    files = list(file_paths)
    names = "\n".join([*page_paths, *files]).encode("utf-8", "surrogateescape")
    compressed = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL).compress(names)
    size = int(_ESTIMATE_FACTOR * len(compressed)) + _FILE_FACT_BYTES * len(files) + _FIXED_BYTES
    blocks = -(-size // _MAX_BLOCK_BYTES)
    # Where it turns out to take fewer blocks, these are larger, but none is larger than a block may be.
    return room_for_manifest(size if blocks == 1 else blocks * _MAX_BLOCK_BYTES, cipher)
