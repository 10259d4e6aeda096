"""Archives and aggregators that speak Memento (RFC 7089): they tell all versions of a URL, and cannot list a site; how
far TimeMaps are followed, and where the raw form of versions is tried.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from webkeep.fetch import authority_of
from webkeep.formats.status import BLOCKED_STATUSES, GONE_STATUSES, OK, is_error, is_redirection
from webkeep.memento import escape_target, format_http_date, parse_links
from webkeep.model import Moment
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.nearest_version import find_nearest_version
from webkeep.recover.repositories.playback_server import PlaybackServer
from webkeep.recover.repositories.repository import (
    ALL_TIME,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    TimePeriod,
    VersionResult,
)
from webkeep.recover.repositories.repository_traits import RepositoryTraits
from webkeep.recover.repositories.repository_transport import RepositoryResponse, RepositoryTransport
from webkeep.recover.repositories.spooled_body import decode_content
from webkeep.recover.repositories.timemap_reader import TimeMapEntry, TimeMapReader
from webkeep.recover.repositories.uri_m import moment_in, raw_uri, resolve_reference, url_in
from webkeep.url import UrlMatch

_PAGE_ROWS = 1000
"""Handed on together: each batch is one transaction."""
_MAX_PAGES = 10_000
"""TimeMaps of one URL that lead to one another; a circle ends earlier."""
_MAX_MEMENTOS = 1_000_000
"""How many versions of one URL are read of: more would only make the list longer that one is chosen from."""
_MAX_PENDING_PAGES = 1000
"""Kept in the mark by which a listing is resumed."""


@dataclass(frozen=True, slots=True)
class _ResumeMark:
    """How far a TimeMap was read: the page, its rows read already, and the pages after it."""

    page: str
    skip: int = 0
    pending: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, first: str) -> _ResumeMark:
        """Read a mark; one that is none begins with the first page."""
        try:
            page, skip, pending = json.loads(text)
            return cls(str(page), int(skip), tuple(map(str, pending)))
        except (ValueError, TypeError, RecursionError):
            return cls(first)

    def __str__(self) -> str:
        return json.dumps([self.page, self.skip, self.pending])


@dataclass(frozen=True, slots=True)
class MementoRepository:
    """An archive or aggregator that speaks Memento; safe to ask from many tasks."""

    traits: RepositoryTraits
    client: RepositoryTransport
    politeness: RepositoryPoliteness
    timemap: str
    """The address of a TimeMap, with `{url}` in it; "" where there is none."""
    timegate: str
    """The address of a TimeGate, with `{url}` in it; "" where there is none."""
    playback_at: Callable[[str], PlaybackServer]
    """How a URI-M is asked for: those of an aggregator belong to many archives."""
    _raw_works: dict[str, bool] = field(default_factory=dict)
    """By host, whether URI-Ms have a raw form there."""

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version of a URL nearest to a moment, or the newest."""
        found = await self._negotiate(url, at) if self.timegate else await self._pick_from_timemap(url, at)
        if isinstance(found, RepositoryMiss):
            return found
        held, requests = found
        result = await self.fetch_version(held)
        return replace(result, requests=result.requests + requests)

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a TimeMap: as it was recorded where the archive gives that, else as it is shown."""
        host, replay = authority_of(held.uri), self.playback_at(held.uri)
        raw = raw_uri(held.uri) if replay.traits.raw and self._raw_works.get(host, True) else None
        requests = 0
        if raw is not None:
            result = await replay.fetch_version(replace(held, uri=raw))
            if not isinstance(result, RepositoryMiss):
                self._raw_works[host] = True
                return result
            if self._raw_works.get(host) or result.reason in (MissReason.LIMIT, MissReason.BLOCKED):
                return result
            requests = result.requests
        shown = await replay.fetch_version(held, is_raw=False)
        if not isinstance(shown, RepositoryMiss) and raw is not None:
            self._raw_works[host] = False
        return replace(shown, requests=shown.requests + requests)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a URL, page by page of its TimeMap."""
        if not self.timemap:
            yield ListingPage(miss=RepositoryMiss(MissReason.UNSUPPORTED, f"{self.traits.name} has no TimeMaps"))
            return
        mark = _ResumeMark.parse(resume, self.timemap.replace("{url}", escape_target(url)))
        seen: set[str] = set()
        begun: set[str] = set()
        total = 0
        while len(seen) < _MAX_PAGES and total < _MAX_MEMENTOS:
            seen.add(mark.page)
            reader = TimeMapReader(mark.page)
            async for batch in self._read_page(mark, reader, url, period):
                if reader.first and reader.first in begun:  # a page that was read before, under another address
                    yield ListingPage(requests=batch.requests)
                    return
                yield batch
                if batch.miss is not None:
                    return
            total += reader.count
            begun.add(reader.first)
            pages = (*mark.pending, *(resolve_reference(mark.page, page) for page in reader.pages))
            following = list(dict.fromkeys(page for page in pages if page not in seen))
            if not following:
                return
            mark = _ResumeMark(following[0], 0, tuple(following[1:_MAX_PENDING_PAGES]))
        yield ListingPage(
            miss=RepositoryMiss(MissReason.TROUBLE, f"{self.traits.name} has no end of versions of {url[:160]}")
        )

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a single URL; what a site has cannot be asked."""
        if match is UrlMatch.EXACT:
            async for batch in self.list_versions(url, period, resume):
                yield batch
        else:
            yield ListingPage(
                miss=RepositoryMiss(MissReason.UNSUPPORTED, f"{self.traits.name} cannot list what it holds of a site")
            )

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content."""
        found = await self._negotiate(url, None) if self.timegate else await self._pick_from_timemap(url, None)
        return found if isinstance(found, RepositoryMiss) else found[0]

    async def close(self) -> None:
        """Nothing is held open."""

    async def _read_page(
        self, mark: _ResumeMark, reader: TimeMapReader, url: str, period: TimePeriod
    ) -> AsyncIterator[ListingPage]:
        name = self.traits.name
        response = await self.client.read_list(mark.page, self.politeness, self.client.max_timemap_bytes)
        if isinstance(response, RepositoryMiss):
            yield ListingPage((), str(mark), response.requests, miss=response)
            return
        if response.status != OK:
            yield self._refusal_page(response, mark)
            return
        rows = self._read_listed_versions(
            reader.read_mementos(decode_content(response.head.headers, response.exchange.body)), reader, url
        )
        requests, told = response.requests, 0
        for batch in _in_batches(islice(rows, mark.skip, None)):
            held = tuple(each for each in batch if period.covers(each.moment))
            findings = tuple(reader.findings[told:])
            told = len(reader.findings)
            yield ListingPage(held, str(replace(mark, skip=reader.count)), requests, findings=findings)
            requests = 0
            await asyncio.sleep(0)  # a long page must not hold up everything else
        miss = None
        if reader.message:
            miss = RepositoryMiss(
                MissReason.TROUBLE, f"{name} answers with something else than a TimeMap: {reader.message[:160]}"
            )
        elif response.cut:
            detail = f"{name} broke off after {reader.count} mementos of a TimeMap ({response.cut})"
            miss = RepositoryMiss(
                MissReason.TROUBLE, detail, None if response.is_too_large else self.client.clock.now()
            )
        findings = tuple(reader.findings[told:])
        if miss is not None or requests or findings:
            yield ListingPage((), str(replace(mark, skip=reader.count)), requests, miss=miss, findings=findings)

    def _read_listed_versions(
        self, mementos: Iterator[TimeMapEntry], reader: TimeMapReader, url: str
    ) -> Iterator[ListedVersion]:
        for listed in mementos:
            spelled = url_in(listed.uri) or reader.original or url
            yield ListedVersion(self.traits.name, spelled, listed.moment, listed.uri, dates=self.traits.dates)

    def _refusal_page(self, response: RepositoryResponse, mark: _ResumeMark) -> ListingPage:
        if response.status in GONE_STATUSES:
            return ListingPage(requests=response.requests)
        detail = f"{self.traits.name} answers {response.status} for {mark.page[:160]}"
        reason = MissReason.BLOCKED if response.status in BLOCKED_STATUSES else MissReason.TROUBLE
        return ListingPage((), str(mark), response.requests, miss=RepositoryMiss(reason, detail))

    async def _negotiate(self, url: str, at: Moment | None) -> tuple[ListedVersion, int] | RepositoryMiss:
        """The version that a TimeGate leads to."""
        address = self.timegate.replace("{url}", escape_target(url))
        headers = (("Accept-Datetime", format_http_date(at)),) if at is not None else ()
        response = await self.client.get(address, self.politeness, headers)
        if isinstance(response, RepositoryMiss):
            return response
        uri = _memento_uri(response, at)
        if not uri:
            reason = MissReason.BLOCKED if response.status in BLOCKED_STATUSES else MissReason.NOT_HELD
            if response.status not in GONE_STATUSES and reason is MissReason.NOT_HELD:
                reason = MissReason.TROUBLE
            detail = f"{self.traits.name} leads to no version of {url[:160]} (status {response.status})"
            return RepositoryMiss(reason, detail, requests=response.requests)
        return ListedVersion(self.traits.name, url, moment_in(uri), uri, dates=self.traits.dates), response.requests

    async def _pick_from_timemap(self, url: str, at: Moment | None) -> tuple[ListedVersion, int] | RepositoryMiss:
        """The best version in the TimeMap, where there is no TimeGate."""
        missing = f"{self.traits.name} does not hold {url[:160]}"
        return await find_nearest_version(self.list_versions(url), at, missing)


def _memento_uri(response: RepositoryResponse, at: Moment | None) -> str:
    """The URI-M that a TimeGate's answer names: where it redirects to, where its content is from, or in its links."""
    headers = response.head.headers
    location = headers.get("location")
    if is_redirection(response.status) and location:
        return resolve_reference(response.url, location)
    if is_error(response.status) and not response.is_memento:
        return ""
    if response.is_memento and headers.get("content-location"):
        return resolve_reference(response.url, headers.get("content-location"))
    links = [link for value in headers.all("link") for link in parse_links(value) if "memento" in link.relations]
    if not links:
        return response.url if response.is_memento else ""
    wanted = at.micros if at is not None else 1 << 62
    return min(links, key=lambda link: abs((moment_in(link.target) or Moment(0)).micros - wanted)).target


def _in_batches(rows: Iterator[ListedVersion]) -> Iterator[tuple[ListedVersion, ...]]:
    while batch := tuple(islice(rows, _PAGE_ROWS)):
        yield batch
