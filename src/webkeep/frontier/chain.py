"""Chains: numbered pages, or those of a calendar, that lead to their neighbours and to nothing else.

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

from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.frontier.calendar import calendar_of, dated_shape
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.lately import Lately
from webkeep.frontier.shape import shortened
from webkeep.frontier.structure import LONGEST_PAGE
from webkeep.frontier.suspicion import Kind, Suspicion

_SERIES = 5000
_PAGES = 10_000
_TARGETS = 20_000
_IN_A_QUERY, _IN_A_PATH = 10, 100
"""How many times the budget a count has that goes one way."""
_BOTH_WAYS = 0.1
"""What share of the pages lies in the other direction where a count goes both ways."""
# A minus is a sign only where a value begins; numbers of any length would take long to read.
_NUMBER = re.compile(r"(?:(?<=[=/-])-)?[0-9]{1,18}")


class _Place(NamedTuple):
    series: str
    numbers: tuple[int, ...]
    is_dated: bool

    def is_beside(self, other: _Place) -> bool:
        """Whether both are of one series; the days and months of calendars lead to each other."""
        return self.series == other.series or (self.is_dated and other.is_dated)


_NOWHERE = _Place("", (), False)


@dataclass(slots=True)
class _Evidence:
    """The last pages of a series, as far as they led to nothing new."""

    run: int = 0
    up: int = 0
    step: int = 0

    def forget(self) -> None:
        self.run = self.up = 0

    def extend(self, step: int, is_dated: bool) -> None:
        """Take in one more page, so many numbers away from the one that led to it."""
        # A neighbour is about as far away as the one before it; what is related may be anywhere.
        size = abs(step)
        if not is_dated and not (self.step <= 2 * size and size <= 2 * self.step):
            self.forget()
        self.step = size
        self.run += 1
        self.up += step > 0

    def allowed(self, place: _Place, budget: int) -> int:
        if place.is_dated or _BOTH_WAYS * self.run <= self.up <= (1 - _BOTH_WAYS) * self.run:
            return budget
        return budget * (_IN_A_QUERY if "?" in place.series else _IN_A_PATH)


class Chains:
    """The series met lately, and what their pages led to."""

    def __init__(self) -> None:
        self._evidence: Lately[str, _Evidence] = Lately(_SERIES)
        self._pages: Lately[int, _Place] = Lately(_PAGES)
        self._targets: Lately[int, bool] = Lately(_TARGETS)

    def suspicion(self, candidate: Candidate, budget: int) -> Suspicion | None:
        """Whether a URL is one more of a series that leads to nothing but itself."""
        source = self._pages.get(candidate.via)
        place = _NOWHERE if source is None else _place_of(candidate.url)
        evidence = self._evidence.get(place.series)
        if source is None or evidence is None or evidence.run < evidence.allowed(place, budget):
            return None
        if not place.is_beside(source):
            return None
        if place.is_dated:
            return Suspicion(Kind.CALENDAR, dated_shape(candidate.url))
        return Suspicion(Kind.CHAIN, _numbered_shape(candidate.url))

    def watched(self, page: Candidate, links: Iterable[Link]) -> Iterable[Link]:
        """The links of a page as they are; when all were taken, what they say of its series is known."""
        if page.role not in (Role.NAVIGATE, Role.SEED):
            return links
        place = _place_of(page.url)
        if not place.series:
            return links
        source = self._pages.get(page.via)
        self._pages[page.id] = place
        if source is None or not place.is_beside(source):
            self._free(place.series)
            return links
        return self._watching(source, place, links)

    def _free(self, series: str) -> None:
        evidence = self._evidence.get(series)
        if evidence is not None:
            evidence.forget()

    def _watching(self, source: _Place, place: _Place, links: Iterable[Link]) -> Iterator[Link]:
        leads_on = False
        for link in links:
            leads_on |= self._is_news(place, link)
            yield link
        if leads_on:
            self._free(place.series)
            return
        evidence = self._evidence.get(place.series)
        if evidence is None:
            evidence = self._evidence[place.series] = _Evidence()
        evidence.extend(_step(source.numbers, place.numbers), place.is_dated)

    def _is_news(self, page: _Place, link: Link) -> bool:
        """Whether a link leads out of its page's series to where no page of it led lately.

        What is made for each page, as an address for printing it or for logging in and coming back, is no news; a
        picture of its own is.
        """
        url = link.url.partition("#")[0]
        if self._was_met(page.series, url) or _place_of(url).is_beside(page):
            return False
        alike = url if link.role is LinkRole.EMBED else _without(url, page.numbers)
        return alike == url or not self._was_met(page.series, alike)

    def _was_met(self, series: str, target: str) -> bool:
        key = hash((series, target))
        was_met = self._targets.get(key) is not None
        if not was_met:
            self._targets[key] = True
        return was_met


def _place_of(url: str) -> _Place:
    """Where a URL stands in its series; the series is empty where it has no numbers, or no end."""
    if len(url) > LONGEST_PAGE:
        return _NOWHERE
    address, mark, query = url.partition("://")[2].partition("?")
    host, slash, path = address.partition("/")
    rest = f"{slash}{path}?{'&'.join(sorted(query.split('&')))}" if mark else slash + path
    numbers = tuple(int(each) for each in _NUMBER.findall(rest))
    if not numbers:
        return _NOWHERE
    calendar = calendar_of(url)
    return _Place(calendar or host + _NUMBER.sub("#", rest), numbers, bool(calendar))


def _numbered_shape(url: str) -> str:
    host, slash, rest = url.partition("://")[2].partition("/")
    return shortened(host + _NUMBER.sub("#", slash + rest))


def _step(source: tuple[int, ...], target: tuple[int, ...]) -> int:
    """How far the numbers of a page are from those of another one.

    Where several are, as in a date at the turn of a month, the nearest counts: one number is carried, all others
    begin again.
    """
    apart = [there - here for here, there in zip(source, target, strict=False) if here != there]
    return min(apart, key=abs, default=0)


def _without(url: str, numbers: tuple[int, ...]) -> str:
    """A URL without those of its numbers that are among others."""
    if len(url) > LONGEST_PAGE:
        return url
    known = {abs(each) for each in numbers}
    return _NUMBER.sub(lambda found: "#" if abs(int(found[0])) in known else found[0], url)
