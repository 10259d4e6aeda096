"""What the demo site has beside its pages: style sheets, scripts, emblem, icons, manifest, and robots.txt with what
that forbids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files

from webkeep.lab.demo.page_markup import TOWN_NAME
from webkeep.lab.demo.scene_pictures import read_picture
from webkeep.lab.demo.site_resource import (
    DemoKind,
    DemoReach,
    DemoResource,
    RenderVersion,
    ResourceVersion,
    fixed_renderer,
)

CONTROL_PATH = "/.demo/"
"""Where the server tells the truth about itself; no part of the site."""
EDITOR_PATH = "/desk/"
"""A folder that robots.txt closes and no sitemap lists."""
_ASSETS = {
    "town.css": (DemoKind.STYLE, "text/css; charset=utf-8"),
    "base.css": (DemoKind.STYLE, "text/css; charset=utf-8"),
    "print.css": (DemoKind.STYLE, "text/css; charset=utf-8"),
    "waves.svg": (DemoKind.PICTURE, "image/svg+xml"),
    "town.js": (DemoKind.SCRIPT, "text/javascript; charset=utf-8"),
}
_TOWN_ASSETS = {
    "tides.js": (DemoKind.SCRIPT, "text/javascript; charset=utf-8"),
    "rows.js": (DemoKind.SCRIPT, "text/javascript; charset=utf-8"),
}
_ICON_SIDES_PIXELS = (192, 512)
"""The two that browsers ask a manifest for."""


def static_resources(town: bool) -> Iterator[DemoResource]:
    """The files of the site."""
    for name, (kind, media_type) in (_ASSETS | (_TOWN_ASSETS if town else {})).items():
        yield DemoResource(f"/static/{name}", fixed_renderer(partial(_read_asset, name)), media_type, kind)
    yield DemoResource("/static/emblem.svg", _picture_renderer("emblem.svg"), "image/svg+xml", DemoKind.PICTURE)
    known = partial(DemoResource, reach=DemoReach.CONVENTION)
    yield known("/favicon.ico", _picture_renderer("favicon.ico"), "image/vnd.microsoft.icon", DemoKind.PICTURE)
    yield known("/robots.txt", partial(_render_robots, town=town), "text/plain; charset=utf-8", DemoKind.NOTE)
    if town:
        yield DemoResource("/manifest.webmanifest", _render_manifest, "application/manifest+json", DemoKind.NOTE)
        yield DemoResource(
            "/pictures/map.svg",
            _picture_renderer("map.svg"),
            "image/svg+xml",
            DemoKind.PICTURE,
        )
        for side in _ICON_SIDES_PIXELS:
            yield DemoResource(_icon_path(side), _picture_renderer(f"icon-{side}.png"), "image/png", DemoKind.PICTURE)


@cache
def _read_asset(name: str) -> bytes:
    return files("webkeep.lab.demo").joinpath("assets", name).read_bytes()


def _picture_renderer(name: str) -> RenderVersion:
    return fixed_renderer(partial(read_picture, name))


def _icon_path(side: int) -> str:
    return f"/pictures/icon-{side}.png"


def _render_manifest(edition: ResourceVersion) -> bytes:
    icons = [
        {"src": edition.link(_icon_path(side)), "sizes": f"{side}x{side}", "type": "image/png"}
        for side in _ICON_SIDES_PIXELS
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


def _render_robots(edition: ResourceVersion, town: bool) -> bytes:
    lines = ["User-agent: *", *([f"Disallow: {EDITOR_PATH}"] if town else []), f"Disallow: {CONTROL_PATH}", ""]
    lines += [f"Sitemap: {edition.addresses.absolute_url('/sitemap.xml')}", ""]
    return "\n".join(lines).encode()
