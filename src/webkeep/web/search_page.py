"""Search: which queries are taken for addresses, how many URLs are listed and versions counted, and the page of
results, where a page stands once however many of its versions have the words.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.presentation import format_moment, format_times_seen
from webkeep.presentation.pages import Markup, element, render_table
from webkeep.replay.choice import Collection, MementoLookup
from webkeep.replay.words import TextHit, TextIndex
from webkeep.url import UrlMatch, key_range, parse_url_pattern, surt
from webkeep.web.page_frame import render_document
from webkeep.web.version_calendar import view_url

_MAX_ADDRESSES = 50
"""Addresses on one page of results, as long as a person may scroll."""
_MAX_KEYS_READ = 2_000
"""Keys that are read for them, as many may be closed to the reader."""
_MAX_VERSIONS_COUNTED = 20_000
"""Versions are counted up to this number; beyond it the page says so."""


@dataclass(frozen=True, slots=True)
class VersionCount:
    """How many versions of a URL are held, as far as they were counted, and the latest of those."""

    url: str
    versions: int
    is_more: bool
    last: Moment


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page in which words were found: the version that fits best, and how many there are."""

    hit: TextHit
    version_count: VersionCount


def search_pages(indexes: Iterable[TextIndex], lookup: MementoLookup, query: str) -> list[PageHit]:
    """The pages that have all words of a query, each once, however many of its versions have them."""
    now = lookup.clock.now()
    seen: dict[str, TextHit] = {}
    for hit in (hit for words in indexes for hit in words.search(query)):
        key = surt(hit.url)
        if lookup.access.allows(key, hit.moment, now):
            seen.setdefault(key, hit)
    tallies = ((hit, count_versions(lookup, key)) for key, hit in seen.items())
    return [PageHit(hit, count) for hit, count in tallies if count is not None]


def search_urls(collection: Collection, lookup: MementoLookup, query: str) -> list[VersionCount]:
    """The URLs that a query may mean: that very one, those below it, those of its host or domain."""
    tallies = (count_versions(lookup, key) for key in islice(_matching_keys(collection, query), _MAX_KEYS_READ))
    return list(islice((each for each in tallies if each is not None), _MAX_ADDRESSES))


def count_versions(lookup: MementoLookup, key: str) -> VersionCount | None:
    """Count what is filed under a key as its history does, so that both tell the same; None for nothing."""
    count, last = 0, None
    for found in islice(lookup.visible_mementos(key), _MAX_VERSIONS_COUNTED):
        count, last = count + 1, found.entry
    return VersionCount(last.url, count, count == _MAX_VERSIONS_COUNTED, last.moment) if last else None


def _matching_keys(collection: Collection, query: str) -> Iterator[str]:
    """The keys of all archives in the ranges of a query, each once, though ranges lie within each other."""
    past: list[tuple[str, str]] = []
    for low, high in _key_ranges(query):
        ways = [archive.index.list_shown_keys(low, high) for archive in collection.archives]
        for key, _ in groupby(heapq.merge(*ways)):
            if not any(start <= key < end for start, end in past):
                yield key
        past.append((low, high))


def _key_ranges(query: str) -> Iterator[tuple[str, str]]:
    text = query.strip()
    if not text or " " in text or ("." not in text and "localhost" not in text and ":" not in text):
        return
    for match in (UrlMatch.EXACT, UrlMatch.PREFIX, UrlMatch.DOMAIN):
        try:
            url, _ = parse_url_pattern(text)
            yield key_range(url, match)
        except UsageError:
            continue


def render_search_page(
    query: str, addresses: Sequence[VersionCount], hits: Sequence[PageHit], is_complete: bool
) -> bytes:
    """The page of what was found."""
    nothing = None if addresses or hits else element("p", "Nothing was found.")
    told = "Titles and texts are still being read; search again later."
    pending = None if is_complete else element("p", told, class_="soft")
    return render_document(
        f"{query} · search",
        element("h1", f"Search for {query}" if query else "Search"),
        nothing,
        _render_addresses(addresses),
        _render_hits(hits),
        pending,
        query=query,
    )


def _render_addresses(addresses: Sequence[VersionCount]) -> Markup | None:
    if not addresses:
        return None
    rows = [
        element(
            "tr",
            element("td", element("a", each.url, href=f"/history/{each.url}", class_="address"), class_="first"),
            element("td", _format_versions(each), class_="number", data_label="Observations"),
            element(
                "td",
                element("a", format_moment(each.last), href=view_url(each.url, each.last)),
                class_="when",
                data_label="Latest",
            ),
        )
        for each in addresses
    ]
    head = ("URL", element("th", "Observations", class_="number"), "Latest")
    return element("div", element("h2", "URLs"), render_table(head, rows, class_="cards"))


def _format_versions(count: VersionCount) -> str:
    return f"{count.versions:,}{'+' if count.is_more else ''}"


def _render_hits(hits: Sequence[PageHit]) -> Markup | None:
    if not hits:
        return None
    return element("div", element("h2", "Titles and texts"), element("ol", *map(_render_hit, hits), class_="results"))


def _render_hit(found: PageHit) -> Markup:
    hit, count = found.hit, found.version_count
    words = f"seen {format_times_seen(count.versions, count.is_more)}"
    return element(
        "li",
        element("a", hit.title or hit.url, href=view_url(hit.url, hit.moment)),
        element("div", element("span", hit.url, class_="address"), class_="soft"),
        element("div", *_mark_excerpt(hit.excerpt)),
        element(
            "div", format_moment(hit.moment), " · ", element("a", words, href=f"/history/{hit.url}"), class_="soft"
        ),
    )


def _mark_excerpt(excerpt: str) -> Iterator[object]:
    """An excerpt in which what was searched for stands between two signs."""
    for number, piece in enumerate(excerpt.replace("\x03", "\x02").split("\x02")):
        yield element("mark", piece) if number % 2 else piece
