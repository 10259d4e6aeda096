from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.vault import CarrierPage, SegmentPlan, VaultPlan, read_plan, write_plan

PAGES = (CarrierPage("/", 1200, 0.9), CarrierPage("/a.html", 800))


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    plan = VaultPlan(PAGES, (SegmentPlan("site", ("app", "database"), 5000, 1, 2, (0, 1)),), 60_000, 1)
    write_plan(plan, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == plan


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "[" * 100_000])
def test_what_is_no_plan_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(UsageError, match="no vault plan"):
        read_plan(tmp_path / "plan.json")


def test_blocks_are_as_large_as_r_of_them_need_to_be() -> None:
    segment = SegmentPlan("lib", ("lib",), 368_065, 8, 40, (0,) * 40)
    assert segment.block_bytes == 46_009
    assert segment.spare_blocks == 0


@pytest.mark.parametrize(("needed", "total"), [(0, 1), (3, 2), (1, 60_001)])
def test_counts_of_blocks_that_cannot_be_are_refused(needed: int, total: int) -> None:
    with pytest.raises(UsageError, match="blocks"):
        SegmentPlan("lib", ("lib",), 10, needed, total, (0,) * total)


def test_a_block_is_put_into_pages_that_there_are() -> None:
    with pytest.raises(UsageError, match="page"):
        VaultPlan(PAGES, (SegmentPlan("site", ("app",), 10, 1, 1, (2,)),))
