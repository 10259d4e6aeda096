"""Change hints: what sitemaps (changefreq, lastmod) and RSS or Atom feeds say of how often pages change and when they
did last; how many hints of one document are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webkeep.document import sniff_text
from webkeep.extract import DocumentKind
from webkeep.extract.documents import gunzip, parse_entries, read_feed_items, root_element_name
from webkeep.model import ChangeFrequency, Moment
from webkeep.url import resolve_url

if TYPE_CHECKING:
    from webkeep.change.rates import RateTable

_HINT_KINDS = frozenset({DocumentKind.XML, DocumentKind.PACKED, DocumentKind.TEXT})
_FEED_ROOTS = frozenset({"rss", "feed", "rdf"})
_MAX_HINTS = 2_000_000
"""Hints that are read of one document: forty full sitemaps; what has more was made to fill memory."""


class ChangeHint(NamedTuple):
    """What was said of one page, as it passes between processes."""

    url: str
    frequency: str = ""
    changed: int | None = None
    """When it changed last, in microseconds."""
    from_feed: bool = False

    def record_in(self, rates: RateTable, now: Moment) -> None:
        """Bring it to whoever keeps rates."""
        changed = None if self.changed is None else Moment(self.changed)
        if self.from_feed:
            rates.add_feed_hint(self.url, changed, now)
        else:
            frequency = ChangeFrequency(self.frequency) if self.frequency else None
            rates.add_sitemap_hint(self.url, frequency, changed, now)


def read_change_hints(url: str, content: bytes, charset: str, kind: DocumentKind) -> list[ChangeHint]:
    """The hints of a document, if it is a sitemap or a feed."""
    if kind not in _HINT_KINDS:
        return []
    text = sniff_text(gunzip(content), charset).text
    reader = _feed_hints if root_element_name(text) in _FEED_ROOTS else _sitemap_hints
    return list(islice(reader(text, url), _MAX_HINTS))


def _feed_hints(text: str, url: str) -> Iterator[ChangeHint]:
    for page, changed in read_feed_items(text, url):
        if changed is not None:
            yield ChangeHint(page, "", changed.micros, from_feed=True)


def _sitemap_hints(text: str, url: str) -> Iterator[ChangeHint]:
    for entry in parse_entries(text):
        page = None if entry.is_sitemap else resolve_url(url, entry.url)
        if page is not None:
            frequency = "" if entry.changefreq is None else entry.changefreq.value
            yield ChangeHint(page.partition("#")[0], frequency, None if entry.lastmod is None else entry.lastmod.micros)
