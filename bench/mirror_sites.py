"""Small sites that are hard to copy, each with one difficulty, served on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple
from urllib.parse import quote

from bench.loopback_site import LoopbackSite
from bench.mirror_pictures import PICTURE


class Answer(NamedTuple):
    """What a path gives."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"
    status: int = 200
    fields: Mapping[str, str] = {}


Site = Mapping[str, Answer]


def _page(body: str, head: str = "", charset: str = "utf-8") -> Answer:
    text = f"<!doctype html><html><head><title>x</title>{head}</head><body>{body}</body></html>"
    return Answer(text.encode(charset), f"text/html; charset={charset}")


def _links(*paths: str) -> str:
    return "".join(f'<p><a href="{path}">to {number}</a></p>' for number, path in enumerate(paths))


def _picture() -> Answer:
    return Answer(PICTURE, "image/png")


def _text(text: str, media_type: str) -> Answer:
    return Answer(text.encode(), media_type)


def _moved(target: str, status: int = 302) -> Answer:
    return Answer(b"", "text/html", status, {"Location": target})


_CYRILLIC = "Привет из порта"
_LONG = "/" + "long-name-" * 20 + ".html"

SITES: Mapping[str, Site] = {
    "collisions": {
        "/": _page(_links("/index_1.html", "/INDEX_1.HTML", "/index:1.html", "/index_1.cgi")),
        "/index_1.html": _page("first"), "/INDEX_1.HTML": _page("second"),
        "/index:1.html": _page("third"), "/index_1.cgi": _page("fourth"),
    },
    "folders": {
        "/": _page(_links("/bar", "/bar/", "/bar/index.html", "/bar/x")),
        "/bar": _page("a file"), "/bar/": _page("a folder"), "/bar/index.html": _page("an index"),
        "/bar/x": _page("below"),
    },
    "queries": {
        "/": _page(_links("/list?p=1", "/list?p=2", "/list?p=1&amp;q=a/b", "/list")),
        "/list?p=1": _page("one"), "/list?p=2": _page("two"), "/list?p=1&q=a/b": _page("three"),
        "/list": _page("none"),
    },
    "charset": {
        "/": _page(f"{_CYRILLIC} {_links('/second.html')}", charset="windows-1251"),
        "/second.html": _page(f"{_CYRILLIC} 2 {_links('/')}", charset="koi8-r"),
    },
    "base": {
        "/": _page(_links("deep/a.html") + '<img src="a.png">', '<base href="/other/">'),
        "/other/deep/a.html": _page("moved by a base"), "/other/a.png": _picture(),
    },
    "redirects": {
        "/": _page(_links("/old", "/chain/1") + '<img src="/moved.png">'),
        "/old": _moved("/new/"), "/new/": _page("here it is"), "/chain/1": _moved("2", 301),
        "/chain/2": _moved("/new/", 307), "/moved.png": _moved("/new/a.png"), "/new/a.png": _picture(),
    },
    "pictures": {
        "/": _page('<picture><source srcset="a.png 1x, b.png 2x"><img src="c.png"></picture><p class="x">styled</p>'
                   + _links("/a/"), '<link rel="stylesheet" href="s/a.css">'),
        "/a/": _page('<img srcset="../a.png 100w, ../b.png 200w" sizes="50px" src="../c.png">'),
        "/a.png": _picture(), "/b.png": _picture(), "/c.png": _picture(),
        "/s/a.css": _text('@import "b.css"; p { background: url("../a.png") }', "text/css"),
        "/s/b.css": _text(".x::after { content: ' after' }", "text/css"),
    },
    "sprites": {
        "/": _page('<svg width="20" height="20"><use href="/icons.svg#star"/></svg>' + _links("/in/")),
        "/in/": _page('<svg width="20" height="20"><use xlink:href="../icons.svg#moon"/></svg>'),
        "/icons.svg": _text('<svg xmlns="http://www.w3.org/2000/svg"><symbol id="star"><rect width="9" height="9"/>'
                            '</symbol><symbol id="moon"><circle r="9"/></symbol></svg>', "image/svg+xml"),
    },
    "modules": {
        "/": _page('<p id="out">nothing</p><script type="module" src="/js/main.js"></script>' + _links("/sub/")),
        "/sub/": _page('<p id="out">nothing</p><script type="module">import {word} from "../js/word.js"; '
                       'document.querySelector("#out").textContent = word + " inline";</script>'),
        "/js/main.js": _text('import {word} from "./word.js"; const late = await import("./late.js"); '
                             'document.querySelector("#out").textContent = `${word} ${late.default}`;',
                             "text/javascript"),
        "/js/word.js": _text('export const word = "imported";', "text/javascript"),
        "/js/late.js": _text('export default "late";', "text/javascript"),
    },
    "data": {
        "/": _page('<p id="out">nothing</p><script>fetch("/api/town.json").then((it) => it.json()).then((it) => { '
                   'document.querySelector("#out").textContent = it.name; });</script>' + _links("/x/")),
        "/x/": _page('<p id="out">nothing</p><script>const ask = new XMLHttpRequest(); ask.open("GET", '
                     '"../api/town.json"); ask.onload = () => { document.querySelector("#out").textContent = '
                     'ask.responseText.length; }; ask.send();</script>'),
        "/api/town.json": _text('{"name": "Tidewick"}', "application/json"),
    },
    "forbidding": {
        "/": _page('<p class="x">styled</p><img crossorigin src="/a.png">' + _links("/b.html"),
                   '<meta http-equiv="Content-Security-Policy" content="default-src \'self\'">'
                   '<link rel="stylesheet" crossorigin="anonymous" href="/a.css">'),
        "/b.html": _page('<p id="out">nothing</p><script crossorigin src="/a.js"></script>'),
        "/a.css": _text(".x::after { content: ' after' }", "text/css"), "/a.png": _picture(),
        "/a.js": _text('document.querySelector("#out").textContent = "ran";', "text/javascript"),
    },
    "names": {
        "/": _page(_links("/" + quote("café") + "/", "/con", "/a%20b.html", _LONG, "/dot./x", "/%E9")),
        "/" + quote("café") + "/": _page("coffee"), "/con": _page("console"), "/a%20b.html": _page("space"),
        _LONG: _page("long"), "/dot./x": _page("dots"), "/%E9": _page("latin"),
    },
}  # fmt: skip


class SiteServer(LoopbackSite):
    """Serves one of these sites."""

    def __init__(self, site: Site) -> None:
        super().__init__(_handler(site))


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = site.get(self.path, Answer(b"not here", "text/plain", 404))
            self.send_response(answer.status)
            fields = {"Content-Type": answer.media_type, "Content-Length": str(len(answer.body)), **answer.fields}
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nobody reads it."""

    return Handler
