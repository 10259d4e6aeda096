"""The report on client-side states, and the machines that are exported."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from turbohtml import parse

from webkeep.formats.states import (
    ROOT_STATE,
    STATE_TYPE,
    StateAction,
    StateNote,
    StateTransition,
    compute_state_id,
    delta_to_parent,
)
from webkeep.model import Moment
from webkeep.quality.states import (
    ArchiveCoverage,
    coverage_by_archive,
    describe_gain,
    group_by_page,
    machines_graphml,
    machines_json,
    read_state_report,
    render_state_page,
)
from webkeep.quality.states.distributions import cumulative_distribution, cumulative_sums
from webkeep.store.archive import Archive, OpenCapture, WritableArchive
from webkeep.store.views import read_state_notes

SITE = "http://example.org"
CLICK, HOVER = StateAction("click", "#a", label="<b>A"), StateAction("mouseover", "#b")


def walked(page: str, capture: str, **comment: object) -> list[StateNote]:
    """A page with a click that brings a picture, and a hover after it that brings another."""
    when = Moment(10**15)
    base, first, second = [page, f"{SITE}/s.js"], f"{SITE}/one.png", f"{SITE}{page[-2:]}/two.png"
    told = {"levels": [{"depth": 0, "seconds": 1.0}, {"depth": 1, "seconds": 3.0}], "events": ["click", "mouseover"]}
    deeper = (CLICK, HOVER)
    return [
        StateNote(page, ROOT_STATE, page, when, (), "", 0, 0, "<p>root", tuple(base), tuple(base),
                  (StateTransition(CLICK, compute_state_id([CLICK]), (first,)),), "", {**told, **comment}, capture),
        StateNote(page, compute_state_id([CLICK]), page, when, (CLICK,), ROOT_STATE, 1, 1, delta_to_parent("<p>root",
        "<p>root<i>"),
                  (), (*base, first), (StateTransition(HOVER, compute_state_id(deeper), (second,)),), "", {}, capture),
        StateNote(page, compute_state_id(deeper), page, when, deeper, compute_state_id([CLICK]), 2, 2, "<p>deep", (),
                  (*base, first, second), (), "", {}, capture),
    ]  # fmt: skip


def keep(archive: WritableArchive, capture: OpenCapture, notes: list[StateNote]) -> None:
    for note in notes:
        archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with WritableArchive.create(tmp_path / "kept") as archive, archive.begin("capture") as capture:
        for path in ("/a", "/b", "/plain", "/s.js"):
            capture.append_resource(SITE + path, "text/html", path.encode() * 10)
        for size, path in enumerate(("/one.png", "/a/two.png", "/b/two.png"), 1):
            capture.append_resource(SITE + path, "image/png", path.encode() * size)
        keep(archive, capture, walked(f"{SITE}/a", capture.id, fresh=[f"{SITE}/one.png", f"{SITE}/a/two.png"]))
        keep(archive, capture, walked(f"{SITE}/b", capture.id, fresh=[f"{SITE}/b/two.png"]))
        keep(archive, capture, walked(f"{SITE}/plain", capture.id)[:1])
    return tmp_path / "kept"


def test_the_tables_say_what_the_notes_say(folder: Path) -> None:
    with Archive(folder) as archive:
        report, pages = read_state_report(archive)
    assert len(pages) == 3
    assert (report.deferred.pages, report.others.pages) == (2, 1)
    assert (report.deferred.depth.mean, report.deferred.breadth.mean, report.deferred.descendants.mean) == (2, 1, 2)
    assert report.others.descendants.maximum == 0
    shares_of = {row.event: row.contribution for row in report.events}
    assert shares_of == {"click": 0.6, "mouseover": 0.4}
    fast, loaded, clicked, hovered = report.levels
    assert (fast.urls, loaded.added, clicked.added, hovered.added) == (4, 0, 1, 2)
    assert loaded.seconds - fast.seconds == pytest.approx(3.0)
    assert report.types == {"image/png": 3}
    assert len(report.image_sizes) == 3
    assert report.overlap[0][1] == 4
    assert (report.clicks, report.fresh, report.descendants) == (3, 3, 4)
    assert report.storage_deferred.by_level[1] > 0


def test_the_page_is_whole_and_shows_every_tree(folder: Path) -> None:
    with Archive(folder) as archive:
        report, pages = read_state_report(archive)
    text = b"".join(render_state_page(report, pages, "Title <x>")).decode()
    document = parse(text)
    assert describe_gain(report) in document.text
    assert "<b>A" not in text, "what strangers wrote is shown as text"
    (_, *trees) = text.split('class="chart tree"')
    assert sum(tree.partition("</svg>")[0].count("<circle") for tree in trees) == 7
    assert sum("branch" in str(each.attrs.get("class")) for each in document.iter_elements("details")) == 7
    assert "://" not in text.partition("<body>")[0]


def test_coverage_is_held_against_another_archive(folder: Path, tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "other") as other, other.begin("capture") as capture:
        capture.append_resource(f"{SITE}/one.png", "image/png", b"x")
    with Archive(folder) as archive, Archive(tmp_path / "other") as other:
        report, _ = read_state_report(archive, "", "other", coverage_by_archive(other))
    assert [level.missing for level in report.levels] == [None, 1.0, 0.0, 1.0]


def test_what_another_archive_did_not_say_counts_neither_way(folder: Path) -> None:
    with Archive(folder) as archive:
        told = ArchiveCoverage(frozenset({f"{SITE}/a/two.png"}), frozenset({f"{SITE}/one.png", f"{SITE}/s.js"}))
        report, pages = read_state_report(archive, "", "other", lambda _: told)
    assert [level.missing for level in report.levels] == [None, 0.0, None, 0.5]
    assert report.coverage_unknown == 2
    assert b"It did not say of 2" in b"".join(render_state_page(report, pages, "Title"))


def test_machines_are_exported_whole(folder: Path) -> None:
    with Archive(folder) as archive:
        walks = list(group_by_page(read_state_notes(archive)))
    machines = json.loads(b"".join(machines_json(walks)))["machines"]
    first = next(each for each in machines if each["page"].endswith("/a"))
    assert [each["id"] for each in first["S"]] == [0, 1, 2]
    assert first["delta"] == [[0, 0, 1], [1, 1, 2]]
    assert [each["event"] for each in first["alphabet"]] == ["click", "mouseover"]
    assert [view["renderedContent"] for view in first["views"]] == ["<p>root", "<p>root<i>", "<p>deep"]
    graph = ElementTree.fromstring(b"".join(machines_graphml(walks)))
    names = [element.tag.rpartition("}")[2] for element in graph.iter()]
    assert (names.count("node"), names.count("edge")) == (7, 5)


def test_curves() -> None:
    assert cumulative_distribution([3, 1]) == [(1, 0.5), (3, 1.0)]
    assert cumulative_sums([3, 1]) == [(0, 0), (0.5, 0.75), (1.0, 1.0)]


def test_a_page_that_was_run_twice_is_one_page(folder: Path) -> None:
    with WritableArchive(folder) as archive, archive.begin("capture") as again:
        keep(archive, again, walked(f"{SITE}/a", again.id))
    with Archive(folder) as archive:
        report, pages = read_state_report(archive)
        alone, _ = read_state_report(archive, again.id)
    assert (len(pages), report.runs, report.deferred.pages) == (3, 4, 2)
    assert (report.fresh, report.clicks, report.loaded) == (3, 3, 0), "what the first run led to is not forgotten"
    assert describe_gain(report) == (
        "3 pages were run in a browser (4 runs), 2 of them load more once they are: 3 URLs that nothing else led to, "
        "3 of them only by scrolling, clicks and the like, which led to 4 states"
    )
    assert (alone.runs, alone.fresh) == (1, 0)


def test_clicks_are_not_told_of_where_there_were_none(tmp_path: Path) -> None:
    url, fresh = f"{SITE}/a", [f"{SITE}/feed.json", f"{SITE}/late.png?t=1700000000000"]
    with WritableArchive.create(tmp_path / "kept") as archive, archive.begin("capture") as capture:
        keep(archive, capture, walked(url, capture.id, fresh=fresh, fresh_on_load=fresh[:1])[:1])
    with Archive(tmp_path / "kept") as archive:
        report, _ = read_state_report(archive)
    assert (report.fresh, report.loaded, report.clicks) == (2, 1, 1)
    assert describe_gain(report) == (
        "1 page was run in a browser, and loads more once it is: 2 URLs that nothing else led to"
    )
