"""A manifest fits the pages that a plan leaves room in, however many pages and files it names."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.model import Moment
from webkeep.vault import CarrierPage, VaultPlan
from webkeep.vault.blocks import NO_CIPHER, comment_bytes
from webkeep.vault.components import PathComponent, SelectionPolicy, SelectionRules
from webkeep.vault.container import UnsealingKeys
from webkeep.vault.planning import (
    PackingApproach,
    PlanRequest,
    SegmentSource,
    assume_coverage,
    block_room,
    propose_plan,
)
from webkeep.vault.protection import (
    ProtectionRequest,
    VaultFolder,
    VaultState,
    estimate_manifest_room,
    protect,
)
from webkeep.vault.recovery import BlockCollection, recover_vault

MAX_PAGE_BYTES, PAGE_BYTES = 60_000, 20_000


def strange_names(count: int, length: int = 24) -> list[str]:
    """Names that hardly compress."""
    chance = random.Random(count)
    return ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=length)) for _ in range(count)]


def write_component(folder: Path, names: list[str]) -> PathComponent:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(b"")
    (folder / "data").write_bytes(random.Random(5).randbytes(90_000))
    return PathComponent("app", folder)


def propose(component: PathComponent, files: list[str], pages: list[CarrierPage]) -> tuple[VaultPlan, int]:
    """A plan whose blocks leave no room but that for the manifest, and how much that is."""
    room = estimate_manifest_room((page.path for page in pages), files, NO_CIPHER)
    coverage = assume_coverage([page.path for page in pages], {"archive": 0.6})
    sources = (SegmentSource(component.name, (component.name,), 120_000 + 200 * len(files)),)
    request = PlanRequest(sources, tuple(pages), coverage.odds, coverage.model, approach=PackingApproach.ALL_OR_NOTHING,
                          max_page_bytes=MAX_PAGE_BYTES, manifest_bytes=room.page_bytes,
                          manifest_pages=room.pages)  # fmt: skip
    return propose_plan(request, block_room).plan, room.page_bytes


def protect_by(
    tmp_path: Path, component: PathComponent, plan: VaultPlan | None, pages: list[CarrierPage]
) -> VaultState:
    request = ProtectionRequest((component,), tuple(pages), None, "", SelectionRules(SelectionPolicy.PESSIMISTIC), plan,
                                max_page_bytes=MAX_PAGE_BYTES)  # fmt: skip
    return protect(request, VaultFolder(tmp_path / "v"), Moment.parse("2026")).state


def recovered_manifest(tmp_path: Path, state: VaultState) -> tuple[int, int]:
    """How many pages and files a manifest names that comes back out of the last blocks."""
    folder = VaultFolder(tmp_path / "v")
    with BlockCollection() as collection:
        for each in (state.manifest, *state.segments):
            last = range(each.identity.total - each.identity.needed - 2, each.identity.total)
            collection.add_page("page", [folder.read_comment(each, index) for index in last if index >= 0])
        recovered = recover_vault(collection, UnsealingKeys(), tmp_path / "back")
    assert recovered.is_whole
    assert recovered.manifest is not None
    (segment,) = recovered.manifest.segments
    return len(segment.pages), len(segment.paths)


@pytest.mark.parametrize(("pages", "files"), [(20, 5), (200, 2500), (3000, 3), (3000, 2500)])
def test_a_manifest_is_where_the_plan_left_room(tmp_path: Path, pages: int, files: int) -> None:
    names = strange_names(files)
    component = write_component(tmp_path / "app", names)
    carriers = [CarrierPage(f"/{name}.html", PAGE_BYTES) for name in strange_names(pages)]
    plan, left_free = propose(component, names, carriers)
    state = protect_by(tmp_path, component, plan, carriers)
    identity = state.manifest.identity
    assert comment_bytes(identity) <= left_free
    assert max(state.manifest.pages) < plan.manifest_pages
    assert identity.total >= min(3 * identity.needed, pages)
    assert recovered_manifest(tmp_path, state) == (pages, files + 1)


def test_where_pages_are_few_a_manifest_names_less(tmp_path: Path) -> None:
    component = write_component(tmp_path / "app", strange_names(4000))
    carriers = [CarrierPage(f"/{number}.html", 0) for number in range(12)]
    state = protect_by(tmp_path, component, None, carriers)
    assert recovered_manifest(tmp_path, state) == (12, 500)


def test_where_pages_have_hardly_any_room_a_manifest_names_no_pages(tmp_path: Path) -> None:
    component = write_component(tmp_path / "app", [])
    carriers = [CarrierPage(f"/{name}.html", PAGE_BYTES) for name in strange_names(800)]
    plan = propose(component, [], carriers)[0]
    added = MAX_PAGE_BYTES - 2200  # of each page, but for the blocks
    grown = comment_bytes(protect_by(tmp_path, component, plan, carriers).segments[0].identity)
    full = [replace(page, size_bytes=added - grown) for page in carriers]
    state = protect_by(tmp_path / "full", component, replace(plan, pages=tuple(full)), full)
    assert recovered_manifest(tmp_path / "full", state) == (0, 0)
