"""The items of a feed (RSS, Atom) with when each was changed last (updated, pubDate, …): what a feed tells of pages
before they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.http import parse_http_date
from webkeep.formats.site import XmlEnd, XmlStart, XmlText, local_name, read_xml_events
from webkeep.model import Moment
from webkeep.url import resolve_url

_ITEM_ELEMENTS = frozenset({"item", "entry"})
_DATE_ELEMENTS = frozenset({"updated", "modified", "pubDate", "published", "date"})
_MAX_TEXT_CHARS = 2048
"""Of one element: no date or address of an item is longer."""


@dataclass(slots=True)
class _FeedItem:
    """An item as its elements come in."""

    address: str = ""
    changed: list[Moment] = field(default_factory=list)

    def on_start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
            self.address = self.address or attributes["href"]

    def on_end(self, name: str, text: str) -> None:
        if name == "link":
            self.address = self.address or text
        elif name in _DATE_ELEMENTS and (moment := _parse_date(text)) is not None:
            self.changed.append(moment)


def read_feed_items(text: str, url: str) -> Iterator[tuple[str, Moment | None]]:
    """The pages that a feed at a URL has items of, and the latest moment that each names."""
    item: _FeedItem | None = None
    words: list[str] = []
    for event in read_xml_events(text):
        match event:
            case XmlStart(name, attributes):
                local = local_name(name)
                words = []
                if local in _ITEM_ELEMENTS:
                    item = _FeedItem()
                elif item is not None:
                    item.on_start(local, attributes)
            case XmlText(piece) if item is not None and sum(map(len, words)) < _MAX_TEXT_CHARS:
                words.append(piece)
            case XmlEnd(name) if item is not None:
                local = local_name(name)
                if local in _ITEM_ELEMENTS:
                    page = resolve_url(url, item.address) if item.address else None
                    if page is not None:
                        yield page.partition("#")[0], max(item.changed, default=None)
                    item = None
                else:
                    item.on_end(local, "".join(words).strip())
            case _:
                pass


def _parse_date(text: str) -> Moment | None:
    dated = parse_http_date(text)
    if dated is not None:
        return dated
    try:
        return Moment.parse(text)
    except UsageError:
        return None
