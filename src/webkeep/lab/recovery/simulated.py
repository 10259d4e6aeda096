"""Simulated repositories: the product's own interface over a shelf, in virtual time and without a network.

What a repository is like says its traits, as of a real one; how it misbehaves say its whims. Chance is seeded, so that
an experiment can be repeated.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.recover.repository import ALWAYS, Answer, Batch, Found, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import DateKind, Depth, Traits
from webkeep.url import Match

DAY = 86_400.0
_INDEXES = ("index.html", "index.htm", "default.htm")


@dataclass(frozen=True, slots=True)
class Whims:
    """What goes wrong at a repository, and how often."""

    flicker: float = 0.0
    """The chance that a version that is held cannot be had, anew at each request."""
    absent: float = 0.0
    """The share of listed versions that are not there; it is always the same ones."""
    trouble: float = 0.0
    """The chance that a request fails on the repository's side."""
    quota: int | None = None
    """Requests in a day; a further one is turned away."""
    invents_index: bool = False
    """Whether `/a/index.html` is answered with `/a/`, though nobody ever saw it."""
    is_shut: bool = False
    """Whether it answers nothing at all."""


CALM = Whims()


class SimulatedRepository:
    """A shelf that answers as an archive or a cache does, and counts what it was asked."""

    def __init__(self, traits: Traits, shelf: Shelf, now: Moment, whims: Whims = CALM, seed: int = 0) -> None:
        self._traits = traits
        self._shelf = shelf
        self._whims = whims
        self._chance = random.Random(f"{seed}/{traits.name}")
        self.now = now
        """The moment at which it is asked; experiments move it."""
        self.requests: Counter[str] = Counter()
        """What it was asked, by the kind of request."""
        self._sent: list[float] = []

    @property
    def traits(self) -> Traits:
        """What it is like."""
        return self._traits

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        """The version nearest to a moment, or the newest; a deep archive has to look up which that is."""
        held = self._spelled(url)
        cost = 2 if held and self._traits.depth is Depth.DEEP else 1
        if refusal := self._refusal("resource", cost):
            return refusal
        if not held:
            return Miss(Reason.NOT_HELD, f"{self._traits.name} does not hold {url}", requests=cost)
        return self._given(held[-1] if at is None else _nearest(held, at), cost)

    async def version(self, held: Held) -> Answer:
        """A version known from a listing."""
        if refusal := self._refusal("version", 1):
            return refusal
        for stored in self._shelf.versions(held.url):
            row = self._row(stored)
            if row.url == held.url and row.moment == held.moment:
                return self._given(stored, 1)
        return Miss(Reason.ADVERTISED, f"{held.url} of {held.moment} is not there", requests=1)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The versions of a URL."""
        if refusal := self._refusal("versions", 1):
            yield Batch(requests=refusal.requests, miss=refusal)
            return
        rows = tuple(self._row(stored) for stored in self._spelled(url) if period.covers(stored.moment))
        yield Batch(rows[int(resume or 0) :], requests=1)

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """All that it holds of a site, a page of rows at a time, up to its cap."""
        if not self._traits.lists:
            yield Batch(miss=Miss(Reason.UNSUPPORTED, f"{self._traits.name} cannot list what it holds"))
            return
        found = [stored for stored in self._shelf.below(url, match) if period.covers(stored.moment)]
        cap = self._traits.listing_cap
        rows = [self._row(stored) for stored in found[:cap]]
        is_capped = cap is not None and len(found) > cap
        for begin in _starts(int(resume or 0), len(rows), self._traits.listing_page):
            end = begin + self._traits.listing_page
            is_last = end >= len(rows)
            if refusal := self._refusal("listing", 1):
                yield Batch(resume=str(begin), requests=refusal.requests, miss=refusal)
                return
            yield Batch(tuple(rows[begin:end]), "" if is_last else str(end), 1, is_capped and is_last)

    async def crawl_date(self, url: str) -> Held | Miss:
        """The newest version without its content."""
        if refusal := self._refusal("crawl_date", 1):
            return refusal
        held = self._spelled(url)
        return self._row(held[-1]) if held else Miss(Reason.NOT_HELD, f"{url} is not held", requests=1)

    async def close(self) -> None:
        """Nothing is open."""

    def _refusal(self, kind: str, cost: int) -> Miss | None:
        """Book a request; a miss where it is turned away."""
        whims, name = self._whims, self._traits.name
        if whims.quota is not None:
            now = self.now.micros / 1e6
            self._sent = [moment for moment in self._sent if moment > now - DAY]
            if len(self._sent) + cost > whims.quota:
                again = Moment(round((self._sent[0] + DAY) * 1e6)) if self._sent else None
                return Miss(Reason.LIMIT, f"{name} allows {whims.quota} requests a day", again)
            self._sent += [now] * cost
        self.requests[kind] += cost
        if whims.is_shut or (whims.trouble and self._chance.random() < whims.trouble):
            return Miss(Reason.TROUBLE, f"{name} does not answer", requests=cost)
        return None

    def _given(self, stored: Stored, cost: int) -> Answer:
        whims = self._whims
        where = f"{stored.url} of {stored.moment}"
        if whims.absent and random.Random(f"{self._traits.name} {where}").random() < whims.absent:
            return Miss(Reason.ADVERTISED, f"{where} is listed and not there", requests=cost)
        if whims.flicker and self._chance.random() < whims.flicker:
            return Miss(Reason.NOT_HELD, f"{where} cannot be had at the moment", requests=cost)
        exchange = Exchange(stored.url, self._moment(stored) or stored.moment, _head(stored), BytesBody(stored.body))
        return Found(self._row(stored), exchange, stored.fidelity, self.now, requests=cost, truncated=stored.truncated)

    def _spelled(self, url: str) -> list[Stored]:
        """The versions that it finds under this very spelling."""
        found = [stored for stored in self._shelf.versions(url) if self._is_same(stored.url, url)]
        head, _, last = url.rpartition("/")
        if not found and self._whims.invents_index and last in _INDEXES:
            return self._spelled(f"{head}/")
        return found

    def _is_same(self, stored: str, asked: str) -> bool:
        """Whether it takes one spelling for the other; the key that found it leaves out more than most would."""
        spelling, one, other = self._traits.spelling, urlsplit(stored), urlsplit(asked)
        paths = [each.path if spelling.keeps_slash else each.path.rstrip("/") for each in (one, other)]
        if spelling.either_case:
            paths = [path.lower() for path in paths]
        return (spelling.either_www or one.netloc == other.netloc) and (paths[0] or "/") == (paths[1] or "/")

    def _row(self, stored: Stored) -> Held:
        url = stored.url if self._traits.spelling.keeps_slash else _without_slash(stored.url)
        return Held(
            self._traits.name,
            url,
            self._moment(stored),
            f"simulated:{self._traits.name}/{stored.moment.digits()}/{stored.url}",
            stored.status,
            stored.media_type,
            stored.digest,
            len(stored.body),
            self._traits.dates,
        )

    def _moment(self, stored: Stored) -> Moment | None:
        """What it says of when: some tell the date of the last change in place of the crawl's."""
        match self._traits.dates:
            case DateKind.UNKNOWN:
                return None
            case DateKind.MODIFIED:
                return stored.modified or stored.moment
            case DateKind.CRAWL:
                return stored.moment


def _nearest(held: Sequence[Stored], at: Moment) -> Stored:
    return min(held, key=lambda stored: abs(stored.moment.micros - at.micros))


def _starts(begin: int, rows: int, page: int) -> Iterator[int]:
    """Where the pages of a listing begin; an empty one has a page too."""
    yield from range(begin, rows, page) if rows > begin else (begin,)


def _without_slash(url: str) -> str:
    return url.rstrip("/") if urlsplit(url).path not in ("", "/") else url


def _head(stored: Stored) -> bytes:
    lines = [f"HTTP/1.1 {stored.status} {'OK' if stored.status == 200 else 'Other'}"]
    lines += [f"Content-Type: {stored.media_type}", f"Content-Length: {len(stored.body)}"]
    if stored.modified is not None:
        when = stored.modified.datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")
        lines.append(f"Last-Modified: {when}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
