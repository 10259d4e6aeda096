"""The documentation site as `make docs` builds it: no warning, every guide within reach, search without a network."""

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from devtools import Browser, Page, chromium, evaluate, visit_all
from plain_server import served

from webkeep.api.recording.recording_browser import browser_command
from webkeep.cli.guides import guide_names

ROOT = Path(__file__).parents[2]


class Links(HTMLParser):
    """All links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("docs")
    words = ["-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(ROOT / "docs"), str(built)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return built


def reachable(site: Path) -> set[str]:
    """The files that links lead to, from the front page on."""
    found, waiting = {"index.html"}, ["index.html"]
    while waiting:
        name = waiting.pop()
        links = Links()
        links.feed((site / name).read_text("utf-8"))
        for link in links.found:
            to = urldefrag(urljoin(f"http://docs/{name}", link)).url.removeprefix("http://docs/")
            if to.endswith(".html") and "://" not in to and to not in found:
                found.add(to)
                waiting.append(to)
    return found


def test_every_page_is_within_reach(site: Path) -> None:
    found = reachable(site)
    assert all((site / name).exists() for name in found)
    assert {f"guide/{name}.html" for name in guide_names()} <= found
    assert {"architecture.html", "glossary.html", "contributing.html"} <= found


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield found


def test_the_search_finds_pages_without_a_network(tmp_path: Path, address: str) -> None:
    words = browser_command("", "about:blank", 1, [], str(tmp_path), headless=True)
    words = [word for word in words if not word.startswith("--proxy-")]
    words[1:1] = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    found: list[str] = []

    def look(browser: Browser, page: Page) -> None:
        script = """(async () => {
          const links = () => [...document.querySelectorAll('ul.search li a')].map((each) => each.href);
          for (let n = 0; n < 300 && !links().some((each) => each.includes('remove.html')); n += 1) {
            await new Promise((go) => setTimeout(go, 100));
          }
          return links().join(' ');
        })()"""
        asked = browser.call("Runtime.evaluate", page.session, expression=script, awaitPromise=True, returnByValue=True)
        found.extend(str(asked["result"]["value"]).split())
        assert evaluate(browser, page, "document.title").startswith("Search")

    with chromium(words) as browser:
        visit_all(browser, [Page(f"{address}search.html?q=tombstone", is_plain=True)], then=look)
        browser.close()
    assert any(urldefrag(each).url.split("?")[0] == f"{address}guide/remove.html" for each in found)
