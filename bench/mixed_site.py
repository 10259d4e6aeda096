"""A site of many templates, of whose pages one in ten loads more once it is run though most have scripts.

Half of the templates were looked at when the two tiers were made; the others (`held out`) were written afterwards, and
nothing was tuned to them. What a page loads when it is run is computed from it, so that no reader of links finds it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIXEL = b"\x89PNG\r\n\x1a\n"
SHARE = 10
"""One page in so many is deferred."""

Maker = Callable[[int, bool], str]


def _article(number: int, deferred: bool) -> str:
    widget = f'<div class="comments" data-thread="{number}"></div>' if deferred else ""
    text = f"<h1>Article {number}</h1><p>Some text {number}.</p>{widget}"
    return f'<article>{text}</article><script src="/js/article.js"></script>'


def _shop(number: int, deferred: bool) -> str:
    kind = "viewer" if deferred else "plain"
    return (
        f'<section class="product" data-gallery="{kind}" id="item-{number}"><h2>Item {number}</h2><b>{number} €</b>'
        '<button>Buy</button></section><script src="/js/shop.js"></script>'
    )


def _profile(number: int, deferred: bool) -> str:
    feed = "true" if deferred else "false"
    data = f'{{"user": "u{number}", "feed": {feed}, "name": "Person {number}"}}'
    held = f'<script type="application/json" id="data">{data}</script>'
    return f'<main><h1>Person {number}</h1></main>{held}<script src="/js/profile.js"></script>'


def _gallery(number: int, deferred: bool) -> str:
    name = "lazy" if deferred else "eager"
    source = f'data-name="p{number}"' if deferred else f'src="/img/fixed{number % 7}.png"'
    titled = f'<script>document.title = "Gallery {number}";</script>'
    return f'<figure class="{name}"><img alt="" {source}></figure>{titled}<script src="/js/gallery.js"></script>'


def _map(number: int, deferred: bool) -> str:
    tag = f'<x-map place="{number}"></x-map>' if deferred else "<p>No map.</p>"
    return f'<h1>Place {number}</h1>{tag}<script type="module" src="/js/map.js"></script>'


def _news(number: int, deferred: bool) -> str:
    call = f"ticker({number})" if deferred else f"greet({number})"
    return f'<h1>News {number}</h1><div id="out"></div><script src="/js/news.js"></script><script>{call};</script>'


def _table(number: int, deferred: bool) -> str:
    rows = "".join(f"<tr><td>{number}</td><td>{row}</td></tr>" for row in range(5))
    more = f'<tfoot><tr><td id="rest" title="{number}"></td></tr></tfoot>' if deferred else ""
    return f'<table class="data">{rows}{more}</table><script src="/js/table.js" defer></script>'


def _video(number: int, deferred: bool) -> str:
    player = f'<video poster="/img/poster{number % 5}.png" controls></video>' if deferred else "<p>Text only.</p>"
    return f"<h1>Talk {number}</h1>{player}<script src='/js/video.js'></script>"


TUNED: dict[str, Maker] = {"article": _article, "shop": _shop, "profile": _profile, "gallery": _gallery}
HELD_OUT: dict[str, Maker] = {"map": _map, "news": _news, "table": _table, "video": _video}
TEMPLATES = TUNED | HELD_OUT

_GET = "const get = (name) => fetch(['', 'api', name].join('/')).then((answer) => answer.text());\n"
_ALL = "for (const each of document.querySelectorAll('{}')) "
SCRIPTS = {
    "article": _GET
    + _ALL.format(".comments")
    + "get('comments-' + each.dataset.thread).then((text) => each.append(text));",
    "shop": _GET + _ALL.format("[data-gallery=viewer]") + "get('views-' + each.id).then((text) => each.append(text));",
    "profile": _GET
    + "const data = JSON.parse(document.getElementById('data').textContent);"
    + "if (data.feed) get('feed-' + data.user).then((text) => document.body.append(text));",
    "gallery": _ALL.format(".lazy img") + "each.src = ['', 'img', each.dataset.name + '.png'].join('/');",
    "map": _GET
    + "customElements.define('x-map', class extends HTMLElement { connectedCallback() {"
    + "get('map-' + this.getAttribute('place')).then((text) => this.append(text)); } });",
    "news": _GET
    + "const greet = (number) => { document.body.dataset.hello = number; };"
    + "const out = (text) => { document.getElementById('out').textContent = text; };"
    + "const ticker = (number) => get('ticker-' + number).then(out);",
    "table": _GET
    + "const rest = document.getElementById('rest');"
    + "if (rest) get('rows-' + rest.title).then((text) => { rest.textContent = text; });",
    "video": _GET
    + _ALL.format("video")
    + "get('tracks-' + location.pathname.match(/[0-9]+/)[0]).then((text) => { each.title = text; });",
}


def is_deferred(number: int) -> bool:
    """Whether a page loads more once it is run."""
    return number // len(TEMPLATES) % SHARE == SHARE - 1


def page(number: int, pages: int) -> str:
    """A page of the site, with a link to the next ones."""
    name = list(TEMPLATES)[number % len(TEMPLATES)]
    links = "".join(f'<a href="/{_name(each)}">next</a> ' for each in range(number + 1, min(number + 12, pages)))
    body = TEMPLATES[name](number, is_deferred(number))
    head = f"<head><title>{name}</title><link rel=icon href=/icon.png></head>"
    return f"<!doctype html><html lang=en>{head}<body class={name}><nav>{links}</nav>{body}</body></html>"


def _name(number: int) -> str:
    return f"{list(TEMPLATES)[number % len(TEMPLATES)]}/{number}.html"


def names(pages: int) -> dict[str, bool]:
    """The paths of all pages, and whether they are deferred."""
    return {f"/{_name(number)}": is_deferred(number) for number in range(pages)}


def serve(pages: int) -> ThreadingHTTPServer:
    """The site on loopback, on any port that is free."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            kind, data, status = answer(self.path, pages)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def answer(path: str, pages: int) -> tuple[str, bytes, int]:
    """What is at a path: its type, its content and the status."""
    folder, _, name = path.strip("/").rpartition("/")
    if folder == "js" and name.removesuffix(".js") in SCRIPTS:
        return "text/javascript", SCRIPTS[name.removesuffix(".js")].encode(), 200
    if folder == "img" or name == "icon.png":
        return "image/png", PIXEL + path.encode(), 200
    if folder == "api":
        return "text/plain", f" data of {name} ".encode(), 200
    number = name.removesuffix(".html")
    if folder in TEMPLATES and number.isdecimal() and int(number) < pages:
        return "text/html; charset=utf-8", page(int(number), pages).encode(), 200
    return "text/plain", b"nothing here", 404


if __name__ == "__main__":
    server = serve(int(sys.argv[1]))
    print(server.server_port, flush=True)
    server.serve_forever(poll_interval=0.1)
