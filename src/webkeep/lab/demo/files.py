"""What every site has beside its pages: style sheets, scripts, emblem, icons, manifest, robots.txt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files

from webkeep.lab.demo.markup import TOWN_NAME
from webkeep.lab.demo.pictures.drawing import emblem, icon, town_map
from webkeep.lab.demo.pictures.png import encode_ico
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource, fixed

CONTROL = "/.demo/"
"""Where the server tells the truth about itself; no part of the site."""
DESK = "/desk/"
_ASSETS = {
    "town.css": (Kind.STYLE, "text/css; charset=utf-8"),
    "base.css": (Kind.STYLE, "text/css; charset=utf-8"),
    "print.css": (Kind.STYLE, "text/css; charset=utf-8"),
    "waves.svg": (Kind.PICTURE, "image/svg+xml"),
    "town.js": (Kind.SCRIPT, "text/javascript; charset=utf-8"),
}
_TOWN_ASSETS = {
    "tides.js": (Kind.SCRIPT, "text/javascript; charset=utf-8"),
    "rows.js": (Kind.SCRIPT, "text/javascript; charset=utf-8"),
}
_ICON_SIDES = (192, 512)


def site_files(town: bool) -> Iterator[Resource]:
    """The files of the site."""
    for name, (kind, media_type) in (_ASSETS | (_TOWN_ASSETS if town else {})).items():
        yield Resource(f"/static/{name}", fixed(partial(_read, name)), media_type, kind)
    yield Resource("/static/emblem.svg", fixed(_emblem), "image/svg+xml", Kind.PICTURE)
    known = partial(Resource, reach=Reach.CONVENTION)
    yield known("/favicon.ico", fixed(_favicon), "image/vnd.microsoft.icon", Kind.PICTURE)
    yield known("/robots.txt", partial(_robots, town=town), "text/plain; charset=utf-8", Kind.NOTE)
    if town:
        yield Resource("/manifest.webmanifest", _manifest, "application/manifest+json", Kind.NOTE)
        yield Resource(
            "/pictures/map.svg", lambda edition: town_map(edition.seed).encode(), "image/svg+xml", Kind.PICTURE
        )
        for side in _ICON_SIDES:
            yield Resource(_icon_path(side), fixed(partial(icon, side)), "image/png", Kind.PICTURE)


@cache
def _read(name: str) -> bytes:
    return files("webkeep.lab.demo").joinpath("assets", name).read_bytes()


def _emblem() -> bytes:
    return emblem().encode()


def _favicon() -> bytes:
    return encode_ico(icon(32), 32)


def _icon_path(side: int) -> str:
    return f"/pictures/icon-{side}.png"


def _manifest(edition: Edition) -> bytes:
    icons = [
        {"src": edition.link(_icon_path(side)), "sizes": f"{side}x{side}", "type": "image/png"} for side in _ICON_SIDES
    ]
    facts = {
        "name": TOWN_NAME,
        "short_name": "Tidewick",
        "start_url": "/",
        "display": "browser",
        "background_color": "#fbf8f1",
        "theme_color": "#12485a",
        "icons": icons,
    }
    return json.dumps(facts, indent=1, ensure_ascii=False).encode()


def _robots(edition: Edition, town: bool) -> bytes:
    lines = ["User-agent: *", *([f"Disallow: {DESK}"] if town else []), f"Disallow: {CONTROL}", ""]
    lines += [f"Sitemap: {edition.addresses.absolute('/sitemap.xml')}", ""]
    return "\n".join(lines).encode()
