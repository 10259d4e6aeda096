"""Search: addresses and hosts by the index, titles and texts by words."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.replay.collection import Collection
from webkeep.replay.looking import Looker
from webkeep.store.index import Index
from webkeep.url import Match, key_range, read_pattern, surt
from webkeep.web.frame import document
from webkeep.web.history import view_address
from webkeep.web.markup import Markup, element
from webkeep.web.numbers import instant, times
from webkeep.web.words import Hit, WordIndex

_MOST = 50
_LOOKED_AT = 2_000
_COUNTED = 20_000
_NEXT = "SELECT key FROM entry WHERE key >= ? AND key < ? AND post = '' AND type <> 'metadata' ORDER BY key LIMIT 1"
_BEYOND = "!"
"""No key has a character below it, so that a key with it is the first one behind that key."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many versions of a URL are held, as far as they were counted, and the latest of those."""

    url: str
    versions: int
    is_more: bool
    last: Moment


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page in which words were found: the version that fits best, and how many there are."""

    hit: Hit
    tally: Tally


def pages_with(indexes: Iterable[WordIndex], looker: Looker, query: str) -> list[PageHit]:
    """The pages that have all words of a query, each once, however many of its versions have them."""
    now = looker.clock.now()
    seen: dict[str, Hit] = {}
    for hit in (hit for words in indexes for hit in words.search(query)):
        key = surt(hit.url)
        if looker.access.shows(key, hit.moment, now):
            seen.setdefault(key, hit)
    tallies = ((hit, tally_of(looker, key)) for key, hit in seen.items())
    return [PageHit(hit, tally) for hit, tally in tallies if tally is not None]


def addresses_like(collection: Collection, looker: Looker, query: str) -> list[Tally]:
    """The URLs that a query may mean: that very one, those below it, those of its host or domain."""
    tallies = (tally_of(looker, key) for key in islice(_keys(collection, query), _LOOKED_AT))
    return list(islice((each for each in tallies if each is not None), _MOST))


def tally_of(looker: Looker, key: str) -> Tally | None:
    """Count what is filed under a key as its history does, so that both tell the same; None for nothing."""
    count, last = 0, None
    for found in islice(looker.mementos(key), _COUNTED):
        count, last = count + 1, found.entry
    return Tally(last.url, count, count == _COUNTED, last.moment) if last else None


def _keys(collection: Collection, query: str) -> Iterator[str]:
    """The keys of all archives in the ranges of a query, each once, though ranges lie within each other."""
    past: list[tuple[str, str]] = []
    for low, high in _ranges(query):
        ways = [_keys_between(archive.index, low, high) for archive in collection.archives]
        for key, _ in groupby(heapq.merge(*ways)):
            if not any(start <= key < end for start, end in past):
                yield key
        past.append((low, high))


def _keys_between(index: Index, low: str, high: str) -> Iterator[str]:
    """The keys of one archive; a look-up for each, however many versions it has."""
    while row := index.database.one(_NEXT, (low, high)):
        yield str(row[0])
        low = f"{row[0]}{_BEYOND}"


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


def search_page(query: str, addresses: Sequence[Tally], hits: Sequence[PageHit], is_complete: bool) -> bytes:
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


def _addresses(addresses: Sequence[Tally]) -> Markup | None:
    if not addresses:
        return None
    rows = [
        element(
            "tr",
            element("td", element("a", each.url, href=f"/history/{each.url}", class_="address"), class_="first"),
            element("td", _number(each), class_="number", data_label="Times seen"),
            element(
                "td",
                element("a", instant(each.last), href=view_address(each.url, each.last)),
                class_="when",
                data_label="Latest",
            ),
        )
        for each in addresses
    ]
    head = element(
        "tr", element("th", "Address"), element("th", "Times seen", class_="number"), element("th", "Latest")
    )
    table = element("table", element("thead", head), element("tbody", *rows), class_="cards")
    return element("div", element("h2", "Addresses"), element("div", table, class_="scroll"))


def _number(tally: Tally) -> str:
    return f"{tally.versions:,}{'+' if tally.is_more else ''}"


def _hits(hits: Sequence[PageHit]) -> Markup | None:
    if not hits:
        return None
    return element("div", element("h2", "Titles and texts"), element("ol", *map(_hit, hits), class_="results"))


def _hit(found: PageHit) -> Markup:
    hit, tally = found.hit, found.tally
    words = f"seen {times(tally.versions, tally.is_more)}"
    return element(
        "li",
        element("a", hit.title or hit.url, href=view_address(hit.url, hit.moment)),
        element("div", element("span", hit.url, class_="address"), class_="soft"),
        element("div", *_marked(hit.excerpt)),
        element("div", instant(hit.moment), " · ", element("a", words, href=f"/history/{hit.url}"), class_="soft"),
    )


def _marked(excerpt: str) -> Iterator[object]:
    """An excerpt in which what was searched for stands between two signs."""
    for number, piece in enumerate(excerpt.replace("\x03", "\x02").split("\x02")):
        yield element("mark", piece) if number % 2 else piece
