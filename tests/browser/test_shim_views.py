"""Real Chromium on a replayed page: what scripts see is the archived site, by their own words and from the outside."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shim_browser import PATIENCE, Chromium, Page
from shim_server import ShimServer

HERE = Path(__file__).parent
HOME = "https://www.town.example"
OTHER = "https://cdn.other.example"
PAGE = b"""<!doctype html><html><head><meta charset=utf-8>
<meta http-equiv="Content-Security-Policy" content="default-src https://www.town.example">
<title>A page</title></head><body><div id=box>box</div>
<a id=link href="https://cdn.other.example:444/a/b?c#d">link</a><a id=own href="next.html">own</a>
<script>1</script><script src=/page.js></script><script src=/views.js></script></body></html>"""
FRAME = b"""<!doctype html><title>F</title><script>
onmessage = (e) => e.source.postMessage([e.origin, e.data, location.origin], e.origin);
parent.postMessage('ready', 'https://www.town.example');
</script>"""
SERVICE = b"""onactivate = (event) => event.waitUntil(clients.claim());
const page = '<!doctype html><title>made</title><script>fetch("https://cdn.other.example/d.json?made")</script>';
onfetch = (event) => {
  if (event.request.url !== 'https://www.town.example/made') return;
  event.respondWith(new Response(page, {headers: {'Content-Type': 'text/html', 'Connection-Allowlist': '("*")'}}));
};"""
WORKLET = b"""class Teller extends AudioWorkletProcessor {
  constructor() { super(); this.port.postMessage('told'); }
  process() { return false; }
}
registerProcessor('teller', Teller);"""
POLICY = "default-src 'self'; script-src 'self' 'nonce-abc'; upgrade-insecure-requests"
PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
GUARDED = b"""<!doctype html><title>Guarded</title><img id=allowed src=/picture.svg>
<img id=blocked src=https://cdn.other.example/picture.svg>
<script nonce=abc>window.ran = 'with a nonce';</script><script>window.ran = 'without';</script>"""
PLAIN = b"""<!doctype html><title>Plain</title><link rel=stylesheet href=https://cdn.other.example/style.css><p>words
<img src=https://cdn.other.example/picture.svg?img><img srcset="//cdn.other.example/picture.svg?set 1x">
<noscript><img src=https://cdn.other.example/picture.svg?noscript></noscript>"""
SCRIPT = "text/javascript"
RESOURCES = {
    f"{HOME}/dir/page.html": ("text/html", PAGE),
    f"{HOME}/dir/next.html": ("text/html", b"<!doctype html><title>Next</title>next"),
    f"{HOME}/page.js": (SCRIPT, (HERE / "shim_page.js").read_bytes()),
    f"{HOME}/views.js": (SCRIPT, (HERE / "shim_views.js").read_bytes()),
    f"{HOME}/favicon.ico": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    f"{HOME}/worker.js": (SCRIPT, b"postMessage([location.href, self.location.origin, origin]);"),
    f"{HOME}/service.js": (SCRIPT, SERVICE),
    f"{HOME}/worklet.js": (SCRIPT, WORKLET),
    f"{HOME}/events": ("text/event-stream", b"data: hello\n\n"),
    f"{HOME}/policy.html": ("text/html", GUARDED),
    f"{HOME}/plain.html": ("text/html", PLAIN),
    f"{OTHER}/style.css": ("text/css", b"p { background: url(https://cdn.other.example/picture.svg?style) }"),
    f"{HOME}/picture.svg": ("image/svg+xml", PICTURE),
    f"{OTHER}/picture.svg": ("image/svg+xml", PICTURE),
    f"{OTHER}/frame.html": ("text/html", FRAME),
    f"{OTHER}/d.json": ("application/json", b"{}"),
}
SOCKETS = {
    "wss://www.town.example/socket": {
        "protocol": "",
        "frames": [
            {"from": "server", "text": "welcome"},
            {"from": "client", "text": "hello"},
            {"from": "server", "text": "HELLO"},
            {"from": "server", "base64": "AQI="},
        ],
        "close": [1000, "bye"],
    }
}
VIEWS = re.findall(r"^  '([\w-]+)':", (HERE / "shim_views.js").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def server() -> Iterator[ShimServer]:
    with ShimServer(RESOURCES, SOCKETS, policies={f"{HOME}/policy.html": POLICY}) as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: ShimServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    running = Chromium(tmp_path_factory.mktemp("shim") / "profile", server.port)
    try:
        yield running
    finally:
        running.close()


@pytest.fixture
def page(browser: Chromium, server: ShimServer) -> Iterator[Page]:
    opened = browser.open(server.address(f"{HOME}/dir/page.html"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", VIEWS)
def test_scripts_see_the_archived_site(page: Page, server: ShimServer, name: str) -> None:
    found, expected = page.value(f"(async () => views['{name}']())()")
    assert found == expected
    assert not page.errors
    assert not server.outside


def test_a_change_of_location_leads_into_the_archive(page: Page) -> None:
    page.loaded.clear()
    page.value("void run(\"window.location.href = 'https://www.town.example/dir/next.html'\")")
    assert page.loaded.wait(PATIENCE)
    assert page.value("document.title") == "Next"
    assert page.value("document.referrer") == f"{HOME}/dir/page.html"


def test_a_change_that_was_not_wrapped_leads_there_too(page: Page) -> None:
    page.loaded.clear()
    page.value("void (location.href = 'https://www.town.example/dir/next.html')")
    assert page.loaded.wait(PATIENCE)
    assert page.value("document.title") == "Next"


ESCAPE = """(async (scope) => {
  const frame = scope.document.createElement('iframe');
  scope.document.body.append(frame);
  const ended = wait(frame, 'load');
  frame.contentWindow.location = 'http://leak.example/';
  await ended;
  return 1;
})"""


def test_what_slips_past_the_shim_is_stopped_by_the_locks(page: Page, server: ShimServer) -> None:
    page.value(f"{ESCAPE}(window)")
    assert "leak.example" in page.errors[0]
    assert not server.outside


def test_an_archived_service_worker_works_behind_the_locks(page: Page, server: ShimServer) -> None:
    page.value(
        "navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(() => 1)"
    )
    page.value("navigator.serviceWorker.controller || wait(navigator.serviceWorker, 'controllerchange').then(() => 1)")
    page.value(
        "box.innerHTML = '<iframe id=made src=https://www.town.example/made></iframe>';"
        " wait(box.firstChild, 'load').then(() => 1)"
    )
    assert page.value("[made.contentDocument.title, Object.hasOwn(made.contentWindow, 'webkeep_location$')]") == [
        "made",
        True,
    ]
    page.value(f"asked('{OTHER}/d.json?made').then(() => 1)")
    page.value(f"{ESCAPE}(made.contentWindow)")
    assert not server.outside


def test_what_a_page_forbade_itself_stays_forbidden(browser: Chromium, server: ShimServer) -> None:
    page = browser.open(server.address(f"{HOME}/policy.html"))
    assert page.value("[window.ran, Object.hasOwn(window, 'webkeep_location$')]") == ["with a nonce", True]
    assert page.value("[allowed, blocked].map((picture) => picture.naturalWidth)") == [9, 0]
    assert page.value("fetch('https://cdn.other.example/d.json').then(() => 'came', () => 'blocked')") == "blocked"
    assert f"{OTHER}/picture.svg" not in server.asked
    page.close()


def test_without_scripts_a_page_still_has_its_pictures_and_styles(browser: Chromium, server: ShimServer) -> None:
    page = browser.open(server.address(f"{HOME}/plain.html"), scripts=False)
    for name in ("style.css", "picture.svg?style", "picture.svg?img", "picture.svg?set", "picture.svg?noscript"):
        assert f"{OTHER}/{name}" in server.asked
    assert not page.errors
    assert not server.outside
    page.close()


def test_the_clock_and_the_dice_are_set_where_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    with ShimServer(RESOURCES, options="c") as server:
        browser = Chromium(tmp_path_factory.mktemp("shim") / "profile", server.port)
        try:
            pages = [browser.open(server.address(f"{HOME}/dir/page.html")) for _ in range(2)]
            for page in pages:
                assert page.value("new Date().toISOString().slice(0, 16)") == "2024-03-01T12:00"
                assert page.value("Date.now() - new Date(2024, 0, 1).getTime() > 0")
                assert page.value("new Date(0).getTime() === 0 && new Date() instanceof Date")
            dice = [page.value("[Math.random(), Math.random()]") for page in pages]
            assert dice[0] == dice[1]
            assert all(0 <= each < 1 for each in dice[0])
        finally:
            browser.close()
