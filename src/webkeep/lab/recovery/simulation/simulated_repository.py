"""Simulated repositories: the product's own interface over a shelf, in virtual time and without a network; what an
answer costs, and how they fail, flicker or invent pages.

What a repository is like says its traits, as of a real one; how it misbehaves say its faults. Chance is seeded, so that
an experiment can be repeated.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webkeep.formats.status import build_status_line
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.recover.repositories import (
    ALL_TIME,
    DateKind,
    FetchedVersion,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    RepositoryTraits,
    TimePeriod,
    VersionDepth,
    VersionResult,
)
from webkeep.url import UrlMatch

DAY_SECONDS = 86_400.0
_INDEX_NAMES = ("index.html", "index.htm", "default.htm")


@dataclass(frozen=True, slots=True)
class RepositoryFaults:
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


NO_FAULTS = RepositoryFaults()


class SimulatedRepository:
    """A shelf that answers as an archive or a cache does, and counts what it was asked."""

    def __init__(
        self,
        traits: RepositoryTraits,
        shelf: VersionShelf,
        now: Moment,
        faults: RepositoryFaults = NO_FAULTS,
        seed: int = 0,
    ) -> None:
        self._traits = traits
        self._shelf = shelf
        self._faults = faults
        self._chance = random.Random(f"{seed}/{traits.name}")
        self.now = now
        """The moment at which it is asked; experiments move it."""
        self.requests: Counter[str] = Counter()
        """What it was asked, by the kind of request."""
        self._sent: list[float] = []

    @property
    def traits(self) -> RepositoryTraits:
        """What it is like."""
        return self._traits

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version nearest to a moment, or the newest; a deep archive has to look up which that is."""
        held = self._versions_by_spelling(url)
        cost = 2 if held and self._traits.depth is VersionDepth.DEEP else 1
        if refusal := self._refuse_request("resource", cost):
            return refusal
        if not held:
            return RepositoryMiss(MissReason.NOT_HELD, f"{self._traits.name} does not hold {url}", requests=cost)
        return self._give_version(held[-1] if at is None else _nearest_version(held, at), cost)

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a listing."""
        if refusal := self._refuse_request("version", 1):
            return refusal
        for stored in self._shelf.versions_of(held.url):
            row = self._build_listed(stored)
            if row.url == held.url and row.moment == held.moment:
                return self._give_version(stored, 1)
        return RepositoryMiss(MissReason.ADVERTISED, f"{held.url} of {held.moment} is not there", requests=1)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a URL."""
        if refusal := self._refuse_request("versions", 1):
            yield ListingPage(requests=refusal.requests, miss=refusal)
            return
        rows = tuple(
            self._build_listed(stored) for stored in self._versions_by_spelling(url) if period.covers(stored.moment)
        )
        yield ListingPage(rows[int(resume or 0) :], requests=1)

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """All that it holds of a site, a page of rows at a time, up to its cap."""
        if not self._traits.lists:
            yield ListingPage(
                miss=RepositoryMiss(MissReason.UNSUPPORTED, f"{self._traits.name} cannot list what it holds")
            )
            return
        found = [stored for stored in self._shelf.versions_matching(url, match) if period.covers(stored.moment)]
        cap = self._traits.listing_cap
        rows = [self._build_listed(stored) for stored in found[:cap]]
        is_capped = cap is not None and len(found) > cap
        for begin in _page_starts(int(resume or 0), len(rows), self._traits.listing_page):
            end = begin + self._traits.listing_page
            is_last = end >= len(rows)
            if refusal := self._refuse_request("listing", 1):
                yield ListingPage(resume=str(begin), requests=refusal.requests, miss=refusal)
                return
            yield ListingPage(tuple(rows[begin:end]), "" if is_last else str(end), 1, is_capped and is_last)

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content."""
        if refusal := self._refuse_request("crawl_date", 1):
            return refusal
        held = self._versions_by_spelling(url)
        return (
            self._build_listed(held[-1])
            if held
            else RepositoryMiss(MissReason.NOT_HELD, f"{url} is not held", requests=1)
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _refuse_request(self, kind: str, cost: int) -> RepositoryMiss | None:
        """Book a request; a miss where it is turned away."""
        faults, name = self._faults, self._traits.name
        if faults.quota is not None:
            now = self.now.micros / 1e6
            self._sent = [moment for moment in self._sent if moment > now - DAY_SECONDS]
            if len(self._sent) + cost > faults.quota:
                again = Moment(round((self._sent[0] + DAY_SECONDS) * 1e6)) if self._sent else None
                return RepositoryMiss(MissReason.LIMIT, f"{name} allows {faults.quota} requests a day", again)
            self._sent += [now] * cost
        self.requests[kind] += cost
        if faults.is_shut or (faults.trouble and self._chance.random() < faults.trouble):
            return RepositoryMiss(MissReason.TROUBLE, f"{name} does not answer", requests=cost)
        return None

    def _give_version(self, stored: ShelfVersion, cost: int) -> VersionResult:
        faults = self._faults
        where = f"{stored.url} of {stored.moment}"
        if faults.absent and random.Random(f"{self._traits.name} {where}").random() < faults.absent:
            return RepositoryMiss(MissReason.ADVERTISED, f"{where} is listed and not there", requests=cost)
        if faults.flicker and self._chance.random() < faults.flicker:
            return RepositoryMiss(MissReason.NOT_HELD, f"{where} cannot be had at the moment", requests=cost)
        exchange = Exchange(
            stored.url, self._stated_moment(stored) or stored.moment, _response_head(stored), BytesBody(stored.body)
        )
        return FetchedVersion(
            self._build_listed(stored),
            exchange,
            stored.fidelity,
            self.now,
            requests=cost,
            is_truncated=stored.truncated,
        )

    def _versions_by_spelling(self, url: str) -> list[ShelfVersion]:
        """The versions that it finds under this very spelling."""
        found = [stored for stored in self._shelf.versions_of(url) if self._is_same_spelling(stored.url, url)]
        head, _, last = url.rpartition("/")
        if not found and self._faults.invents_index and last in _INDEX_NAMES:
            return self._versions_by_spelling(f"{head}/")
        return found

    def _is_same_spelling(self, stored: str, asked: str) -> bool:
        """Whether it takes one spelling for the other; the key that found it leaves out more than most would."""
        spelling, one, other = self._traits.spelling, urlsplit(stored), urlsplit(asked)
        paths = [each.path if spelling.keeps_slash else each.path.rstrip("/") for each in (one, other)]
        if spelling.either_case:
            paths = [path.lower() for path in paths]
        return (spelling.either_www or one.netloc == other.netloc) and (paths[0] or "/") == (paths[1] or "/")

    def _build_listed(self, stored: ShelfVersion) -> ListedVersion:
        url = stored.url if self._traits.spelling.keeps_slash else _without_slash(stored.url)
        return ListedVersion(
            self._traits.name,
            url,
            self._stated_moment(stored),
            f"simulated:{self._traits.name}/{stored.moment.digits()}/{stored.url}",
            stored.status,
            stored.media_type,
            stored.digest,
            len(stored.body),
            self._traits.dates,
        )

    def _stated_moment(self, stored: ShelfVersion) -> Moment | None:
        """What it says of when: some tell the date of the last change in place of the crawl's."""
        match self._traits.dates:
            case DateKind.UNKNOWN:
                return None
            case DateKind.MODIFIED:
                return stored.modified or stored.moment
            case DateKind.CRAWL:
                return stored.moment


def _nearest_version(held: Sequence[ShelfVersion], at: Moment) -> ShelfVersion:
    return min(held, key=lambda stored: abs(stored.moment.micros - at.micros))


def _page_starts(begin: int, rows: int, page: int) -> Iterator[int]:
    """Where the pages of a listing begin; an empty one has a page too."""
    yield from range(begin, rows, page) if rows > begin else (begin,)


def _without_slash(url: str) -> str:
    return url.rstrip("/") if urlsplit(url).path not in ("", "/") else url


def _response_head(stored: ShelfVersion) -> bytes:
    lines = [build_status_line(stored.status)]
    lines += [f"Content-Type: {stored.media_type}", f"Content-Length: {len(stored.body)}"]
    if stored.modified is not None:
        when = stored.modified.datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")
        lines.append(f"Last-Modified: {when}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
