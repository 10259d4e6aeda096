"""The plan of a vault: which segments there are, how many blocks each has and needs, which page carries which block.

A segment of `needed` (r) data blocks becomes `total` (n) coded blocks, any r of which bring it back. Up to 255 blocks
that is exact; above, a fountain code needs `spare_blocks` more than r now and then, and a plan counts with them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.errors import UsageError

MAX_EXACT_BLOCKS = 255
"""Blocks up to which any r of n suffice exactly: a code over bytes has no more."""
MAX_SEGMENT_BLOCKS = 60_000
"""Blocks of one segment; a site of more pages has more segments."""
MAX_NEEDED_BLOCKS = 56_403
"""Source symbols of one block of the fountain code (RFC 6330)."""
FOUNTAIN_SPARE_BLOCKS = 2
"""Blocks beyond r with which the fountain code fails less than once in a million times; with r it does once in 100."""
DEFAULT_MAX_PAGE_BYTES = 214_000
"""The tightest limit that was measured for what a repository keeps of one page."""

DEFAULT_MANIFEST_PAGES = 8
"""Pages that carry the manifest, unless it is so large that it takes more."""


class ErasureCode(enum.StrEnum):
    """How blocks are made of a segment."""

    REED_SOLOMON = "rs-gf256-cauchy"
    RAPTORQ = "raptorq-rfc6330"


def code_for(total: int) -> ErasureCode:
    """The code that a segment of so many blocks has."""
    return ErasureCode.REED_SOLOMON if total <= MAX_EXACT_BLOCKS else ErasureCode.RAPTORQ


@dataclass(frozen=True, slots=True)
class CarrierPage:
    """A page that can carry blocks."""

    path: str
    """Its path on the site, from the first slash on, with its query; in a tree, the file's: `/a/index.html`. Nothing
    in it is escaped but in the query."""
    size_bytes: int
    """Without any blocks."""
    archived_share: float | None = None
    """How likely an archive holds it, where that is known."""


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """Components that are packed, sealed and spread together."""

    name: str
    components: tuple[str, ...]
    """Names of the components in it; a component is in one segment only."""
    sealed_bytes: int
    """Its size packed, compressed and encrypted, as far as it is known when the plan is made."""
    needed: int
    """r: blocks that bring it back."""
    total: int
    """n: blocks there are."""
    pages: tuple[int, ...]
    """Which page carries each block, as positions in the plan's pages; as many as there are blocks."""

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.total <= MAX_SEGMENT_BLOCKS or self.needed > MAX_NEEDED_BLOCKS:
            raise UsageError(
                f"segment {self.name!r} needs {self.needed:,} of {self.total:,} blocks; r is at least 1 and at most n, "
                f"and n at most {MAX_SEGMENT_BLOCKS:,}: choose larger blocks or more segments"
            )
        if len(self.pages) != self.total:
            raise UsageError(f"segment {self.name!r} has {self.total:,} blocks and {len(self.pages):,} pages for them")

    @property
    def code(self) -> ErasureCode:
        """The code its blocks are made by."""
        return code_for(self.total)

    @property
    def block_bytes(self) -> int:
        """Bytes of each block, before they are written as text."""
        return max(1, -(-self.sealed_bytes // self.needed))

    @property
    def spare_blocks(self) -> int:
        """Blocks beyond r that recovery is to count with."""
        return 0 if self.code is ErasureCode.REED_SOLOMON else FOUNTAIN_SPARE_BLOCKS


@dataclass(frozen=True, slots=True)
class VaultPlan:
    """Everything that is decided before blocks are made."""

    pages: tuple[CarrierPage, ...]
    """The pages that carry blocks, those that are likeliest archived first."""
    segments: tuple[SegmentPlan, ...]
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    """No page becomes larger than that."""
    manifest_pages: int = DEFAULT_MANIFEST_PAGES
    """The manifest is in so many of the first pages."""

    def __post_init__(self) -> None:
        names = [name for segment in self.segments for name in segment.components]
        if len(set(names)) != len(names) or len({segment.name for segment in self.segments}) != len(self.segments):
            raise UsageError("a plan names a segment or a component twice; each is in it once")
        if any(not 0 <= page < len(self.pages) for segment in self.segments for page in segment.pages):
            raise UsageError("a plan puts a block into a page that it does not have; make the plan anew")
