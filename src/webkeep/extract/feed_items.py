"""The items of a feed with when each was changed last: what a feed tells of pages before they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.errors import UsageError
from webkeep.formats.http_date import read_date
from webkeep.formats.xml_events import XmlEnd, XmlStart, XmlText, local_name, xml_events
from webkeep.model import Moment
from webkeep.url import resolve

_ITEMS = frozenset({"item", "entry"})
_DATES = frozenset({"updated", "modified", "pubDate", "published", "date"})
_LONGEST = 2048


@dataclass(slots=True)
class _Item:
    """An item as its elements come in."""

    address: str = ""
    changed: list[Moment] = field(default_factory=list)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
            self.address = self.address or attributes["href"]

    def end(self, name: str, text: str) -> None:
        if name == "link":
            self.address = self.address or text
        elif name in _DATES and (moment := _moment(text)) is not None:
            self.changed.append(moment)


def feed_items(text: str, url: str) -> Iterator[tuple[str, Moment | None]]:
    """The pages that a feed at a URL has items of, and the latest moment that each names."""
    item: _Item | None = None
    words: list[str] = []
    for event in xml_events(text):
        match event:
            case XmlStart(name, attributes):
                local = local_name(name)
                words = []
                if local in _ITEMS:
                    item = _Item()
                elif item is not None:
                    item.start(local, attributes)
            case XmlText(piece) if item is not None and sum(map(len, words)) < _LONGEST:
                words.append(piece)
            case XmlEnd(name) if item is not None:
                local = local_name(name)
                if local in _ITEMS:
                    page = resolve(url, item.address) if item.address else None
                    if page is not None:
                        yield page.partition("#")[0], max(item.changed, default=None)
                    item = None
                else:
                    item.end(local, "".join(words).strip())
            case _:
                pass


def _moment(text: str) -> Moment | None:
    dated = read_date(text)
    if dated is not None:
        return dated
    try:
        return Moment.parse(text)
    except UsageError:
        return None
