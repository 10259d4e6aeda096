"""Blocks that move to other versions while archives still hold the old pages: recovery falls, and returns when pages
are captured again; whoever keeps older captures loses nothing meanwhile.
"""

from pathlib import Path
from typing import Any

import pytest
from protected_tree import capture_pages, pages_of, protect, write_components, write_tree
from small_site import SmallSite
from warc_material import webkeep

from webkeep.vault import SegmentPlan, VaultPlan, read_plan, write_plan
from webkeep.vault.protection import find_carriers

MOVED = 8
"""Pages whose blocks move."""


def plan_two_segments(tree: Path, file: Path) -> VaultPlan:
    """One segment on eight pages, of which three suffice, and one on all others."""
    pages = find_carriers(tree)
    few, rest = tuple(range(MOVED)), tuple(range(MOVED, len(pages)))
    segments = (
        SegmentPlan("small", ("small",), 2000, 3, MOVED, few),
        SegmentPlan("large", ("large",), 31_000, 10, len(rest), rest),
    )
    write_plan(VaultPlan(pages, segments, manifest_pages=12), file)
    return read_plan(file)


def recover(into: Path, *archives: Path) -> dict[str, Any]:
    done = webkeep("vault", "recover", *archives, "--into", into)
    return {each["name"]: each for each in done.summary["segments"]}


@pytest.fixture
def site(tmp_path: Path) -> tuple[Path, Path, VaultPlan]:
    tree = write_tree(tmp_path / "tree")
    write_components(tmp_path).rename(tmp_path / "large")
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "settings").write_text("first")
    return tmp_path, tree, plan_two_segments(tree, tmp_path / "plan.json")


def test_moved_blocks_are_missed_until_pages_are_captured_again(site: tuple[Path, Path, VaultPlan]) -> None:
    folder, tree, plan = site
    paths = [page.path for page in plan.pages]
    words = ("--component", folder / "small", "--component", folder / "large", "--plan", folder / "plan.json")
    protect(folder / "v", tree, folder / "out", *words)
    served = pages_of(folder / "out")
    with SmallSite(served) as server:
        capture_pages(folder / "before", server, paths)
        (folder / "small" / "settings").write_text("second")
        changed = protect(folder / "v", tree, folder / "out", *words)
        assert changed["changed"] == ["small"]
        served.update(pages_of(folder / "out"))
        # A cache that holds one version of each page, and has not looked at those that changed.
        capture_pages(folder / "stale", server, paths[MOVED:])
        missed = recover(folder / "missed", folder / "stale")
        assert missed["large"]["recovered"] and not missed["small"]["recovered"]
        # It catches up with three of the eight, which are enough.
        capture_pages(folder / "fresh", server, paths[:3])
        caught_up = recover(folder / "caught-up", folder / "stale", folder / "fresh")
        health = webkeep("vault", "health", folder / "v", "--site", server.url(), "--from", folder / "stale",
                         "--from", folder / "fresh")  # fmt: skip
    assert caught_up["small"]["recovered"]
    assert (folder / "caught-up" / "small" / "settings").read_text() == "second"
    assert health.summary["recoverable"]
    # An archive that keeps what it captured before the change has the version before whole.
    deep = recover(folder / "deep", folder / "stale", folder / "before")
    assert deep["small"]["recovered"] and deep["small"]["version"] < deep["small"]["newest"]
    assert (folder / "deep" / "small" / "settings").read_text() == "first"
    assert (folder / "deep" / "large" / "data.bin").read_bytes() == (folder / "large" / "data.bin").read_bytes()
