"""The report in real Chromium, from a file and with no network: pictures drawn, no complaints, readable by all."""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser, Page, chromium, visit_all
from serve_calls import page

from webkeep.browser.process import find_program, quiet_switches
from webkeep.cli.main import main
from webkeep.store.archive import WritableArchive

SITE = "http://town.example/"
EVIL = "</script><script>document.title = 'taken over'</script>"
LOOK = """
(async () => {
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const inked = (canvas) => new Set(new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
  const light = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const pale = [...document.querySelectorAll('main *')]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((each) => !each.closest('svg, script'))
    .filter((each) => {
      const ink = light(getComputedStyle(each).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
    });
  const levels = [...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]));
  return JSON.stringify({
    title: document.title,
    canvases: [...document.querySelectorAll('canvas')].map((canvas) => [canvas.dataset.drawn, inked(canvas) > 2]),
    charts: document.querySelectorAll('svg.chart[role=img]').length,
    unnamed: document.querySelectorAll('svg.chart[role=img]:not([aria-label]), canvas:not([aria-label])').length,
    figures: document.querySelectorAll('figure').length,
    tables: document.querySelectorAll('details.table table').length,
    headless: [...document.querySelectorAll('table')].filter((table) => !table.querySelector('th')).length,
    levels,
    pale: pale.slice(0, 3).map((each) => each.outerHTML.slice(0, 200)),
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    words = [find_program(), f"--user-data-dir={folder}", *quiet_switches(), "--no-sandbox", "--headless=new"]
    with chromium([*words, "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]) as browser:
        yield browser
        browser.close()


def look(browser: Browser, target: Path, script: str, scheme: str = "light") -> tuple[Any, Page]:
    seen: list[Any] = []

    def measured(browser: Browser, shown: Page) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", shown.session, features=features)
        words = {"expression": script, "awaitPromise": True, "returnByValue": True}
        seen.append(json.loads(browser.call("Runtime.evaluate", shown.session, **words)["result"]["value"]))

    shown = Page(target.as_uri(), is_plain=True)
    visit_all(browser, [shown], then=measured)
    return seen[0], shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_drawn_and_nothing_is_wrong(browser: Browser, report: Path, scheme: str) -> None:
    seen, shown = look(browser, report, LOOK, scheme)
    assert shown.complaints == []
    assert seen["title"].startswith("Report on")
    assert seen["canvases"] == [["yes", True], ["yes", True]]
    assert seen["charts"] > 5
    assert seen["tables"] >= seen["figures"], "every picture has its table"
    assert (seen["unnamed"], seen["headless"], seen["pale"]) == (0, 0, [])
    assert seen["levels"][0] == 1
    assert seen["levels"].count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(seen["levels"]))


def test_pictures_answer_to_people(browser: Browser, report: Path) -> None:
    assert look(browser, report, TURN)[0] == [True, True]
