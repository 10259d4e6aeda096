"""Real Chromium opens copies from a disk, with no network: each rung of what browsers refuse there."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "unit/mirror"))

from devtools import Browser, Page, chromium, evaluate, visit_all
from mirror_material import SITE, archived, copied, seen

from webkeep.cli.record_browser import _QUIET
from webkeep.model import Exchange

pytestmark = pytest.mark.xdist_group("chromium")

SCRIPT, CSS, JSON, SVG = "text/javascript", "text/css", "application/json", "image/svg+xml"
DONE = "document.documentElement.dataset.done = document.querySelector('#out').textContent;"


def page(script: str, *, kind: str = "", head: str = "", body: str = "") -> str:
    """A page that says what came of its script, and is done then."""
    told = (
        "async function tell(what) { let text;"
        " try { text = String(await what()); } catch (error) { text = 'failed: ' + error; }"
        " document.querySelector('#out').textContent = text; " + DONE + " }"
    )
    start = f"<!doctype html><html><head><title>x</title>{head}</head><body>{body}<p id=out></p><script>{told}</script>"
    return f"{start}<script{kind}>{script}</script></body></html>"


PAGES: dict[str, tuple[list[Exchange], str]] = {
    "fetch": (
        [
            seen("/in/", page("tell(async () => (await (await fetch('/api/town.json?x=1')).json()).name)")),
            seen("/api/town.json?x=1", '{"name": "Tidewick"}', JSON),
        ],
        "Tidewick",
    ),
    "fetch of an address that a script makes": (
        [
            seen("/in/", page("const n = 3; tell(async () => (await fetch(`/api/${n + 1}.json`)).text())")),
            seen("/api/4.json", "[4]", JSON),
        ],
        "[4]",
    ),
    "fetch of a page": (
        [
            seen("/in/", page("tell(async () => (await (await fetch('/part.html')).text()).length)")),
            seen("/part.html", "<b>12345"),
            seen("/data.json", "1", JSON),
        ],
        "8",
    ),
    "fetch of what is not there": (
        [
            seen("/in/", page("tell(async () => (await fetch('/gone.json')).status)")),
            seen("/data.json", "1", JSON),
        ],
        "failed: TypeError: Failed to fetch",
    ),
    "words below a film": (
        [
            seen(
                "/in/",
                page(
                    "tell(() => new Promise((yes, no) => { const track = document.querySelector('track');"
                    " track.onload = () => yes(track.track.cues[0].text); track.onerror = no;"
                    " track.track.mode = 'showing'; }))",
                    body="<video><track default src='/words.vtt'></video>",
                ),
            ),
            seen("/words.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\na word\n", "text/vtt"),
        ],
        "a word",
    ),
    "masks": (
        [
            seen(
                "/in/",
                page(
                    "tell(() => [a, b].map((each) => getComputedStyle(each).maskImage.slice(0, 9)))",
                    head='<link rel="stylesheet" href="/s/a.css">',
                    body="<p id=a>a</p><p id=b style='mask: url(/m.svg)'>b</p>",
                ),
            ),
            seen("/s/a.css", "#a { mask-image: url(../m.svg) }", CSS),
            seen("/m.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', SVG),
        ],
        'url("data,url("data',
    ),
    "request": (
        [
            seen(
                "/in/",
                page(
                    "tell(() => new Promise((yes, no) => { const ask = new XMLHttpRequest();"
                    " ask.open('GET', '../a.json'); ask.responseType = 'json'; ask.onerror = no;"
                    " const type = () => ask.getResponseHeader('Content-Type');"
                    " ask.onload = () => yes(`${ask.status} ${ask.response.a} ${type()}`); ask.send(); }))"
                ),
            ),
            seen("/a.json", '{"a": "é"}', JSON),
        ],
        "200 é application/json",
    ),
    "modules": (
        [
            seen(
                "/in/",
                page(
                    "import {word} from '../js/word.js'; import named from 'named';"
                    " tell(async () => `${word} ${named} ${(await import('../js/late.js')).default}`);",
                    kind=' type="module"',
                    head='<script type="importmap">{"imports": {"named": "/js/named.js"}}</script>',
                ),
            ),
            seen("/js/word.js", "import {inner} from './deep/inner.js'; export const word = inner + '!';", SCRIPT),
            seen("/js/deep/inner.js", "export const inner = 'inner';", SCRIPT),
            seen("/js/named.js", "export default 'named';", SCRIPT),
            seen("/js/late.js", "export default await Promise.resolve('late');", SCRIPT),
        ],
        "inner! named late",
    ),
    "module of its own": (
        [
            seen(
                "/in/",
                page(
                    "",
                    head='<link rel="modulepreload" href="/js/a.js">',
                    body='<script type="module" src="/js/a.js"></script>',
                ),
            ),
            seen("/js/a.js", "import './b.js'; tell(() => window.ran + import.meta.url.slice(-8));", SCRIPT),
            seen("/js/b.js", "window.ran = 'ran ';", SCRIPT),
        ],
        "ran /js/a.js",
    ),
    "sprites": (
        [
            seen(
                "/in/",
                page(
                    "onload = () => tell(() => a.getBBox().width + ' ' + b.getBBox().width)",
                    body='<svg><use id="a" href="/s.svg#wide"/></svg>'
                    '<svg><use id="b" xlink:href="../s.svg#narrow"/></svg>',
                ),
            ),
            seen("/s.svg", '<svg xmlns="http://www.w3.org/2000/svg"><rect id="wide" width="70" height="9"/>'
                 '<rect id="narrow" width="5" height="9"/></svg>', SVG),
        ],
        "70 5",
    ),
    "what forbids": (
        [
            seen(
                "/in/",
                page(
                    "tell(() => getComputedStyle(document.body).color + window.ran)",
                    head='<meta http-equiv="Content-Security-Policy" content="default-src https:; script-src https:">'
                    '<link rel="stylesheet" crossorigin href="/a.css" integrity="sha256-wrong">'
                    '<script crossorigin="anonymous" src="/a.js"></script><link rel="manifest" href="/m.json">',
                ),
            ),
            seen("/a.css", "body { color: rgb(1, 2, 3) }", CSS),
            seen("/a.js", "window.ran = ' ran'", SCRIPT),
            seen("/m.json", "{}", "application/manifest+json"),
        ],
        "rgb(1, 2, 3) ran",
    ),
    "charsets": (
        [
            seen(
                "/in/",
                page(
                    "tell(() => document.title + window.word + getComputedStyle(document.body, '::after').content)",
                    head='<script src="/a.js"></script><link rel="stylesheet" href="/a.css">',
                ).replace("<title>x", "<title>порт").encode("koi8-r"),
                "text/html; charset=koi8-r",
            ),
            seen("/a.js", "window.word = ' слово '".encode("windows-1251"), "text/javascript; charset=windows-1251"),
            seen("/a.css", "body::after { content: 'я' }", "text/css; charset=utf-8"),
        ],
        'порт слово "я"',
    ),
    "history": (
        [
            seen("/in/", page("history.pushState({at: 2}, '', '/other'); tell(() => history.state.at)")),
            seen("/data.json", "1", JSON),
        ],
        "2",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    words = [program, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", *_QUIET, "--no-sandbox",
             "--headless=new", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]  # fmt: skip
    with chromium(words) as opened:
        yield opened


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_works_from_a_disk(tmp_path: Path, browser: Browser, name: str) -> None:
    exchanges, expected = PAGES[name]
    made = copied(archived(tmp_path / "archive", *exchanges), tmp_path / "a copy, 100% ä")
    item = made.contents.item(f"{SITE}/in/")
    assert item is not None
    shown = Page((made.folder / item.name).as_uri())
    visit_all(browser, [shown])
    assert shown.done == expected
    assert shown.complaints == []


def test_the_search_of_the_start_page_finds_pages(tmp_path: Path, browser: Browser) -> None:
    archived(
        tmp_path / "archive",
        seen("/", "<title>Front</title><p>the harbour of the town"),
        seen("/b&c?d=%23", "<title>Other &lt;b&gt;</title><p>about lighthouses"),
    )
    copied(tmp_path / "archive", tmp_path / "out")
    found: list[dict[str, str]] = []

    def look(opened: Browser, shown: Page) -> None:
        script = """(() => {
          const field = document.querySelector('#q');
          field.value = 'LIGHTHOUSES about';
          field.dispatchEvent(new Event('input'));
          const links = [...document.querySelectorAll('#found a')];
          return JSON.stringify(links.map((each) => ({text: each.textContent, href: each.href})));
        })()"""
        found.extend(json.loads(evaluate(opened, shown, script)))

    start = Page((tmp_path / "out/index.html").as_uri(), is_plain=True)
    visit_all(browser, [start], then=look)
    assert [each["text"] for each in found] == ["Other <b>"]
    other = Page(found[0]["href"], is_plain=True)
    visit_all(browser, [other])
    assert "about lighthouses" in other.text
