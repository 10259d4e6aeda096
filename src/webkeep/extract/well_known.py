"""Where sites usually keep things that no page links to: sitemap.xml, favicon.ico, apple-touch-icon.png, ads.txt,
humans.txt, /.well-known/ paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.extract.links.link import Link, LinkRole
from webkeep.url import resolve_url

_WELL_KNOWN_PATHS = (
    ("/robots.txt", LinkRole.NAVIGATE),
    ("/sitemap.xml", LinkRole.NAVIGATE),
    ("/sitemap_index.xml", LinkRole.NAVIGATE),
    ("/sitemap.txt", LinkRole.NAVIGATE),
    ("/favicon.ico", LinkRole.EMBED),
    ("/apple-touch-icon.png", LinkRole.EMBED),
    ("/browserconfig.xml", LinkRole.EMBED),
    ("/crossdomain.xml", LinkRole.EMBED),
    ("/humans.txt", LinkRole.NAVIGATE),
    ("/ads.txt", LinkRole.NAVIGATE),
    ("/llms.txt", LinkRole.NAVIGATE),
    ("/.well-known/security.txt", LinkRole.NAVIGATE),
    ("/.well-known/host-meta", LinkRole.NAVIGATE),
    ("/.well-known/host-meta.json", LinkRole.NAVIGATE),
    ("/.well-known/nodeinfo", LinkRole.NAVIGATE),
    ("/.well-known/openid-configuration", LinkRole.NAVIGATE),
    ("/.well-known/change-password", LinkRole.NAVIGATE),
    ("/.well-known/gpc.json", LinkRole.NAVIGATE),
    ("/.well-known/assetlinks.json", LinkRole.NAVIGATE),
    ("/.well-known/apple-app-site-association", LinkRole.NAVIGATE),
    ("/.well-known/traffic-advice", LinkRole.NAVIGATE),
    ("/.well-known/dnt-policy.txt", LinkRole.NAVIGATE),
)


def well_known_links(url: str) -> Iterator[Link]:
    """The usual places on the site of a URL, all of them guesses."""
    for path, role in _WELL_KNOWN_PATHS:
        where = resolve_url(url, path)
        if where is not None and where.startswith(("http:", "https:")):
            yield Link(where, role, "well-known", True)
