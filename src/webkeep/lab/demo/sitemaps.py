"""Sitemaps: an index, and a file to each section, with honest dates and frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from xml.sax.saxutils import escape

from webkeep.lab.demo.files import DESK
from webkeep.lab.demo.plan import DAY, HOUR, MINUTE
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource
from webkeep.model import Moment

_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_MOST_PAGES = 1000
_PERIODS = (
    ("always", 5 * MINUTE), ("hourly", HOUR), ("daily", DAY), ("weekly", 7 * DAY), ("monthly", 30 * DAY),
    ("yearly", 365 * DAY),
)  # fmt: skip

Modified = Callable[[str, Moment], Moment]
"""When what a path showed at a moment had last changed."""


def sitemaps(pages: Iterable[Resource], modified: Modified) -> Iterator[Resource]:
    """The files that list these pages, then the index of the files."""
    listed = [one for one in pages if one.kind is Kind.PAGE and one.reach is not Reach.FORM and one.path != DESK]
    parts = list(_parts(listed))
    for path, members in parts:
        render = partial(_section, members=members, modified=modified)
        yield _sitemap(path, render, [one.path for one in members])
    render = partial(_index, parts=parts, modified=modified)
    yield _sitemap("/sitemap.xml", render, [one.path for one in listed])


def frequency(rate: float) -> str:
    """The changefreq word nearest to a rate on a logarithmic scale; the periods are in seconds."""
    if not rate:
        return "never"
    return min(_PERIODS, key=lambda named: abs(math.log(named[1] * rate)))[0]


def _sitemap(path: str, render: Callable[[Edition], bytes], follows: Sequence[str]) -> Resource:
    return Resource(
        path,
        render,
        media_type="application/xml",
        kind=Kind.SITEMAP,
        reach=Reach.CONVENTION,
        follows=tuple(follows),
    )


def _parts(listed: Sequence[Resource]) -> Iterator[tuple[str, tuple[Resource, ...]]]:
    sections: dict[str, list[Resource]] = {}
    for one in listed:
        sections.setdefault(one.section, []).append(one)
    for name, members in sections.items():
        for first in range(0, len(members), _MOST_PAGES):
            number = f"-{first // _MOST_PAGES + 1}" if len(members) > _MOST_PAGES else ""
            yield f"/sitemaps/{name}{number}.xml", tuple(members[first : first + _MOST_PAGES])


def _section(edition: Edition, members: Sequence[Resource], modified: Modified) -> bytes:
    entries = "".join(
        f"<url><loc>{escape(edition.addresses.absolute(one.path))}</loc>"
        f"<lastmod>{_date(modified(one.path, edition.began))}</lastmod>"
        f"<changefreq>{frequency(one.rate)}</changefreq><priority>{one.priority:.1f}</priority></url>\n"
        for one in members
    )
    return _xml("urlset", entries)


def _index(edition: Edition, parts: Sequence[tuple[str, tuple[Resource, ...]]], modified: Modified) -> bytes:
    entries = "".join(
        f"<sitemap><loc>{escape(edition.addresses.absolute(path))}</loc>"
        f"<lastmod>{_date(modified(path, edition.began))}</lastmod></sitemap>\n"
        for path, _ in parts
    )
    return _xml("sitemapindex", entries)


def _xml(root: str, entries: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SPACE}">\n{entries}</{root}>\n'.encode()


def _date(moment: Moment) -> str:
    return moment.iso()
