"""Which segments get which pages, how many blocks each needs and has, and how large blocks become: as small as they can
be with the wanted chance still reached.

Theory of operation: a smaller block means more of them are needed, and so a smaller chance. All-or-nothing puts one
segment into every page, and the most blocks that may be needed follow by halving. Segments have pages of their own, so
that a change in one moves the blocks of few pages; for one size of block they take pages in the order of need, each as
few as reach its part of the wanted chance, from the pages that are likeliest archived on; the smallest size for which
pages suffice is chosen, and pages that are left over are shared out by size. Pages of one directory are dealt out to
different segments, since they may be lost together.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.vault.planning.loss_model import LossModel, PageOdds
from webkeep.vault.planning.recovery_odds import most_that_suffice
from webkeep.vault.vault_plan import FOUNTAIN_SPARE_BLOCKS, MAX_EXACT_BLOCKS, MAX_NEEDED_BLOCKS, MAX_SEGMENT_BLOCKS

MIN_BLOCK_BYTES = 1024
"""Smaller blocks are not worth their headers, which take about half as much."""
_SIZE_STEP = 1.25
"""Sizes of blocks are tried so much larger each, until one is large enough; then the gap is halved."""
_SIZE_GRAIN_BYTES = 64
"""So near to the smallest size of a block that suffices the search ends."""


class PackingApproach(enum.StrEnum):
    """How components are packed into segments."""

    SEGMENTED = "segmented"
    ALL_OR_NOTHING = "all-or-nothing"


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """Components that belong together, and what they come to once they are packed and sealed."""

    name: str
    components: tuple[str, ...]
    sealed_bytes: int


@dataclass(frozen=True, slots=True)
class CarrierRoom:
    """A page as the layout sees it: its chances, and how many bytes of a block it can take."""

    position: int
    """Among the pages of the plan."""
    odds: PageOdds
    block_bytes: int


@dataclass(frozen=True, slots=True)
class SegmentLayout:
    """A segment with its pages."""

    source: SegmentSource
    needed: int
    pages: tuple[CarrierRoom, ...]

    @property
    def counted_blocks(self) -> int:
        """Blocks that recovery is to count with: those needed, and what the code may take beyond them."""
        return count_blocks(self.needed, len(self.pages))


@dataclass(frozen=True, slots=True)
class LayoutGoal:
    """What a layout is to reach."""

    model: LossModel
    wanted: float
    """The chance that everything comes back, where any archive answers at all."""

    def shortfall(self, parts: int) -> float:
        """How much of its chance each of so many segments may lack."""
        return self.model.any_answers * (1.0 - self.wanted) / parts

    def is_reached(self, pages: Sequence[CarrierRoom], needed: int, parts: int) -> bool:
        """Whether a segment on these pages does its part."""
        total = len(pages)
        if needed > total or total > MAX_SEGMENT_BLOCKS or needed > MAX_NEEDED_BLOCKS:
            return False
        chance = self.model.segment_chance([page.odds for page in pages], count_blocks(needed, total))
        return chance >= self.model.any_answers - self.shortfall(parts)


def count_blocks(needed: int, total: int) -> int:
    """How many of so many blocks recovery is to count with; above 255 the code is not exact."""
    return needed if total <= MAX_EXACT_BLOCKS else min(needed + FOUNTAIN_SPARE_BLOCKS, total + 1)


def order_carriers(pages: Sequence[CarrierRoom]) -> list[CarrierRoom]:
    """Pages by how likely they are archived; among equals, one of each directory in turn."""
    seen: Counter[tuple[float, str]] = Counter()
    keys: dict[int, tuple[float, int, int]] = {}
    for page in sorted(pages, key=lambda each: each.position):
        kind = (page.odds.chance, page.odds.directory)
        keys[page.position] = (-page.odds.chance, seen[kind], page.position)
        seen[kind] += 1
    return sorted(pages, key=lambda each: keys[each.position])


def lay_out_whole(
    source: SegmentSource, pages: Sequence[CarrierRoom], goal: LayoutGoal
) -> tuple[SegmentLayout, ...] | None:
    """All-or-nothing: one segment in every page that has room for its block; None where the goal is not reached."""
    carriers = order_carriers(pages)[:MAX_SEGMENT_BLOCKS]
    while carriers:
        most = _most_needed(carriers, goal)
        needed = min(most, _blocks_of(source, MIN_BLOCK_BYTES))
        block = -(-source.sealed_bytes // needed) if needed else 0
        fitting = [page for page in carriers if needed and page.block_bytes >= block]
        if fitting and len(fitting) == len(carriers):
            return (SegmentLayout(source, needed, tuple(carriers)),)
        carriers = fitting
    return None


def _most_needed(carriers: Sequence[CarrierRoom], goal: LayoutGoal) -> int:
    return most_that_suffice(lambda needed: goal.is_reached(carriers, needed, 1), len(carriers))


def lay_out_segments(
    sources: Sequence[SegmentSource], pages: Sequence[CarrierRoom], goal: LayoutGoal, max_block_bytes: int | None = None
) -> tuple[SegmentLayout, ...] | None:
    """Segments in the order of need, each on pages of its own; None where no size of block reaches the goal."""
    carriers = order_carriers(pages)
    roomiest = max((page.block_bytes for page in carriers), default=0)
    too_small = MIN_BLOCK_BYTES
    for size in _block_sizes(roomiest if max_block_bytes is None else min(roomiest, max_block_bytes)):
        found = _lay_out_sized(sources, carriers, goal, size)
        if found is None:
            too_small = size
            continue
        while size - too_small > _SIZE_GRAIN_BYTES:
            middle = (size + too_small) // 2
            smaller = _lay_out_sized(sources, carriers, goal, middle)
            size, found, too_small = (size, found, middle) if smaller is None else (middle, smaller, too_small)
        return found
    return None


def _block_sizes(roomiest: int) -> Iterator[int]:
    size = MIN_BLOCK_BYTES
    while size < roomiest:
        yield size
        size = int(size * _SIZE_STEP)
    if roomiest > 0:
        yield roomiest


def _lay_out_sized(
    sources: Sequence[SegmentSource], carriers: Sequence[CarrierRoom], goal: LayoutGoal, size: int
) -> tuple[SegmentLayout, ...] | None:
    free = [page for page in carriers if page.block_bytes >= size]
    taken: list[tuple[SegmentSource, int, list[CarrierRoom]]] = []
    for source in sources:
        needed = _blocks_of(source, size)
        count = _least_pages(free, needed, goal, len(sources))
        if count is None:
            return None
        taken.append((source, needed, free[:count]))
        free = free[count:]
    for page, (_, _, held) in zip(free, _share_out(taken, len(free)), strict=False):
        held.append(page)
    return tuple(SegmentLayout(source, needed, tuple(held)) for source, needed, held in taken)


def _least_pages(free: Sequence[CarrierRoom], needed: int, goal: LayoutGoal, parts: int) -> int | None:
    """How many of the first free pages reach the goal; None where all of them do not."""
    limit = min(len(free), MAX_SEGMENT_BLOCKS)
    if not goal.is_reached(free[:limit], needed, parts):
        return None
    low, high = needed, limit
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if goal.is_reached(free[:middle], needed, parts) else (middle + 1, high)
    return low


def _share_out(
    taken: Sequence[tuple[SegmentSource, int, list[CarrierRoom]]], count: int
) -> Iterator[tuple[SegmentSource, int, list[CarrierRoom]]]:
    """To whom each page that is left over goes: whoever has the fewest pages for the blocks it needs.

    A segment stays within the blocks of an exact code if it is, since what is beyond costs spare blocks.
    """
    for _ in range(count):
        open_ones = [each for each in taken if len(each[2]) not in (MAX_EXACT_BLOCKS, MAX_SEGMENT_BLOCKS)]
        if not open_ones:
            return
        yield min(open_ones, key=lambda each: len(each[2]) / each[1])


def _blocks_of(source: SegmentSource, size: int) -> int:
    return max(1, -(-source.sealed_bytes // size))
