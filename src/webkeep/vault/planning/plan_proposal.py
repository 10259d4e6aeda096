"""A proposed vault plan: what is wanted, the layout that reaches it with the smallest blocks, and what was left undone
where nothing reaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.presentation import format_size
from webkeep.vault.planning.block_layout import (
    MIN_BLOCK_BYTES,
    CarrierRoom,
    LayoutGoal,
    PackingApproach,
    SegmentLayout,
    SegmentSource,
    lay_out_segments,
    lay_out_whole,
)
from webkeep.vault.planning.loss_model import LossModel, PageOdds
from webkeep.vault.vault_plan import DEFAULT_MANIFEST_PAGES, DEFAULT_MAX_PAGE_BYTES, CarrierPage, SegmentPlan, VaultPlan

DEFAULT_WANTED = 0.999
"""The chance that everything comes back: one site in a thousand is not brought back whole."""
DEFAULT_MAX_ADDED_BYTES = 100_000
"""What a page may grow by: more would be noticed by those who wait for it."""
_LOWER_GOALS = (0.99, 0.95, 0.9, 0.75, 0.5, 0.0, float("-inf"))
"""Chances that are gone for where what is wanted cannot be reached; the last one takes whatever fits."""
WHOLE_NAME = "everything"
_MAX_KEPT_NAME_CHARS = 40
"""Of the first component, in the name of a segment that has several: a name has 64."""
_MAX_PARTING_FACTOR = 2.0
"""How many times as large as for all-or-nothing blocks may become for the sake of segments: what partial recovery and
changes that move few blocks are worth in weight of pages."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a plan is made for."""

    sources: tuple[SegmentSource, ...]
    """Segments in the order of need: what a site cannot do without comes first."""
    pages: tuple[CarrierPage, ...]
    """In the order in which they stand in the plan, the most visible first."""
    odds: tuple[PageOdds, ...]
    """Of each page."""
    model: LossModel
    wanted: float = DEFAULT_WANTED
    approach: PackingApproach | None = None
    """None where whichever reaches what is wanted may be taken, segments before all-or-nothing."""
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_added_bytes: int = DEFAULT_MAX_ADDED_BYTES
    manifest_bytes: int = 0
    """Room that the manifest takes in its pages, as text."""
    manifest_pages: int = DEFAULT_MANIFEST_PAGES

    def __post_init__(self) -> None:
        if not 0.0 < self.wanted < 1.0:
            raise UsageError(
                f"a chance of {self.wanted:g} cannot be planned for; give one between 0 and 1, such as 0.999"
            )
        if not self.sources or not self.pages:
            raise UsageError("there is nothing to plan; give at least one component and one page")


@dataclass(frozen=True, slots=True)
class PlanProposal:
    """A plan, and how its segments are laid out."""

    plan: VaultPlan
    approach: PackingApproach
    layouts: tuple[SegmentLayout, ...]
    is_reached: bool
    """Whether it has the chance that is wanted."""


BlockRoom = Callable[[int], int]
"""How many bytes of a block so many bytes of text can take."""


def propose_plan(request: PlanRequest, block_room: BlockRoom) -> PlanProposal:
    """The plan with the smallest blocks that reaches what is wanted, or comes nearest to it."""
    rooms = [_carrier_room(request, position, block_room) for position in range(len(request.pages))]
    for wanted in (request.wanted, *(each for each in _LOWER_GOALS if each < request.wanted)):
        found = _lay_out(request, rooms, LayoutGoal(request.model, wanted))
        if found is not None:
            approach, layouts = found
            return PlanProposal(_build_plan(request, layouts), approach, layouts, wanted == request.wanted)
    raise _too_much(request, rooms)


def _lay_out(
    request: PlanRequest, rooms: Sequence[CarrierRoom], goal: LayoutGoal
) -> tuple[PackingApproach, tuple[SegmentLayout, ...]] | None:
    if request.approach is PackingApproach.SEGMENTED:
        found = lay_out_segments(request.sources, rooms, goal)
        return None if found is None else (PackingApproach.SEGMENTED, found)
    whole = lay_out_whole(merge_sources(request.sources, WHOLE_NAME), rooms, goal)
    if whole is None:
        return None
    parted = None if request.approach else _part_segments(request.sources, rooms, goal, whole[0])
    return (PackingApproach.ALL_OR_NOTHING, whole) if parted is None else (PackingApproach.SEGMENTED, parted)


def _part_segments(
    sources: Sequence[SegmentSource], rooms: Sequence[CarrierRoom], goal: LayoutGoal, whole: SegmentLayout
) -> tuple[SegmentLayout, ...] | None:
    """As many segments as pages and their weight allow: the two smallest are packed together until it can be."""
    block = -(-whole.source.sealed_bytes // whole.needed)
    parts = list(sources)
    while len(parts) > 1:
        found = lay_out_segments(parts, rooms, goal, int(max(block, MIN_BLOCK_BYTES) * _MAX_PARTING_FACTOR))
        if found is not None:
            return found
        first, second = sorted(sorted(range(len(parts)), key=lambda at: parts[at].sealed_bytes)[:2])
        parts[first] = merge_sources((parts[first], parts.pop(second)))
    return None


def merge_sources(sources: Sequence[SegmentSource], name: str = "") -> SegmentSource:
    """Components in one segment, under this name or that of the first and how many more there are."""
    if len(sources) == 1:
        return sources[0]
    components = tuple(each for source in sources for each in source.components)
    usual = f"{components[0][:_MAX_KEPT_NAME_CHARS].strip('-')}-and-{len(components) - 1}-more"
    return SegmentSource(name or usual, components, sum(source.sealed_bytes for source in sources))


def _carrier_room(request: PlanRequest, position: int, block_room: BlockRoom) -> CarrierRoom:
    page = request.pages[position]
    manifest = request.manifest_bytes if position < request.manifest_pages else 0
    text = min(request.max_page_bytes - page.size_bytes, request.max_added_bytes) - manifest
    return CarrierRoom(position, request.odds[position], max(block_room(text), 0) if text > 0 else 0)


def _build_plan(request: PlanRequest, layouts: Sequence[SegmentLayout]) -> VaultPlan:
    return VaultPlan(
        pages=request.pages,
        segments=tuple(
            SegmentPlan(
                name=each.source.name,
                components=each.source.components,
                sealed_bytes=each.source.sealed_bytes,
                needed=each.needed,
                total=len(each.pages),
                pages=tuple(page.position for page in each.pages),
            )
            for each in layouts
        ),
        max_page_bytes=request.max_page_bytes,
        manifest_pages=request.manifest_pages,
    )


def _too_much(request: PlanRequest, rooms: Sequence[CarrierRoom]) -> UsageError:
    needed = sum(source.sealed_bytes for source in request.sources)
    room = sum(page.block_bytes for page in rooms)
    return UsageError(
        f"{format_size(needed)} of packed components do not fit into {len(rooms):,} pages, which have room for "
        f"{format_size(room)}; let pages grow more, add pages, or protect less"
    )
