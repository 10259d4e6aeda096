"""A plan by a plain rule, for who asks for none: every segment over all pages, three tenths of which suffice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webkeep.errors import UsageError
from webkeep.vault.blocks.block_comment import comment_bytes
from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.vault_plan import (
    MAX_NEEDED_BLOCKS,
    MAX_SEGMENT_BLOCKS,
    CarrierPage,
    SegmentPlan,
    VaultPlan,
    code_for,
)

NEEDED_SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Shares of the pages that are to suffice: the smallest whose blocks fit the pages is taken."""
_LEAST_BLOCK_BYTES = 1024
"""Smaller ones would be mostly head."""
_PLACEHOLDER_DIGEST = "0" * 64
_PLACEHOLDER_KEY = "A" * 43 + "="
_PLACEHOLDER_VERSION = "20000101T000000Z-00000000"


def planned_comment_bytes(name: str, size: int, needed: int, total: int, cipher: str) -> int:
    """How long the comment is of each block of a segment that is not made yet."""
    identity = SegmentIdentity(
        _PLACEHOLDER_KEY, name, _PLACEHOLDER_VERSION, code_for(total), total, needed, size, _PLACEHOLDER_DIGEST, cipher
    )
    return comment_bytes(identity)


def order_by_visibility(pages: Sequence[CarrierPage]) -> tuple[CarrierPage, ...]:
    """Pages with those first that are nearest to the root, which crawlers find first."""

    def visibility(page: CarrierPage) -> tuple[float, int, bool, str]:
        path = page.path.partition("?")[0]
        is_index = path.endswith(("/", "/index.html", "/index.htm"))
        return -(page.archived_share or 0.0), path.count("/"), not is_index, page.path

    return tuple(sorted(pages, key=visibility))


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How far pages may be filled."""

    max_page_bytes: int
    manifest_bytes: int
    """Left free for the manifest in each page that is to carry it."""
    manifest_pages: int
    """How many of the most visible pages are to carry it."""

    def room_in(self, position: int, page: CarrierPage) -> int:
        """How much a page may grow by, at its place among the most visible."""
        manifest = self.manifest_bytes if position < self.manifest_pages else 0
        return self.max_page_bytes - page.size_bytes - manifest


def plan_by_rule(
    segments: Sequence[tuple[str, tuple[str, ...], int]], pages: Sequence[CarrierPage], limits: PageLimits, cipher: str
) -> VaultPlan:
    """A plan for segments (name, components, sealed size); raises UsageError where pages have too little room."""
    ordered = order_by_visibility(pages)[:MAX_SEGMENT_BLOCKS]
    room = [limits.room_in(position, page) for position, page in enumerate(ordered)]
    for share in NEEDED_SHARES:
        counts = [_needed_blocks(size, len(ordered), share) for _, _, size in segments]
        added = sum(
            planned_comment_bytes(name, size, needed, len(ordered), cipher)
            for (name, _, size), needed in zip(segments, counts, strict=True)
        )
        carriers = [position for position, each in enumerate(room) if each >= added]
        if len(carriers) >= 0.9 * len(ordered) and carriers:
            plan = _plan_over(segments, ordered, carriers, share)
            return replace(plan, max_page_bytes=limits.max_page_bytes, manifest_pages=limits.manifest_pages)
    total = sum(size for _, _, size in segments)
    raise UsageError(
        f"{total:,} sealed bytes do not fit into {len(ordered):,} pages of at most {limits.max_page_bytes:,} bytes; "
        "protect less (--exclude), allow larger pages (--max-page-size) or have more pages"
    )


def _plan_over(
    segments: Sequence[tuple[str, tuple[str, ...], int]],
    pages: tuple[CarrierPage, ...],
    carriers: Sequence[int],
    share: float,
) -> VaultPlan:
    total = len(carriers)
    made = tuple(
        SegmentPlan(name, components, size, _needed_blocks(size, total, share), total, tuple(carriers))
        for name, components, size in segments
    )
    return VaultPlan(pages, made)


def _needed_blocks(size: int, total: int, share: float) -> int:
    by_size = max(1, -(-size // _LEAST_BLOCK_BYTES))
    return max(1, min(int(share * total), by_size, MAX_NEEDED_BLOCKS))


def grown_page_sizes(plan: VaultPlan, cipher: str) -> list[int]:
    """How large each page becomes by the blocks of all segments."""
    sizes = [page.size_bytes for page in plan.pages]
    for segment in plan.segments:
        added = planned_comment_bytes(segment.name, segment.sealed_bytes, segment.needed, segment.total, cipher)
        for page in segment.pages:
            sizes[page] += added
    return sizes


def check_page_sizes(plan: VaultPlan, cipher: str) -> None:
    """Raise UsageError where a page would become larger than it may."""
    sizes = grown_page_sizes(plan, cipher)
    largest = max(range(len(sizes)), key=sizes.__getitem__, default=None)
    if largest is not None and sizes[largest] > plan.max_page_bytes:
        raise UsageError(
            f"{plan.pages[largest].path} would grow to {sizes[largest]:,} bytes, beyond the {plan.max_page_bytes:,} "
            "that pages may have; plan again, or allow more by --max-page-size"
        )
