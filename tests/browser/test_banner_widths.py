"""The banner in real windows, from a phone's to a wide screen's: one line, nothing cut that must be read."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser, Page, chromium, evaluate, visit_all
from serve_calls import archive_of, page, served

from webkeep.browser.process import find_program, quiet_switches

URL = "http://example.org/a/long/way/down/to/a/page/that/has/an/address/of/some/length/index.html"
WIDTHS = (320, 375, 600, 768, 1100, 1280, 1600)
MEASURE = """
(() => {
  const box = (each) => each.getBoundingClientRect();
  const frame = box(document.getElementById('page')).height;
  const options = document.querySelector('details:last-of-type');
  options.open = true;
  const panel = box(options.querySelector('.panel'));
  const facts = {
    height: box(document.querySelector('.banner')).height,
    right: Math.max(...[...document.querySelectorAll('.banner > *')].map((each) => box(each).right)),
    moment: document.querySelector('.banner b').innerText,
    address: box(document.getElementById('url')).width,
    end: document.querySelector('#url span:last-child').innerText,
    panel: [panel.left, panel.right],
    moved: box(document.getElementById('page')).height - frame,
  };
  options.open = false;
  return JSON.stringify(facts);
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    words = [
        find_program(),
        f"--user-data-dir={folder}",
        *quiet_switches(),
        "--no-sandbox",
        "--headless=new",
        "about:blank",
    ]
    with chromium(words) as browser:
        yield browser
        browser.close()


def test_the_banner_is_one_line_at_every_width(browser: Browser, tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", *[page(URL, f"2024030{day}120000", f"<p>day {day}") for day in (1, 2, 3)])
    seen: dict[int, dict[str, object]] = {}

    def measured(browser: Browser, shown: Page) -> None:
        for width in WIDTHS:
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            browser.call("Emulation.setDeviceMetricsOverride", shown.session, **size)
            seen[width] = json.loads(evaluate(browser, shown, MEASURE))

    with served(path) as client:
        view = Page(f"{client.root}/view/20240302120000/{URL}", is_plain=True)
        missing = Page(f"{client.root}/view/2024/http://example.org/none", is_plain=True)
        visit_all(browser, [view], then=measured)
        visit_all(browser, [missing])
    assert view.complaints == []
    assert [each for each in missing.complaints if "404" not in each] == [], "its own policy lets it have its icon"
    for width, facts in seen.items():
        check(width, **facts)


def check(
    width: int,
    height: float,
    right: float,
    moment: str,
    address: float,
    end: str,
    panel: tuple[float, float],
    moved: float,
) -> None:
    assert height < 42, f"{width}: the banner has more than one line"
    assert right <= width, f"{width}: the banner is wider than its window"
    assert moment.startswith("2024-03-02 12:00"), width
    assert moment.endswith("UTC") or width <= 768, width
    assert address > 80 or width <= 640, f"{width}: the address is gone"
    assert end.endswith("index.html") or width <= 640, width
    assert 0 <= panel[0] < panel[1] <= width, f"{width}: the options are beside the window"
    assert moved == 0, f"{width}: the options push the page away"
