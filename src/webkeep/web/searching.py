"""Search: addresses and hosts by the index, titles and texts by words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.replay.collection import Collection
from webkeep.replay.looking import Looker
from webkeep.store.index import Span
from webkeep.url import Match, key_range, read_pattern
from webkeep.web.frame import document
from webkeep.web.history import view_address
from webkeep.web.markup import Markup, element
from webkeep.web.numbers import instant
from webkeep.web.words import Hit

_MOST = 50
_LOOKED_AT = 5000


@dataclass(frozen=True, slots=True)
class Address:
    """A URL that is held."""

    url: str
    versions: int
    last: Moment


def addresses_like(collection: Collection, looker: Looker, query: str) -> list[Address]:
    """The URLs that a query may mean: that very one, those below it, those of its host or domain."""
    found: dict[str, Address] = {}
    now = looker.clock.now()
    for low, high in _ranges(query):
        for archive in collection.archives:
            for number, entry in enumerate(archive.index.entries(Span(low, high))):
                if number >= _LOOKED_AT or len(found) > _MOST:
                    break
                if entry.record_type == "metadata" or not looker.access.shows(entry.key, entry.moment, now):
                    continue
                known = found.get(entry.url)
                last = max(known.last, entry.moment) if known else entry.moment
                found[entry.url] = Address(entry.url, known.versions + 1 if known else 1, last)
        if len(found) >= _MOST:
            break
    return list(found.values())[:_MOST]


def _ranges(query: str) -> Iterator[tuple[str, str]]:
    text = query.strip()
    if not text or " " in text or ("." not in text and "localhost" not in text and ":" not in text):
        return
    for match in (Match.EXACT, Match.PREFIX, Match.DOMAIN):
        try:
            url, _ = read_pattern(text)
            yield key_range(url, match)
        except UsageError:
            continue


def search_page(query: str, addresses: Sequence[Address], hits: Sequence[Hit], is_complete: bool) -> bytes:
    """The page of what was found."""
    nothing = None if addresses or hits else element("p", "Nothing was found.")
    told = "Titles and texts are still being read; search again later."
    pending = None if is_complete else element("p", told, class_="soft")
    return document(
        f"{query} · search",
        element("h1", f"Search for {query}" if query else "Search"),
        nothing,
        _addresses(addresses),
        _hits(hits),
        pending,
        query=query,
    )


def _addresses(addresses: Sequence[Address]) -> Markup | None:
    if not addresses:
        return None
    rows = [
        element(
            "tr",
            element("td", element("a", each.url, href=f"/history/{each.url}")),
            element("td", f"{each.versions:,}", class_="number"),
            element("td", element("a", instant(each.last), href=view_address(each.url, each.last))),
        )
        for each in addresses
    ]
    head = element("tr", element("th", "Address"), element("th", "Versions", class_="number"), element("th", "Latest"))
    table = element("table", element("thead", head), element("tbody", *rows))
    return element("div", element("h2", "Addresses"), element("div", table, class_="scroll"))


def _hits(hits: Sequence[Hit]) -> Markup | None:
    if not hits:
        return None
    items = [
        element(
            "li",
            element("a", hit.title or hit.url, href=view_address(hit.url, hit.moment)),
            element("div", hit.url, " · ", instant(hit.moment), class_="soft"),
            element("div", *_marked(hit.excerpt)),
        )
        for hit in hits
    ]
    return element("div", element("h2", "Titles and texts"), element("ol", *items, class_="results"))


def _marked(excerpt: str) -> Iterator[object]:
    """An excerpt in which what was searched for stands between two signs."""
    for number, piece in enumerate(excerpt.replace("\x03", "\x02").split("\x02")):
        yield element("mark", piece) if number % 2 else piece
