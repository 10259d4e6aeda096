"""The coherence-defect graph of a capture."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from capture_calls import capture
from hypothesis import given, strategies as st
from small_site import Page, SmallSite, linking
from warc_material import webkeep

from webkeep.formats import NodeShape, write_graphml
from webkeep.quality.certificates.defect_graph import (
    DefectNode,
    RevisitColour,
    _break_cycles,
    collapse_subtrees,
)

PARENTS = {"0": "", "1": "0", "2": "0", "3": "0", "4": "2", "5": "2", "6": "3", "7": "1"}
COLOURS = dict.fromkeys(PARENTS, RevisitColour.GREEN) | {
    "1": RevisitColour.YELLOW,
    "6": RevisitColour.RED,
    "7": RevisitColour.BLACK,
}


def test_subtrees_without_a_defect_are_one_node() -> None:
    drawn = list(collapse_subtrees(PARENTS, COLOURS))
    assert {each.name: each.colour for each in drawn if not each.is_collapsed} == {
        "0": RevisitColour.GREEN, "1": RevisitColour.YELLOW, "3": RevisitColour.GREEN, "6": RevisitColour.RED,
        "7": RevisitColour.BLACK,
    }  # fmt: skip
    assert [each for each in drawn if each.is_collapsed] == [
        DefectNode("below 0", RevisitColour.GREEN, 3, "0", is_collapsed=True)
    ]
    assert [each.pages for each in collapse_subtrees(PARENTS, COLOURS, per_subtree=True) if each.is_collapsed] == [3]


@st.composite
def forests(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, RevisitColour]]:
    count = draw(st.integers(1, 40))
    parents = {str(page): str(draw(st.integers(-1, page - 1))) if page else "" for page in range(count)}
    return parents, {page: draw(st.sampled_from(RevisitColour)) for page in parents}


@given(forests(), st.booleans())
def test_all_pages_are_drawn_or_counted(
    forest: tuple[dict[str, str], dict[str, RevisitColour]], per_subtree: bool
) -> None:
    parents, colours = forest
    drawn = list(collapse_subtrees(parents, colours, per_subtree))
    assert sum(each.pages for each in drawn) == len(parents)
    assert {each.name for each in drawn if each.colour is not RevisitColour.GREEN} == {
        page for page, colour in colours.items() if colour is not RevisitColour.GREEN
    }
    names = {each.name for each in drawn}
    assert all(not each.parent or each.parent in names for each in drawn)


def test_a_chain_of_a_hundred_thousand_pages_is_drawn() -> None:
    parents = {str(page): str(page - 1) if page else "" for page in range(100_000)}
    colours = dict.fromkeys(parents, RevisitColour.GREEN)
    assert [each.pages for each in collapse_subtrees(parents, colours)] == [1, 99_999]


def test_circles_are_cut() -> None:
    mended = _break_cycles({"a": "b", "b": "c", "c": "a", "d": "a", "e": "e"})
    assert sum(page.pages for page in collapse_subtrees(mended, dict.fromkeys(mended, RevisitColour.RED))) == 5


def test_names_of_any_kind_are_well_formed() -> None:
    shapes = [
        NodeShape('<&"\x00\x1f\ud800', "l\x0b", "#00FF00", 1.0),
        NodeShape("b", "é", "#000000", 2.0, '<&"\x00\x1f\ud800'),
    ]
    root = ElementTree.fromstring(b"".join(write_graphml(shapes)))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes = {each.get("id") for each in root.iter(f"{space}node")}
    (edge,) = root.iter(f"{space}edge")
    assert {edge.get("source"), edge.get("target")} == nodes


def test_the_graph_of_a_capture_shows_its_defects(tmp_path: Path) -> None:
    times: dict[str, int] = {}
    steady = {"/": linking("/text", "/links", "/gone", "/calm"), "/calm": linking("/calm/1", "/calm/2")}

    def answer(_host: str, path: str) -> Page:
        times[path] = times.get(path, 0) + 1
        if path == "/text":
            return Page(b"<p>%d" % times[path])
        if path == "/links":
            return linking(f"/other{times[path]}")
        if path == "/gone" and times[path] > 1:
            return Page(b"no", status=404)
        return steady.get(path) or (Page(path.encode()) if path.startswith(("/calm", "/gone")) else Page(status=404))

    with SmallSite(answer) as site:
        words = ("--strategy", "breadth-first-fifo", "--no-sitemaps", "--connections", "1", "--exclude", "/other*")
        capture(tmp_path / "archive", site.url(), *words)
    graph = tmp_path / "defects.graphml"
    assert webkeep("certify", tmp_path / "archive", "--graph", graph).code == 0
    text = graph.read_text("utf-8")
    for path, colour in (("/text", "#FFFF00"), ("/links", "#FF0000"), ("/gone", "#000000")):
        (line,) = [each for each in text.splitlines() if f'{site.url(path)}">' in each]
        assert colour in line, line
    assert "3 pages unchanged" in text
