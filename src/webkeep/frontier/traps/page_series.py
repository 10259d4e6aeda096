"""Endless pagination: chains of numbered pages, or those of a calendar, that lead to their neighbours and to nothing
else; how many of them are asked for before the series is barred.

A page belongs to the series of all addresses that differ from its own in their numbers, or in their date. A series is
barred when its last pages, as many as it has budget, were all found on pages of the same series and led to nothing
that those before had not led to. What is found elsewhere, in a list or a map of the site, is never held back, and one
page that leads to something new frees its series.

A calendar, or a count that goes up and down without end, has the plain budget. A count that goes one way may be a
story told page by page, so it has many times as much: where it is part of a query less than where it is part of a
path, for servers answer any query, while a path more often ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.frontier.traps.calendar import calendar_of, dated_shape
from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import truncate_shape
from webkeep.frontier.traps.url_structure import MAX_PAGE_URL_CHARS
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.lru_map import LruMap

_MAX_SERIES = 5000
"""Series of numbered pages that are remembered; those met least lately are forgotten."""
_MAX_PAGES = 10_000
"""Pages of which it is remembered where they stand in their series."""
_MAX_TARGETS = 20_000
"""Targets of links that are remembered, to tell what a series leads to for the first time."""
_QUERY_BUDGET_FACTOR, _PATH_BUDGET_FACTOR = 10, 100
"""How many times the budget a count has that goes one way."""
_BOTH_WAYS_SHARE = 0.1
"""What share of the pages lies in the other direction where a count goes both ways."""
# A minus is a sign only where a value begins; numbers of any length would take long to read.
_NUMBER = re.compile(r"(?:(?<=[=/-])-)?[0-9]{1,18}")


class _SeriesPlace(NamedTuple):
    series: str
    numbers: tuple[int, ...]
    is_dated: bool

    def is_beside(self, other: _SeriesPlace) -> bool:
        """Whether both are of one series; the days and months of calendars lead to each other."""
        return self.series == other.series or (self.is_dated and other.is_dated)


_NO_SERIES = _SeriesPlace("", (), False)


@dataclass(slots=True)
class _SeriesEvidence:
    """The last pages of a series, as far as they led to nothing new."""

    run: int = 0
    up: int = 0
    step: int = 0

    def reset(self) -> None:
        self.run = self.up = 0

    def add_page(self, step: int, is_dated: bool) -> None:
        """Take in one more page, so many numbers away from the one that led to it."""
        # A neighbour is about as far away as the one before it; what is related may be anywhere.
        size = abs(step)
        if not is_dated and not (self.step <= 2 * size and size <= 2 * self.step):
            self.reset()
        self.step = size
        self.run += 1
        self.up += step > 0

    def page_budget(self, place: _SeriesPlace, budget: int) -> int:
        if place.is_dated or _BOTH_WAYS_SHARE * self.run <= self.up <= (1 - _BOTH_WAYS_SHARE) * self.run:
            return budget
        return budget * (_QUERY_BUDGET_FACTOR if "?" in place.series else _PATH_BUDGET_FACTOR)


class PageSeriesTracker:
    """The series met lately, and what their pages led to."""

    def __init__(self) -> None:
        self._evidence: LruMap[str, _SeriesEvidence] = LruMap(_MAX_SERIES)
        self._pages: LruMap[int, _SeriesPlace] = LruMap(_MAX_PAGES)
        self._targets: LruMap[int, bool] = LruMap(_MAX_TARGETS)

    def suspicion(self, candidate: Candidate, budget: int) -> TrapSuspicion | None:
        """Whether a URL is one more of a series that leads to nothing but itself."""
        source = self._pages.get(candidate.via) if self._evidence else None
        place = _NO_SERIES if source is None else _series_place_of(candidate.url)
        evidence = self._evidence.get(place.series)
        if source is None or evidence is None or evidence.run < evidence.page_budget(place, budget):
            return None
        if not place.is_beside(source):
            return None
        if place.is_dated:
            return TrapSuspicion(TrapKind.CALENDAR, dated_shape(candidate.url))
        return TrapSuspicion(TrapKind.CHAIN, _numbered_shape(candidate.url))

    def watch_links(self, page: Candidate, links: Iterable[Link]) -> Iterable[Link]:
        """The links of a page as they are; when all were taken, what they say of its series is known."""
        if page.role not in (UrlRole.NAVIGATE, UrlRole.SEED):
            return links
        place = _series_place_of(page.url)
        if not place.series:
            return links
        source = self._pages.get(page.via)
        self._pages[page.id] = place
        if source is None or not place.is_beside(source):
            self._reset_evidence(place.series)
            return links
        return self._watch_links(source, place, links)

    def _reset_evidence(self, series: str) -> None:
        evidence = self._evidence.get(series)
        if evidence is not None:
            evidence.reset()

    def _watch_links(self, source: _SeriesPlace, place: _SeriesPlace, links: Iterable[Link]) -> Iterator[Link]:
        leads_on = False
        for link in links:
            leads_on |= self._is_new_target(place, link)
            yield link
        if leads_on:
            self._reset_evidence(place.series)
            return
        evidence = self._evidence.get(place.series)
        if evidence is None:
            evidence = self._evidence[place.series] = _SeriesEvidence()
        evidence.add_page(_step_between(source.numbers, place.numbers), place.is_dated)

    def _is_new_target(self, page: _SeriesPlace, link: Link) -> bool:
        """Whether a link leads out of its page's series to where no page of it led lately.

        What is made for each page, as an address for printing it or for logging in and coming back, is nothing new; a
        picture of its own is.
        """
        url = link.url.partition("#")[0]
        if self._was_seen(page.series, url) or _series_place_of(url).is_beside(page):
            return False
        alike = url if link.role is LinkRole.EMBED else _without_numbers(url, page.numbers)
        return alike == url or not self._was_seen(page.series, alike)

    def _was_seen(self, series: str, target: str) -> bool:
        key = hash((series, target))
        was_met = self._targets.get(key) is not None
        if not was_met:
            self._targets[key] = True
        return was_met


def _series_place_of(url: str) -> _SeriesPlace:
    """Where a URL stands in its series; the series is empty where it has no numbers, or no end."""
    if len(url) > MAX_PAGE_URL_CHARS:
        return _NO_SERIES
    address, mark, query = url.partition("://")[2].partition("?")
    host, slash, path = address.partition("/")
    rest = f"{slash}{path}?{'&'.join(sorted(query.split('&')))}" if mark else slash + path
    numbers = tuple(map(int, _NUMBER.findall(rest)))
    if not numbers:
        return _NO_SERIES
    calendar = calendar_of(url)
    return _SeriesPlace(calendar or host + _NUMBER.sub("#", rest), numbers, bool(calendar))


def _numbered_shape(url: str) -> str:
    host, slash, rest = url.partition("://")[2].partition("/")
    return truncate_shape(host + _NUMBER.sub("#", slash + rest))


def _step_between(source: tuple[int, ...], target: tuple[int, ...]) -> int:
    """How far the numbers of a page are from those of another one.

    Where several are, as in a date at the turn of a month, the nearest counts: one number is carried, all others
    begin again.
    """
    apart = [there - here for here, there in zip(source, target, strict=False) if here != there]
    return min(apart, key=abs, default=0)


def _without_numbers(url: str, numbers: tuple[int, ...]) -> str:
    """A URL without those of its numbers that are among others."""
    if len(url) > MAX_PAGE_URL_CHARS:
        return url
    known = {abs(each) for each in numbers}
    return _NUMBER.sub(lambda found: "#" if abs(int(found[0])) in known else found[0], url)
