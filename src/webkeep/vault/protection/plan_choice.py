"""Which plan a vault is protected by: the one that was given, the last one while it fits, or one by rule; and which
components make up its segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webkeep.errors import UsageError
from webkeep.vault.components.component import Component
from webkeep.vault.protection.manifest import MAX_LISTED_FILES
from webkeep.vault.protection.manifest_room import estimate_manifest_room
from webkeep.vault.protection.plan_rule import PageLimits, check_page_sizes, plan_by_rule
from webkeep.vault.protection.protection_request import ProtectionRequest
from webkeep.vault.protection.segment_packing import PackedSegment
from webkeep.vault.protection.vault_folder import MANIFEST, VaultState
from webkeep.vault.vault_plan import DEFAULT_MAX_PAGE_BYTES, VaultPlan

_MAX_GONE_SHARE = 0.1
"""Of the pages that carry blocks may be gone before all blocks are assigned anew, which moves every one of them."""


def group_components(request: ProtectionRequest, before: VaultState | None) -> list[tuple[str, tuple[Component, ...]]]:
    """Segments by name, each with its components: as the plan says, all in one, as they were, or each by itself."""
    by_name = {each.name: each for each in request.components}
    if len(by_name) != len(request.components):
        raise UsageError("two components have one name; give them names of their own as NAME=PATH")
    if MANIFEST in by_name:
        raise UsageError(f"a component cannot be called {MANIFEST!r}; give it another name as NAME=PATH")
    if request.plan is not None:
        planned = _components_of(request.plan)
        if planned != set(by_name):
            raise UsageError(
                f"the plan is for the components {', '.join(sorted(planned))}, and these are "
                f"{', '.join(sorted(by_name))}; plan again"
            )
        return _group_as_in(request.plan, by_name)
    if request.together:
        return [("site", request.components)]
    if before is not None and not request.replan and _components_of(before.plan) == set(by_name):
        return _group_as_in(before.plan, by_name)
    return [(each.name, (each,)) for each in request.components]


def _components_of(plan: VaultPlan) -> set[str]:
    return {name for segment in plan.segments for name in segment.components}


def _group_as_in(plan: VaultPlan, by_name: Mapping[str, Component]) -> list[tuple[str, tuple[Component, ...]]]:
    return [(each.name, tuple(by_name[name] for name in each.components)) for each in plan.segments]


def choose_plan(request: ProtectionRequest, packed: Sequence[PackedSegment], before: VaultState | None) -> VaultPlan:
    """The plan that was given; else the last one where it still fits; else one by rule."""
    sizes = {each.content.name: each.sealed.size for each in packed}
    if request.plan is not None:
        return _with_sizes(request.plan, sizes)
    if before is not None and not request.replan and (kept := _still_fitting(before.plan, request, packed)):
        return kept
    segments = [
        (each.content.name, tuple(component.name for component in each.content.components), each.sealed.size)
        for each in packed
    ]
    files = (entry.path for each in packed for entry in each.content.entries[:MAX_LISTED_FILES])
    room = estimate_manifest_room((page.path for page in request.pages), files, request.cipher)
    limits = PageLimits(_page_limit(request, before), room.page_bytes, room.pages)
    return plan_by_rule(segments, request.pages, limits, request.cipher)


def _page_limit(request: ProtectionRequest, before: VaultState | None) -> int:
    if request.max_page_bytes is not None:
        return request.max_page_bytes
    return before.plan.max_page_bytes if before is not None else DEFAULT_MAX_PAGE_BYTES


def _with_sizes(plan: VaultPlan, sizes: dict[str, int]) -> VaultPlan:
    return replace(plan, segments=tuple(replace(each, sealed_bytes=sizes[each.name]) for each in plan.segments))


def _still_fitting(plan: VaultPlan, request: ProtectionRequest, packed: Sequence[PackedSegment]) -> VaultPlan | None:
    groups = [(each.content.name, tuple(one.name for one in each.content.components)) for each in packed]
    if [(each.name, each.components) for each in plan.segments] != groups:
        return None
    now = {page.path: page for page in request.pages}
    gone = sum(page.path not in now for page in plan.pages)
    if gone > _MAX_GONE_SHARE * len(plan.pages) or request.max_page_bytes not in (None, plan.max_page_bytes):
        return None
    sized = replace(
        _with_sizes(plan, {each.content.name: each.sealed.size for each in packed}),
        pages=tuple(now.get(page.path, page) for page in plan.pages),
    )
    try:
        check_page_sizes(sized, request.cipher)
    except UsageError:
        return None
    return sized
