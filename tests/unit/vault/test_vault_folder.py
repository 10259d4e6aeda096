"""A vault's folder is changed by one run at a time, and what a killed run left or took is mended by the next."""

from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.vault import CarrierPage
from webkeep.vault.components import PathComponent
from webkeep.vault.container import UnsealingKeys
from webkeep.vault.protection import ProtectionRequest, ProtectionResult, VaultFolder, protect
from webkeep.vault.recovery import BlockCollection, recover_vault

PAGES = tuple(CarrierPage(f"/{number}", 100) for number in range(4))


def protect_components(tmp_path: Path, *names: str) -> ProtectionResult:
    for name in names:
        (tmp_path / name).write_text(name)
    components = tuple(PathComponent(name, tmp_path / name) for name in names)
    return protect(ProtectionRequest(components, PAGES, None, ""), VaultFolder(tmp_path / "v"), Moment.parse("2026"))


def test_comments_that_are_gone_are_written_anew(tmp_path: Path) -> None:
    before = protect_components(tmp_path, "app")
    for file in (tmp_path / "v/comments").iterdir():
        file.unlink()
    folder = VaultFolder(tmp_path / "v")
    with pytest.raises(StorageError, match="protect again"):
        folder.read_comment(before.state.manifest, 0)
    state = protect_components(tmp_path, "app").state
    assert folder.read_comment(state.manifest, 0)
    assert folder.read_comment(state.segments[0], 0)


def test_what_a_killed_run_left_unencrypted_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "v/work-killed"
    left.mkdir(parents=True)
    (left / "dump-shop").write_text("passwords")
    protect_components(tmp_path, "app")
    assert not left.exists()


def test_two_runs_at_once_do_not_take_each_others_blocks(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "v")
    folder.create()
    with folder.work_alone(), pytest.raises(StorageError, match="another run"):
        protect_components(tmp_path, "app")


def test_a_segment_newer_than_the_manifest_that_was_found_comes_back(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "v")
    with BlockCollection() as collection:
        old = protect_components(tmp_path, "app", "given_up").state
        pages = [folder.read_comment(each, index) for each in (old.manifest, *old.segments) for index in range(4)]
        new = protect_components(tmp_path, "app", "shop").state
        pages += [folder.read_comment(new.segments[1], index) for index in range(4)]
        collection.add_page("page", pages)
        recovered = recover_vault(collection, UnsealingKeys(), tmp_path / "back")
        as_before = recover_vault(collection, UnsealingKeys(), tmp_path / "before", version=old.version)
    assert [each.name for each in recovered.segments] == ["app", "given_up", "shop"]
    assert (tmp_path / "back/shop/shop").read_text() == "shop"
    assert [each.name for each in as_before.segments] == ["app", "given_up"]
