"""Real Chromium opens copies from a disk and from a plain web server: each rung of what browsers refuse there."""

import base64
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "unit/mirror"))

from devtools import Browser, Page, evaluate, visit_all
from mirror_material import SITE, archived, copied, seen
from plain_server import served

from webkeep.cli.main import main
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.mirror import write_single_page
from webkeep.mirror.selection import CopySelection
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive

SCRIPT, CSS, JSON, SVG, PNG = "text/javascript", "text/css", "application/json", "image/svg+xml", "image/png"
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PATIENCE = 30.0
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
    "a history of addresses": (
        [
            seen(
                "/in/",
                page(
                    "const first = location.pathname; history.pushState({at: 2}, '', '/other?x#y');"
                    " addEventListener('popstate', () => tell(() => [first, second, at, location.pathname]));"
                    " const second = location.pathname + location.search + location.hash, {at} = history.state;"
                    " history.back();"
                ),
            ),
        ],
        "/in/,/other?x#y,2,/in/",
    ),
    "addresses of the page": (
        [
            seen(
                "/in/?a=1",
                page(
                    "const link = document.querySelector('a');"
                    " tell(() => [location.href, document.URL, document.baseURI, link.pathname,"
                    " link.getAttribute('href'),"
                    " window.location.host, document.location.search, origin, new URL('x',"
                    " document.baseURI).pathname])",
                    body="<a href='/story/1'>x</a>",
                ),
            ),
            seen("/story/1", "x"),
        ],
        f"{SITE}/in/?a=1,{SITE}/in/?a=1,{SITE}/in/?a=1,/story/1,/story/1,example.org,?a=1,{SITE},/in/x",
    ),
    "going to another page by script": (
        [
            seen("/in/", page("location.assign('/Other/story?n=1#here')")),
            seen("/Other/story?n=1", page("tell(() => 'arrived at ' + location.hash)")),
        ],
        "arrived at #here",
    ),
    "pictures that scripts put in": (
        [
            seen(
                "/in/",
                page(
                    "const name = 'Pic', box = document.querySelector('#box');"
                    " box.innerHTML = `<img src=/img/${name}1.png><img srcset='/img/gone.png 2x,"
                    " ../img/${name}2.png 1x'>`;"
                    " const one = new Image(); one.src = '/img/' + name + '3.png'; box.append(one);"
                    " const other = document.createElement('img'); other.setAttribute('src',"
                    " '/pic?n=4'); box.append(other);"
                    " const late = document.querySelector('[data-src]'); late.src = late.dataset.src;"
                    " tell(() => Promise.all([...document.images].map((each) => new Promise((yes) => {"
                    "   const look = () => yes(each.naturalWidth); if (each.complete) look(); else"
                    " each.onload = each.onerror = look;"
                    " }))));",
                    body="<div id=box></div><img data-src='/img/Pic1.png'>",
                ),
            ),
            *(seen(f"/img/Pic{number}.png", DOT, PNG) for number in (1, 2, 3)),
            seen("/pic?n=4", DOT, PNG),
        ],
        "1,1,1,1,1",
    ),
    "styles that scripts put in": (
        [
            seen(
                "/in/",
                page(
                    "const link = document.createElement('link'); link.rel = 'stylesheet'; link.href = '/Late.css';"
                    " document.head.append(link); link.onload = () => tell(() =>"
                    " getComputedStyle(document.body).color);"
                    " link.onerror = () => tell(() => 'no style');"
                ),
            ),
            seen("/Late.css", "body { color: rgb(1, 2, 3) }", CSS),
        ],
        "rgb(1, 2, 3)",
    ),
    "a loader that makes names": (
        [
            seen(
                "/in/",
                page(
                    "const load = (name) => new Promise((yes, no) => { const each = document.createElement('script');"
                    " each.src = new URL(`../lib/${name}.js`, document.currentScript ? document.currentScript.src || "
                    "document.baseURI : document.baseURI); each.onload = yes; each.onerror = no;"
                    " document.head.append(each); });"
                    " tell(async () => { await load('localScript'); return window.ran; })"
                ),
            ),
            seen("/lib/localScript.js", "window.ran = 'ran at ' + document.currentScript.src", SCRIPT),
        ],
        f"ran at {SITE}/lib/localScript.js",
    ),
    "a fragment with addresses of its own": (
        [
            seen(
                "/in/",
                page(
                    "tell(async () => { box.innerHTML = await (await fetch('/parts/one')).text();"
                    " const image = box.querySelector('img');"
                    " if (!image.complete) await new Promise((yes) => { image.onload = image.onerror = yes; });"
                    " return [image.naturalWidth, box.querySelector('a').pathname]; })",
                    body="<div id=box></div>",
                ),
            ),
            seen("/parts/one", "<p><img src='pic.png'><a href='next'>n</a></p>"),
            seen("/in/pic.png", DOT, PNG),
        ],
        "1,/in/next",
    ),
    "an import map with prefixes, and modules by names that are made": (
        [
            seen(
                "/in/",
                page(
                    "import {far} from 'lib/deep/far.js'; const name = 'Late';"
                    " tell(async () => [far, (await import(`lib/${name}.js`)).default, (await"
                    " import('./' + 'own.js')).default])",
                    kind=' type="module"',
                    head='<script type="importmap">{"imports": {"lib/": "/js/lib/"}}</script>',
                ),
            ),
            seen("/js/lib/deep/far.js", "export const far = 'far';", SCRIPT),
            seen("/js/lib/Late.js", "export default 'late';", SCRIPT),
            seen("/in/own.js", "export default 'own';", SCRIPT),
        ],
        "far,late,own",
    ),
    "workers": (
        [
            seen(
                "/in/",
                page(
                    "const ask = (worker, port = worker) => new Promise((yes, no) => {"
                    " port.onmessage = ({data}) => yes(data); worker.onerror = (event) => yes('error"
                    " ' + event.message);"
                    " port.postMessage('?'); });"
                    " const shared = new SharedWorker('../work/shared.js');"
                    " tell(() => Promise.all([ask(new Worker('../work/Classic.js')),"
                    " ask(new Worker('/work/module.js', {type: 'module'})), ask(shared, shared.port),"
                    " ask(new Worker('../work/outer.js'))]))"
                ),
            ),
            seen("/work/Classic.js", "importScripts('./' + 'helper.js'); onmessage = async ({data}) =>"
                 " postMessage(data + help + (await (await fetch('told.json')).json()) + location.pathname)", SCRIPT),
            seen("/work/helper.js", "const help = '!'", SCRIPT),
            seen("/work/told.json", "7", JSON),
            seen("/work/module.js", "import {unit} from './unit.js'; onmessage = async () =>"
                 " postMessage(unit + (await import('./more.js')).default)", SCRIPT),
            seen("/work/unit.js", "export const unit = 'fathoms'", SCRIPT),
            seen("/work/more.js", "export default ' and more'", SCRIPT),
            seen("/work/shared.js", "onconnect = ({ports: [port]}) => {"
                 " port.onmessage = () => port.postMessage('shared') }", SCRIPT),
            seen("/work/outer.js", "const heard = (worker) => new Promise((yes) => {"
                 " worker.onmessage = ({data}) => yes(data); worker.onerror = () => yes('error');"
                 " worker.postMessage('?') });"
                 " const made = `importScripts('${new URL('helper.js', location.href)}');"
                 " onmessage = () => postMessage(help)`;"
                 " onmessage = async () => postMessage(await Promise.all(["
                 " heard(new Worker('deep/inner.js')), heard(new Worker('module.js', {type: 'module'})),"
                 " heard(new Worker(URL.createObjectURL(new Blob([made])))),"
                 " heard(new Worker('not-there.js'))]))", SCRIPT),
            seen("/work/deep/inner.js", "importScripts('../helper.js'); onmessage = async ({data}) => postMessage("
                 "data + help + (await (await fetch('../told.json')).json()) + location.pathname)", SCRIPT),
        ],
        "?!7/work/Classic.js,fathoms and more,shared,?!7/work/deep/inner.js,fathoms and more,!,error",
    ),
    "a service worker that makes up an answer": (
        [
            seen(
                "/in/",
                page(
                    "tell(async () => { await navigator.serviceWorker.register('/sw.js'); await"
                    " navigator.serviceWorker.ready;"
                    " const kept = await (await fetch('/kept.txt')).text();"
                    " return [kept, await (await fetch('/made-up')).text(), await (await"
                    " fetch('/data.json')).json()]; })"
                ),
            ),
            seen("/sw.js", "addEventListener('install', (event) => event.waitUntil("
                 "caches.open('v1').then((cache) => cache.addAll(['/kept.txt']))));"
                 "addEventListener('fetch', (event) => { const {pathname} = new URL(event.request.url);"
                 " if (pathname === '/made-up') event.respondWith(new Response('made up'));"
                 " if (pathname === '/kept.txt') event.respondWith(caches.match(event.request)); })", SCRIPT),
            seen("/kept.txt", "kept", "text/plain"),
            seen("/data.json", "3", JSON),
        ],
        "kept,made up,3",
    ),
    "a stream of events": (
        [
            seen(
                "/in/",
                page(
                    "const heard = [], source = new EventSource('/news');"
                    " source.onmessage = ({data}) => { heard.push(data); if (heard.length === 2)"
                    " tell(() => heard); };"
                    " source.onerror = () => tell(() => 'error');"
                ),
            ),
            seen("/news", "data: one\n\ndata: two\n\n", "text/event-stream"),
        ],
        "one,two",
    ),
    "requests that differ in what gets past caches": (
        [
            seen("/in/", page("tell(async () => (await fetch('/a.json?b=2&a=1&_=' + Date.now())).json())")),
            seen("/a.json?a=1&b=2&_=1700000000000", "5", JSON),
        ],
        "5",
    ),
    "pictures that are looked at dot by dot": (
        [
            seen(
                "/in/",
                page(
                    "const image = new Image(); image.crossOrigin = 'anonymous'; image.src = '/dot.png';"
                    " tell(async () => { await new Promise((yes, no) => { image.onload = yes; image.onerror = no; });"
                    " const brush = document.createElement('canvas').getContext('2d'); brush.drawImage(image, 0, 0);"
                    " return brush.getImageData(0, 0, 1, 1).data[3]; })"
                ),
            ),
            seen("/dot.png", DOT, PNG),
        ],
        "127",
    ),
}  # fmt: skip


@contextmanager
def served_below(folder: Path) -> Iterator[str]:
    """A folder on a plain web server, below a path; gives its address."""
    (folder.parent / "web" / "kept").mkdir(parents=True)
    (folder.parent / "web" / "kept" / "copy").symlink_to(folder)
    (folder.parent / "web" / "favicon.ico").touch()
    with served(folder.parent / "web") as address:
        yield f"{address}kept/copy/"


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_works_from_a_disk_and_on_a_web_server(tmp_path: Path, offline_browser: Browser, name: str) -> None:
    exchanges, expected = PAGES[name]
    made = copied(archived(tmp_path / "archive", *exchanges), tmp_path / "a copy, 100% ä")
    item = made.contents.find(exchanges[0].url)
    assert item is not None
    with served_below(made.folder) as address:
        shown = [Page((made.folder / item.name).as_uri()), Page(address + quote(item.name))]
        visit_all(offline_browser, shown)
    assert [each.done for each in shown] == [expected, expected]
    assert [each.complaints for each in shown] == [[], []]


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_works_where_its_site_was(tmp_path: Path, offline_browser: Browser, name: str) -> None:
    """Whoever puts a copy back to the address of its site has URLs and files beside each other there."""
    exchanges, expected = PAGES[name]
    with served(tmp_path / "out") as address:
        site = address.rstrip("/")
        moved = [_moved(each, site) for each in exchanges]
        made = copied(archived(tmp_path / "archive", *moved), tmp_path / "out")
        (made.folder / "favicon.ico").touch()
        item = made.contents.find(moved[0].url)
        assert item is not None
        shown = Page(address + quote(item.name))
        visit_all(offline_browser, [shown])
    assert shown.done == expected.replace(SITE, site).replace("example.org", site.removeprefix("http://"))
    assert shown.complaints == []


def _moved(exchange: Exchange, site: str) -> Exchange:
    body = BytesBody(b"".join(exchange.body.chunks()).replace(SITE.encode(), site.encode()))
    head = exchange.response.replace(SITE.encode(), site.encode())
    return replace(exchange, url=exchange.url.replace(SITE, site), response=head, body=body)


SINGLE = ("fetch", "modules", "workers", "pictures that scripts put in", "a fragment with addresses of its own")


@pytest.mark.parametrize("name", SINGLE)
def test_a_page_works_as_one_file(tmp_path: Path, offline_browser: Browser, name: str) -> None:
    exchanges, expected = PAGES[name]
    page, *others = exchanges
    archived(tmp_path / "archive", page, *(replace(each, via=page.url) for each in others))
    with Archive(tmp_path / "archive") as archive:
        write_single_page(archive, CopySelection(archive.clock.now()), page.url, tmp_path / "one.html")
    shown = Page((tmp_path / "one.html").as_uri())
    visit_all(offline_browser, [shown])
    assert shown.done == expected
    assert shown.complaints == []


class StillClock:
    """A clock that stands, so that the site does not change."""

    def now(self) -> Moment:
        return Moment.parse("2026-05-20T08:00:00Z")


def tides_at(offline_browser: Browser, url: str) -> list[str]:
    """The rows of the table and the note below it, once the page has asked."""
    told: list[str] = []

    def read(opened: Browser, shown: Page) -> None:
        script = """JSON.stringify([...document.querySelectorAll('#tides tbody tr, #tides-note')]
          .map((each) => each.textContent))"""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told[:] = json.loads(evaluate(opened, shown, script))
            if told and told[-1] != "Asking the gauge…":
                return

    visit_all(offline_browser, [Page(url, is_plain=True)], then=read)
    return told


def test_the_tides_of_the_demo_site_are_in_one_file(tmp_path: Path, offline_browser: Browser) -> None:
    """What a script of the page asks for is there without a server, as it was on the site."""
    with DemoServer(DemoSite(SitePlan(pages=90), StillClock().now()), clock=StillClock()) as server:
        url = f"http://127.0.0.1:{server.port}/weather/tides/"
        words = ["--scope", "page", "--no-sitemaps", "--delay", "0"]
        assert main(["capture", url, "--into", str(tmp_path / "archive"), *words]) == 0
        live = tides_at(offline_browser, url)
    assert main(["mirror", str(tmp_path / "archive"), str(tmp_path / "one.html"), "--single-file", url]) == 0
    assert len(live) > 2
    assert live[-1].startswith("Gauge reading no.")
    assert tides_at(offline_browser, (tmp_path / "one.html").as_uri()) == live


def test_the_search_of_the_start_page_finds_pages(tmp_path: Path, offline_browser: Browser) -> None:
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
    visit_all(offline_browser, [start], then=look)
    assert [each["text"] for each in found] == ["Other <b>"]
    other = Page(found[0]["href"], is_plain=True)
    visit_all(offline_browser, [other])
    assert "about lighthouses" in other.text
