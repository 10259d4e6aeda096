"""Subsites: the parts of a site that may be coherent in themselves, by its sitemaps or by its directories."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import islice

from webkeep.errors import StorageError
from webkeep.extract.sitemap import read_sitemap
from webkeep.extract.unpacking import MOST_UNPACKED
from webkeep.model import Place
from webkeep.store.archive import Archive
from webkeep.url import normal
from webkeep.url.places import first_directory

_TYPES = ("xml", "gzip", "text/plain", "octet-stream")
_MOST_SITEMAPS = 2000


def may_be_sitemap(url: str, media_type: str) -> bool:
    """Whether it is worth while to look into something for a sitemap."""
    return "sitemap" in url.lower() and any(each in media_type for each in _TYPES)


def subsites_of(archive: Archive, urls: Iterable[str], sitemaps: Iterable[tuple[str, Place]]) -> dict[str, str]:
    """The subsite of each URL: the sitemap that lists it where there are several of them, else its directory."""
    known = {url: sys.intern(first_directory(url)) for url in urls}
    listed: dict[str, str] = {}
    for sitemap, place in islice(sorted(sitemaps), _MOST_SITEMAPS):
        for url in _listed(archive, place, known):
            listed.setdefault(url, sitemap)
    return known | listed if len(set(listed.values())) > 1 else known


def _listed(archive: Archive, place: Place, known: Mapping[str, str]) -> Iterable[str]:
    """The known URLs that a sitemap lists; one that refers to what is not held here lists nothing."""
    try:
        content = b"".join(archive.read_place(place).content(MOST_UNPACKED))
    except StorageError:
        return
    for entry in read_sitemap(content):
        url = normal(entry.url)
        if url is not None and url in known and not entry.is_sitemap:
            yield url
