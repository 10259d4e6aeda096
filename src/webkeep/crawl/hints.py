"""What sitemaps and feeds say of pages: how often they change, and when they did last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webkeep.document import read_text
from webkeep.extract import Kind
from webkeep.extract.feed_items import feed_items
from webkeep.extract.sitemap import entries_in
from webkeep.extract.unpacking import unpacked
from webkeep.extract.xml import root_name
from webkeep.model import ChangeFrequency, Moment
from webkeep.url import resolve

if TYPE_CHECKING:
    from webkeep.change import RateBook

_KINDS = frozenset({Kind.XML, Kind.PACKED, Kind.TEXT})
_FEEDS = frozenset({"rss", "feed", "rdf"})
_MOST = 2_000_000


class Hint(NamedTuple):
    """What was said of one page, as it passes between processes."""

    url: str
    frequency: str = ""
    changed: int | None = None
    """When it changed last, in microseconds."""
    from_feed: bool = False

    def tell(self, rates: RateBook, now: Moment) -> None:
        """Bring it to whoever keeps rates."""
        changed = None if self.changed is None else Moment(self.changed)
        if self.from_feed:
            rates.heard_feed(self.url, changed, now)
        else:
            frequency = ChangeFrequency(self.frequency) if self.frequency else None
            rates.heard_sitemap(self.url, frequency, changed, now)


def hints_in(url: str, content: bytes, charset: str, kind: Kind) -> list[Hint]:
    """The hints of a document, if it is a sitemap or a feed."""
    if kind not in _KINDS:
        return []
    text = read_text(unpacked(content), charset).text
    reader = _feed_hints if root_name(text) in _FEEDS else _sitemap_hints
    return list(islice(reader(text, url), _MOST))


def _feed_hints(text: str, url: str) -> Iterator[Hint]:
    for page, changed in feed_items(text, url):
        if changed is not None:
            yield Hint(page, "", changed.micros, from_feed=True)


def _sitemap_hints(text: str, url: str) -> Iterator[Hint]:
    for entry in entries_in(text):
        page = None if entry.is_sitemap else resolve(url, entry.url)
        if page is not None:
            frequency = "" if entry.changefreq is None else entry.changefreq.value
            yield Hint(page.partition("#")[0], frequency, None if entry.lastmod is None else entry.lastmod.micros)
