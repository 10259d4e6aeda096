"""Where sites usually keep things that no page links to."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.extract.link import Link, Role
from webkeep.url import resolve

_USUAL = (
    ("/robots.txt", Role.NAVIGATE),
    ("/sitemap.xml", Role.NAVIGATE),
    ("/sitemap_index.xml", Role.NAVIGATE),
    ("/sitemap.txt", Role.NAVIGATE),
    ("/favicon.ico", Role.EMBED),
    ("/apple-touch-icon.png", Role.EMBED),
    ("/browserconfig.xml", Role.EMBED),
    ("/crossdomain.xml", Role.EMBED),
    ("/humans.txt", Role.NAVIGATE),
    ("/ads.txt", Role.NAVIGATE),
    ("/llms.txt", Role.NAVIGATE),
    ("/.well-known/security.txt", Role.NAVIGATE),
    ("/.well-known/host-meta", Role.NAVIGATE),
    ("/.well-known/host-meta.json", Role.NAVIGATE),
    ("/.well-known/nodeinfo", Role.NAVIGATE),
    ("/.well-known/openid-configuration", Role.NAVIGATE),
    ("/.well-known/change-password", Role.NAVIGATE),
    ("/.well-known/gpc.json", Role.NAVIGATE),
    ("/.well-known/assetlinks.json", Role.NAVIGATE),
    ("/.well-known/apple-app-site-association", Role.NAVIGATE),
    ("/.well-known/traffic-advice", Role.NAVIGATE),
    ("/.well-known/dnt-policy.txt", Role.NAVIGATE),
)


def well_known_links(url: str) -> Iterator[Link]:
    """The usual places on the site of a URL, all of them guesses."""
    for path, role in _USUAL:
        where = resolve(url, path)
        if where is not None and where.startswith(("http:", "https:")):
            yield Link(where, role, "well-known", True)
