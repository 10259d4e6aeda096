"""A vault that was protected by a plan keeps to it when the command runs again without it, as from a table of times."""

from pathlib import Path
from typing import Any

import pytest
from vault_site import write_application, write_site
from warc_material import webkeep


def protect(folder: Path, *words: object) -> dict[str, Any]:
    done = webkeep("vault", "protect", folder / "vault", "--component", folder / "app", "--component", folder / "conf",
                   "--tree", folder / "site", "--unencrypted", *words)  # fmt: skip
    assert done.code == 0, done.err
    return done.summary


def layout_of(summary: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(each["name"], each["needed"], each["blocks"]) for each in summary["segments"]]


@pytest.fixture
def planned(tmp_path: Path) -> dict[str, Any]:
    """What came of protecting by a plan that has two components in one segment and pages of another size."""
    write_site(tmp_path / "site")
    write_application(tmp_path / "app")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/site.ini").write_text("[site]\n")
    plan = webkeep("vault", "plan", "--component", tmp_path / "app", "--component", tmp_path / "conf", "--tree",
                   tmp_path / "site", "--coverage", "60%", "--approach", "all-or-nothing", "--max-page-size", "90kB",
                   "--unencrypted", "--out", tmp_path / "plan.json")  # fmt: skip
    assert len(plan.summary["segments"]) == 1
    return protect(tmp_path, "--plan", tmp_path / "plan.json")


def test_nothing_moves_where_nothing_changed(tmp_path: Path, planned: dict[str, Any]) -> None:
    again = protect(tmp_path)
    assert (again["changed"], again["moved"], layout_of(again)) == ([], 0, layout_of(planned))


def test_what_changed_is_spread_as_the_plan_says(tmp_path: Path, planned: dict[str, Any]) -> None:
    (tmp_path / "conf/site.ini").write_text("[site]\ntitle = Monarch\n")
    again = protect(tmp_path)
    assert again["changed"] and layout_of(again) == layout_of(planned)


def test_blocks_are_assigned_anew_on_demand(tmp_path: Path, planned: dict[str, Any]) -> None:
    assert [name for name, _, _ in layout_of(protect(tmp_path, "--replan"))] == ["app", "conf"]


def test_another_component_is_no_part_of_the_plan(tmp_path: Path, planned: dict[str, Any]) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/file").write_text("x")
    again = protect(tmp_path, "--component", tmp_path / "more")
    assert [name for name, _, _ in layout_of(again)] == ["app", "conf", "more"]


def test_pages_stay_within_the_size_of_the_last_time(tmp_path: Path, planned: dict[str, Any]) -> None:
    assert layout_of(protect(tmp_path, "--max-page-size", "80kB")) != layout_of(planned)
    last = protect(tmp_path)
    assert (last["changed"], last["moved"]) == ([], 0)
