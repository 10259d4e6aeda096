"""A small Starlette site on uvicorn, with the middleware around it or without, in a process of its own.

    python -m bench.middleware_app PORT [ARCHIVE [WAITING]]

Its pages are made anew for every visitor out of a template, 10 to 20 KB each: articles stay as they are, reports
change with every thousandth visit, and tides are never the same twice. What the recorder counted is printed at the end.
"""

from __future__ import annotations

import json
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.limits import RecorderLimits

PAGES = 100
VISITS = 1000
"""A report changes after so many visits."""

_PAGE = """<!doctype html>
<html lang=en><head><meta charset=utf-8><title>{title} – Tidewick harbour</title><link rel=stylesheet href=/site.css>
</head><body><nav><a href=/>Harbour</a> <a href=/articles/0>Articles</a> <a href=/tides/0>Tides</a></nav>
<main><h1>{title}</h1><p class=state>{state}</p>
{paragraphs}</main><footer>Page {number} of {count}</footer></body></html>
"""
_PARAGRAPH = '<p class="c{shade}">{text} <a href="/articles/{link}">{label}</a></p>\n'


@dataclass(frozen=True, slots=True)
class Paragraph:
    """What a paragraph is made of."""

    text: str
    label: str
    link: int
    shade: int


def main() -> None:
    port, archive, waiting = [*sys.argv[1:], "", "", ""][:3]
    app = application()
    if not archive:
        uvicorn.run(app, port=int(port), access_log=False, log_level="error")
        return
    # uvicorn raises the signal again that ended it, and what was counted is still to be said.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    archiving = ArchivingMiddleware(
        app, archive, limits=RecorderLimits(waiting=int(waiting)) if waiting else RecorderLimits()
    )
    try:
        uvicorn.run(archiving, port=int(port), access_log=False, log_level="error")
    finally:
        print(json.dumps(archiving.recorder.counts), flush=True)


def application(tails: Mapping[str, str | bytes] = MappingProxyType({})) -> Starlette:
    """The site, the same in every process; pages have these tails, by their paths."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(4000)]
    pages = [[_paragraph(chance, words) for _ in range(chance.randint(20, 40))] for _ in range(PAGES)]
    visits = [number * VISITS // PAGES for number in range(PAGES)]  # so that they do not all change at once

    async def home(request: Request) -> Response:
        return HTMLResponse(_end(_page(0, "Harbour", "", pages[0]), tails.get(request.url.path, "")))

    async def article(request: Request) -> Response:
        number = request.path_params["number"]
        page = _page(number, f"Article {number}", "", pages[number])
        return HTMLResponse(_end(page, tails.get(request.url.path, "")))

    async def report(request: Request) -> Response:
        number = request.path_params["number"]
        visits[number] += 1
        return HTMLResponse(_page(number, f"Report {number}", f"version {visits[number] // VISITS}", pages[number]))

    async def tide(request: Request) -> Response:
        number = request.path_params["number"]
        page = _page(number, f"Tides at pier {number}", f"{chance.random()} m", pages[number])
        return HTMLResponse(_end(page, tails.get(request.url.path, "")))

    async def ships(_: Request) -> Response:
        return JSONResponse([{"name": each.label, "pier": each.link} for each in pages[0]])

    return Starlette(
        routes=[
            Route("/", home),
            Route("/ships.json", ships),
            Route("/articles/{number:int}", article),
            Route("/reports/{number:int}", report),
            Route("/tides/{number:int}", tide),
        ]
    )


def _end(page: str, tail: str | bytes) -> str | bytes:
    """A page with its tail: of one text, or the tail behind the page as it is encoded."""
    return page + tail if isinstance(tail, str) else page.encode() + tail


def _paragraph(chance: random.Random, words: list[str]) -> Paragraph:
    text = " ".join(chance.choices(words, k=60))
    return Paragraph(text, chance.choice(words), chance.randrange(PAGES), chance.randint(0, 9))


def _page(number: int, title: str, state: str, paragraphs: list[Paragraph]) -> str:
    made = "".join(
        _PARAGRAPH.format(shade=each.shade, text=each.text, link=each.link, label=each.label) for each in paragraphs
    )
    return _PAGE.format(title=escape(title), state=escape(state), paragraphs=made, number=number, count=PAGES)


if __name__ == "__main__":
    main()
