"""What an archive saw of each page, cleaned: of several observations of a URL in a capture the latest one counts, and
URLs that differ in case alone are one page where their server takes them for one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from webkeep.change.detection import PageFingerprint
from webkeep.model import Moment, RecordPlace
from webkeep.store.archive import Archive
from webkeep.url import is_urn

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class SeenPage(NamedTuple):
    """A page as a capture saw it last."""

    url: str
    capture: str
    moment: Moment
    status: int | None
    fingerprint: PageFingerprint
    place: RecordPlace


def read_seen_pages(archive: Archive, capture: str | None = None) -> Iterator[SeenPage]:
    """The pages of a capture, or of all, each once for each capture, as it was seen last; by capture, then URL."""
    latest: dict[tuple[str, str], SeenPage] = {}
    for seen, fingerprint in archive.catalog.observations.with_fingerprints(capture):
        if fingerprint is None or seen.method != "GET" or seen.media_type not in _PAGE_TYPES or is_urn(seen.url):
            continue
        known = latest.get((seen.capture, seen.url))
        if known is None or known.moment <= seen.moment:
            latest[seen.capture, seen.url] = SeenPage(
                seen.url, seen.capture, seen.moment, seen.status, fingerprint, seen.place
            )
    return (page for _, page in sorted(latest.items()))


def find_case_variants(pages: Iterable[SeenPage]) -> dict[str, str]:
    """URLs that are another one in other case, each with the one that stands for it: the least.

    Only where both say the same: a server that does not ignore case gives other pages, or none.
    """
    by_spelling: dict[tuple[str, bytes], set[str]] = defaultdict(set)
    for page in pages:
        by_spelling[page.url.lower(), page.fingerprint.text].add(page.url)
    return {url: min(urls) for urls in by_spelling.values() if len(urls) > 1 for url in urls if url != min(urls)}
