"""Pages that commands write for people, on a phone: nothing has to be scrolled sideways."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser, Page, chromium, evaluate, visit_all
from serve_calls import page

from webkeep.browser.process import find_program, quiet_switches
from webkeep.cli.main import main
from webkeep.store.archive import WritableArchive

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
MEASURE = """
(() => {
  const width = document.documentElement.clientWidth, root = document.scrollingElement;
  const beyond = [...document.body.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > width + 1 && !each.closest('.scroll, svg'));
  return JSON.stringify({width, scroll: root.scrollWidth, beyond: beyond.slice(0, 3).map((each) => each.outerHTML)});
})()
"""
SITE = "http://a-rather-long-name-of-a-host.example.org/"
LONG = f"{SITE}{'a-long-word-without-any-end-' * 6}.html?{'query' * 30}"
WORD = "unbreakable" * 30


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of an archive that has seen long names and long words change."""
    folder = tmp_path_factory.mktemp("written")
    with WritableArchive.create(folder / "kept") as archive:
        for day, text in (("01", "before"), ("02", f"after {WORD}")):
            with archive.begin("capture", [SITE]) as capture:
                capture.append(page(SITE, f"202403{day}120000", f"<title>Home</title><p>same<p>{text}<p>same"))
                capture.append(page(LONG, f"202403{day}120001", f"<p>{text} {WORD}"))
                capture.append(page(f"{LONG}{day}", f"202403{day}120002", "<p>once"))
    kept = str(folder / "kept")
    pages = {name: folder / f"{name}.html" for name in ("changes", "certificate", "states", "report", "recovery")}
    assert main(["diff", kept, "--html", str(pages["changes"])]) == 1
    main(["certify", kept, "--html", str(pages["certificate"])])
    main(["report", kept, "--states", "--html", str(pages["states"])])
    main(["report", kept, "--html", str(pages["report"])])
    words = ["recover", SITE, "--from", kept, "--into", str(folder / "back"), "--report", str(pages["recovery"])]
    main([*words, "--ledger", str(folder / "ledger")])
    main(["lab", "recovery", "--only", "E6", "--out", str(folder / "laboratory.html")])
    main(["mirror", kept, str(folder / "copy")])
    return {**pages, "laboratory": folder / "laboratory.html", "copy": folder / "copy" / "index.html"}


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


@pytest.mark.parametrize("name", ["changes", "certificate", "states", "report", "recovery", "laboratory", "copy"])
def test_a_page_fits_a_phone(browser: Browser, written: dict[str, Path], name: str) -> None:
    seen: dict[str, object] = {}

    def measured(browser: Browser, shown: Page) -> None:
        browser.call("Emulation.setDeviceMetricsOverride", shown.session, **PHONE)
        seen.update(json.loads(evaluate(browser, shown, MEASURE)))

    visit_all(browser, [Page(written[name].as_uri(), is_plain=True)], then=measured)
    assert seen == {"width": 390, "scroll": 390, "beyond": []}
