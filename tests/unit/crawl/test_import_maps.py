"""Modules by bare names and import maps of pages come together, whichever is read first."""

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import ExtractedLinks, ExtractionContext
from webkeep.crawl.links.import_maps import BareImports
from webkeep.model import BytesBody, Exchange, Moment

AT = Moment.parse("2026-05-20T08:00:00Z")
PAGE = """<base href="/site/"><script type="importmap">{"imports": {"three": "./three.js", "three/addons/": "./jsm/",
"three/addons/own/": "/own/", "bad/": 3}, "scopes": {"/a/": {"rooms/": "./halls/"}}}</script>
<script type="module">import 'three/addons/Own.js'; import('rooms/first.js');
import 'three/addons/own/x.js';</script>"""
SCRIPT = """import {a}from"three/addons/controls/Orbit.js"; import './near.js'; import "three";
const name = 'x'; import(`rooms/${name}.js`); import("rooms/" + name); export * from 'unknown/part.js';"""
MADE = "http://site.test/site/"


def read(path: str, kind: str, body: str) -> ExtractedLinks:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    return analyse_exchange(
        ExtractionContext(path), Exchange(f"http://site.test{path}", AT, head, BytesBody(body.encode()))
    )


def added(modules: BareImports, studied: ExtractedLinks) -> set[str]:
    return {url for url, _, _ in modules.add_module_links(studied).links} - {url for url, _, _ in studied.links}


def test_names_meet_maps_in_any_order() -> None:
    page, script = read("/a/page", "text/html", PAGE), read("/site/app.js", "text/javascript", SCRIPT)
    own = {f"{MADE}jsm/Own.js", f"{MADE}halls/first.js", "http://site.test/own/x.js"}
    other = {f"{MADE}jsm/controls/Orbit.js"}
    modules = BareImports()
    assert (added(modules, page), added(modules, script)) == (own, other)
    assert added(modules, script) == set(), "once is enough"
    modules = BareImports()
    assert (added(modules, script), added(modules, page)) == (set(), own | other)


def test_scripts_without_bare_names_cost_nothing() -> None:
    studied = read("/site/plain.js", "text/javascript", "import './near.js'")
    assert BareImports().add_module_links(studied) is studied
