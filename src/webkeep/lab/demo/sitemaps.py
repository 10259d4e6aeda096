"""Sitemaps of the demo site: an index, and files to each section, with honest dates and frequencies; which pages are
left out, how many a file has, and which changefreq stands for a rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from xml.sax.saxutils import escape

from webkeep.lab.demo.site_plan import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion
from webkeep.lab.demo.static_files import EDITOR_PATH
from webkeep.model import Moment

_SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_MAX_PAGES_A_FILE = 1000
"""Far fewer than the 50,000 of the protocol, so that a large site has several files."""
_PERIOD_SECONDS = (
    ("always", 5 * MINUTE_SECONDS), ("hourly", HOUR_SECONDS), ("daily", DAY_SECONDS), ("weekly", 7 * DAY_SECONDS),
    ("monthly", 30 * DAY_SECONDS),
    ("yearly", 365 * DAY_SECONDS),
)  # fmt: skip

ModifiedAt = Callable[[str, Moment], Moment]
"""When what a path showed at a moment had last changed."""


def sitemap_resources(pages: Iterable[DemoResource], modified: ModifiedAt) -> Iterator[DemoResource]:
    """The files that list these pages, then the index of the files."""
    listed = [
        one
        for one in pages
        if one.kind is DemoKind.PAGE and one.reach is not DemoReach.FORM and one.path != EDITOR_PATH
    ]
    parts = list(_split_by_section(listed))
    for path, members in parts:
        render = partial(_render_section, members=members, modified=modified)
        yield _sitemap_resource(path, render, [one.path for one in members])
    render = partial(_render_index, parts=parts, modified=modified)
    yield _sitemap_resource("/sitemap.xml", render, [one.path for one in listed])


def changefreq_word(rate: float) -> str:
    """The changefreq word nearest to a rate on a logarithmic scale; the periods are in seconds."""
    if not rate:
        return "never"
    return min(_PERIOD_SECONDS, key=lambda named: abs(math.log(named[1] * rate)))[0]


def _sitemap_resource(path: str, render: Callable[[ResourceVersion], bytes], follows: Sequence[str]) -> DemoResource:
    return DemoResource(
        path,
        render,
        media_type="application/xml",
        kind=DemoKind.SITEMAP,
        reach=DemoReach.CONVENTION,
        follows=tuple(follows),
    )


def _split_by_section(listed: Sequence[DemoResource]) -> Iterator[tuple[str, tuple[DemoResource, ...]]]:
    sections: dict[str, list[DemoResource]] = {}
    for one in listed:
        sections.setdefault(one.section, []).append(one)
    for name, members in sections.items():
        for first in range(0, len(members), _MAX_PAGES_A_FILE):
            number = f"-{first // _MAX_PAGES_A_FILE + 1}" if len(members) > _MAX_PAGES_A_FILE else ""
            yield f"/sitemaps/{name}{number}.xml", tuple(members[first : first + _MAX_PAGES_A_FILE])


def _render_section(edition: ResourceVersion, members: Sequence[DemoResource], modified: ModifiedAt) -> bytes:
    entries = "".join(
        f"<url><loc>{escape(edition.addresses.absolute_url(one.path))}</loc>"
        f"<lastmod>{_format_date(modified(one.path, edition.began))}</lastmod>"
        f"<changefreq>{changefreq_word(one.rate)}</changefreq><priority>{one.priority:.1f}</priority></url>\n"
        for one in members
    )
    return _render_xml("urlset", entries)


def _render_index(
    edition: ResourceVersion, parts: Sequence[tuple[str, tuple[DemoResource, ...]]], modified: ModifiedAt
) -> bytes:
    entries = "".join(
        f"<sitemap><loc>{escape(edition.addresses.absolute_url(path))}</loc>"
        f"<lastmod>{_format_date(modified(path, edition.began))}</lastmod></sitemap>\n"
        for path, _ in parts
    )
    return _render_xml("sitemapindex", entries)


def _render_xml(root: str, entries: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SITEMAP_NAMESPACE}">\n{entries}</{root}>\n'.encode()
    )


def _format_date(moment: Moment) -> str:
    return moment.iso()
