"""Subsites: the parts of a site that may be coherent in themselves, by its sitemaps where there are several, else by
its directories; what may be a sitemap, and how many are read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import islice

from webkeep.errors import StorageError
from webkeep.extract.documents import MAX_UNPACKED_BYTES, read_sitemap
from webkeep.model import RecordPlace
from webkeep.store.archive import Archive
from webkeep.url import first_directory, normalize_url

_SITEMAP_TYPES = ("xml", "gzip", "text/plain", "octet-stream")
_MAX_SITEMAPS = 2000
"""Sitemaps that are read for a certificate; a site may have any number."""


def may_be_sitemap(url: str, media_type: str) -> bool:
    """Whether it is worth while to look into something for a sitemap."""
    return "sitemap" in url.lower() and any(each in media_type for each in _SITEMAP_TYPES)


def assign_subsites(
    archive: Archive, urls: Iterable[str], sitemaps: Iterable[tuple[str, RecordPlace]]
) -> dict[str, str]:
    """The subsite of each URL: the sitemap that lists it where there are several of them, else its directory."""
    known = {url: sys.intern(first_directory(url)) for url in urls}
    listed: dict[str, str] = {}
    for sitemap, place in islice(sorted(sitemaps), _MAX_SITEMAPS):
        for url in _read_sitemap_urls(archive, place, known):
            listed.setdefault(url, sitemap)
    return known | listed if len(set(listed.values())) > 1 else known


def _read_sitemap_urls(archive: Archive, place: RecordPlace, known: Mapping[str, str]) -> Iterable[str]:
    """The known URLs that a sitemap lists; one that refers to what is not held here lists nothing."""
    try:
        content = b"".join(archive.read_place(place).content(MAX_UNPACKED_BYTES))
    except StorageError:
        return
    for entry in read_sitemap(content):
        url = normalize_url(entry.url)
        if url is not None and url in known and not entry.is_sitemap:
            yield url
