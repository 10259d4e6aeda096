"""The report in real Chromium, from a file and with no network: pictures drawn, no complaints, readable by all."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser
from report_looks import LOOK, look
from serve_calls import page

from webkeep.cli.main import main
from webkeep.store.archive import WritableArchive

SITE = "http://town.example/"
EVIL = "</script><script>document.title = 'taken over'</script>"
PHONE = """
(() => {
  const words = [...document.querySelectorAll('svg.chart[role=img] text')].filter((each) => each.checkVisibility());
  const bars = [...document.querySelectorAll('svg.chart.narrow')].filter((each) => each.checkVisibility());
  const beyond = (word) => {
    const [frame, box] = [word.ownerSVGElement.getBoundingClientRect(), word.getBoundingClientRect()];
    return box.left < frame.left - 1 || box.right > frame.right + 1;
  };
  const wide = () => document.documentElement.scrollWidth - innerWidth;
  const folded = wide();
  for (const each of document.querySelectorAll('details')) each.open = true;
  return JSON.stringify({
    wide: Math.max(folded, wide()),
    least: Math.min(...words.map((each) => each.getBoundingClientRect().height)),
    cut: words.filter(beyond).map((each) => each.textContent),
    bars: bars.map((each) => each.getBoundingClientRect().right - innerWidth),
  });
})()
"""
TURN = """
(async () => {
  const [tree, scatter] = document.querySelectorAll('canvas');
  const dots = (canvas) => canvas.toDataURL();
  const before = [dots(tree), dots(scatter)];
  document.querySelector('.canvas-tree button[value=in]').click();
  document.querySelector('.canvas-scatter button[value=flat]').click();
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return JSON.stringify([dots(tree) !== before[0], dots(scatter) !== before[1]]);
})()
"""

WHEEL = """
(() => {
  const tree = document.querySelector('.canvas-tree canvas');
  const turn = () => tree.dispatchEvent(new WheelEvent('wheel', {deltaY: 60, cancelable: true})) ? 'page' : 'tree';
  const before = turn();
  tree.focus();
  return JSON.stringify([before, turn()]);
})()
"""
LEGEND = """
(async () => {
  const named = new Set();
  let lacking = [];
  for (let frame = 0; frame < 60; frame += 1) {  // a scheme that changes is painted a few frames later
    await new Promise(requestAnimationFrame);
    lacking = [];
    for (const figure of document.querySelectorAll('figure.full')) {
      const canvas = figure.querySelector('canvas');
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const drawn = new Set();
      for (let at = 0; at < pixels.length; at += 4) drawn.add(`rgb(${pixels.slice(at, at + 3).join(', ')})`);
      for (const entry of figure.querySelectorAll('.legend li')) {
        named.add(entry.textContent.trim());
        if (!drawn.has(getComputedStyle(entry.querySelector('rect')).fill)) lacking.push(entry.textContent);
      }
    }
    if (!lacking.length) break;
  }
  return JSON.stringify({named: [...named], lacking});
})()
"""
NAMES = """
(async () => {
  const written = new Set();
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (name, ...place) {
    written.add(name);
    return write.call(this, name, ...place);
  };
  const told = [];
  for (const way of ['flat', 'cube']) {
    written.clear();
    document.querySelector(`.canvas-scatter button[value=${way}]`).click();
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    told.push([...written]);
  }
  return JSON.stringify(told);
})()
"""
PRINTED = """
(async () => {
  await new Promise(requestAnimationFrame);
  return JSON.stringify([...document.querySelectorAll('canvas')].map((canvas) => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const drawn = new Set();
    for (let at = 0; at < pixels.length; at += 4) drawn.add(pixels.slice(at, at + 3).join());
    return {
      stretched: Math.abs(canvas.width / canvas.height - canvas.clientWidth / canvas.clientHeight) > 0.02,
      drawn: [...drawn],
    };
  }));
})()
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a series in which much happens, hostile names among it."""
    folder = tmp_path_factory.mktemp("reported")
    with WritableArchive.create(folder / "kept") as archive:
        for day in range(1, 5):
            with archive.begin("capture", [SITE]) as capture:
                for number in range(30):
                    version = day if number % 7 == 0 else 0
                    text = f"<title>{EVIL}</title><p>{number} {version}<img src=/lost-{number % 3}.png>"
                    capture.append(page(f"{SITE}d{number % 4}/{number}", f"2024030{day}1200{number:02}", text))
                capture.append(page(f"{SITE}{EVIL}/{day}", f"2024030{day}120031", f"<p>{day}"))
    target = folder / "report.html"
    assert main(["report", str(folder / "kept"), "--html", str(target)]) == 0
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_drawn_and_nothing_is_wrong(offline_browser: Browser, report: Path, scheme: str) -> None:
    seen, shown = look(offline_browser, report, LOOK, scheme)
    assert shown.complaints == []
    assert seen["title"].startswith("Report on")
    assert seen["canvases"] == [["yes", True], ["yes", True]]
    assert seen["charts"] > 5
    assert seen["tables"] >= seen["figures"], "every picture has its table"
    assert (seen["unnamed"], seen["headless"], seen["pale"]) == (0, 0, [])
    assert seen["levels"][0] == 1
    assert seen["levels"].count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(seen["levels"]))


def test_all_of_it_can_be_read_on_a_phone(offline_browser: Browser, report: Path) -> None:
    seen, shown = look(offline_browser, report, PHONE, "dark", 375)
    assert shown.complaints == []
    assert seen["wide"] <= 0, "the page is wider than the window"
    assert seen["least"] >= 10, "words in charts are too small"
    assert seen["cut"] == [], "words reach beyond their charts"
    assert len(seen["bars"]) > 2
    assert max(seen["bars"]) <= 0, "bars are pushed sideways"


def test_who_reads_on_past_the_tree_is_not_held_up(offline_browser: Browser, report: Path) -> None:
    assert look(offline_browser, report, WHEEL)[0] == ["page", "tree"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_legends_have_the_colours_of_what_is_drawn(offline_browser: Browser, report: Path, scheme: str) -> None:
    """In the dark what is gone is not black."""
    seen = look(offline_browser, report, LEGEND, scheme)[0]
    assert "is new" in seen["named"]
    assert "unchanged" in seen["named"]
    assert seen["lacking"] == []


def test_pictures_answer_to_people(offline_browser: Browser, report: Path) -> None:
    assert look(offline_browser, report, TURN)[0] == [True, True]


def test_directories_and_types_are_named_beside_the_points(offline_browser: Browser, report: Path) -> None:
    flat, cube = look(offline_browser, report, NAMES)[0]
    assert {"/d0/", "/d1/", "/d2/", "/d3/", "pages"} <= set(flat)
    assert {"/d0/", "pages"} <= set(cube)


def test_pictures_are_drawn_for_paper(offline_browser: Browser, report: Path) -> None:
    """Whatever the window was: not stretched, and in the colours of the light, as paper is."""
    for canvas in look(offline_browser, report, PRINTED, "dark", 1000, "print")[0]:
        assert not canvas["stretched"]
        assert "26,127,69" in canvas["drawn"], "green as paper has it"
        assert "87,199,133" not in canvas["drawn"], "green as the dark has it"
