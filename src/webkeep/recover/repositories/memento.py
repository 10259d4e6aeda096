"""Archives and aggregators that speak Memento (RFC 7089): they tell all versions of a URL, and cannot list a site."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from webkeep.fetch.addresses import authority_of
from webkeep.memento.http_moment import http_date
from webkeep.memento.web_link import harmless_target, read_links
from webkeep.model import Moment
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.client import LARGEST_TIMEMAP, Client, Reply
from webkeep.recover.repositories.gathering import content
from webkeep.recover.repositories.replay import Replay
from webkeep.recover.repositories.timemap_reader import Listed, TimeMapReader
from webkeep.recover.repositories.uri_m import led_to, moment_in, raw_uri, url_in
from webkeep.recover.repository import ALWAYS, Answer, Batch, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.url.key_range import Match

_ROWS = 1000
_MOST_PAGES = 10_000
_MOST_MEMENTOS = 1_000_000
"""How many versions of one URL are read of."""
_MOST_PENDING = 1000
_BLOCKED = (401, 403, 451)


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far a TimeMap was read: the page, its rows read already, and the pages after it."""

    page: str
    skip: int = 0
    pending: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str, first: str) -> _Mark:
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

    traits: Traits
    client: Client
    manners: Manners
    timemap: str
    """The address of a TimeMap, with `{url}` in it; "" where there is none."""
    timegate: str
    """The address of a TimeGate, with `{url}` in it; "" where there is none."""
    replay_at: Callable[[str], Replay]
    """How a URI-M is asked for: those of an aggregator belong to many archives."""
    _raw_works: dict[str, bool] = field(default_factory=dict)
    """By host, whether URI-Ms have a raw form there."""

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        """The version of a URL nearest to a moment, or the newest."""
        found = await self._negotiated(url, at) if self.timegate else await self._picked(url, at)
        if isinstance(found, Miss):
            return found
        held, requests = found
        answer = await self.version(held)
        return replace(answer, requests=answer.requests + requests)

    async def version(self, held: Held) -> Answer:
        """A version known from a TimeMap: as it was recorded where the archive gives that, else as it is shown."""
        host, replay = authority_of(held.uri), self.replay_at(held.uri)
        raw = raw_uri(held.uri) if replay.traits.raw and self._raw_works.get(host, True) else None
        requests = 0
        if raw is not None:
            answer = await replay.version(replace(held, uri=raw))
            if not isinstance(answer, Miss):
                self._raw_works[host] = True
                return answer
            if self._raw_works.get(host) or answer.reason in (Reason.LIMIT, Reason.BLOCKED):
                return answer
            requests = answer.requests
        shown = await replay.version(held, is_raw=False)
        if not isinstance(shown, Miss) and raw is not None:
            self._raw_works[host] = False
        return replace(shown, requests=shown.requests + requests)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The versions of a URL, page by page of its TimeMap."""
        if not self.timemap:
            yield Batch(miss=Miss(Reason.UNSUPPORTED, f"{self.traits.name} has no TimeMaps"))
            return
        mark = _Mark.read(resume, self.timemap.replace("{url}", harmless_target(url)))
        seen: set[str] = set()
        begun: set[str] = set()
        total = 0
        while len(seen) < _MOST_PAGES and total < _MOST_MEMENTOS:
            seen.add(mark.page)
            reader = TimeMapReader(mark.page)
            async for batch in self._page(mark, reader, url, period):
                if reader.first and reader.first in begun:  # a page that was read before, under another address
                    yield Batch(requests=batch.requests)
                    return
                yield batch
                if batch.miss is not None:
                    return
            total += reader.count
            begun.add(reader.first)
            pages = (*mark.pending, *(led_to(mark.page, page) for page in reader.pages))
            following = list(dict.fromkeys(page for page in pages if page not in seen))
            if not following:
                return
            mark = _Mark(following[0], 0, tuple(following[1:_MOST_PENDING]))
        yield Batch(miss=Miss(Reason.TROUBLE, f"{self.traits.name} has no end of versions of {url[:160]}"))

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """The versions of a single URL; what a site has cannot be asked."""
        if match is Match.EXACT:
            async for batch in self.versions(url, period, resume):
                yield batch
        else:
            yield Batch(miss=Miss(Reason.UNSUPPORTED, f"{self.traits.name} cannot list what it holds of a site"))

    async def crawl_date(self, url: str) -> Held | Miss:
        """The newest version without its content."""
        found = await self._negotiated(url, None) if self.timegate else await self._picked(url, None)
        return found if isinstance(found, Miss) else found[0]

    async def close(self) -> None:
        """Nothing is held open."""

    async def _page(self, mark: _Mark, reader: TimeMapReader, url: str, period: Period) -> AsyncIterator[Batch]:
        name = self.traits.name
        reply = await self.client.read(mark.page, self.manners, LARGEST_TIMEMAP)
        if isinstance(reply, Miss):
            yield Batch((), str(mark), reply.requests, miss=reply)
            return
        if reply.status != 200:
            yield self._refused(reply, mark)
            return
        rows = self._rows(reader.mementos(content(reply.head.headers, reply.exchange.body)), reader, url)
        requests, told = reply.requests, 0
        for batch in _batched(islice(rows, mark.skip, None)):
            held = tuple(each for each in batch if period.covers(each.moment))
            findings = tuple(reader.findings[told:])
            told = len(reader.findings)
            yield Batch(held, str(replace(mark, skip=reader.count)), requests, findings=findings)
            requests = 0
            await asyncio.sleep(0)  # a long page must not hold up everything else
        miss = None
        if reader.said:
            miss = Miss(Reason.TROUBLE, f"{name} answers with something else than a TimeMap: {reader.said[:160]}")
        elif reply.cut:
            detail = f"{name} broke off after {reader.count} mementos of a TimeMap ({reply.cut})"
            miss = Miss(Reason.TROUBLE, detail, None if reply.is_too_large else self.client.clock.now())
        findings = tuple(reader.findings[told:])
        if miss is not None or requests or findings:
            yield Batch((), str(replace(mark, skip=reader.count)), requests, miss=miss, findings=findings)

    def _rows(self, mementos: Iterator[Listed], reader: TimeMapReader, url: str) -> Iterator[Held]:
        for listed in mementos:
            spelled = url_in(listed.uri) or reader.original or url
            yield Held(self.traits.name, spelled, listed.moment, listed.uri, dates=self.traits.dates)

    def _refused(self, reply: Reply, mark: _Mark) -> Batch:
        if reply.status in (404, 410):
            return Batch(requests=reply.requests)
        detail = f"{self.traits.name} answers {reply.status} for {mark.page[:160]}"
        reason = Reason.BLOCKED if reply.status in _BLOCKED else Reason.TROUBLE
        return Batch((), str(mark), reply.requests, miss=Miss(reason, detail))

    async def _negotiated(self, url: str, at: Moment | None) -> tuple[Held, int] | Miss:
        """The version that a TimeGate leads to."""
        address = self.timegate.replace("{url}", harmless_target(url))
        headers = (("Accept-Datetime", http_date(at)),) if at is not None else ()
        reply = await self.client.get(address, self.manners, headers)
        if isinstance(reply, Miss):
            return reply
        uri = _led_to(reply, at)
        if not uri:
            reason = Reason.BLOCKED if reply.status in _BLOCKED else Reason.NOT_HELD
            if reply.status not in (404, 410) and reason is Reason.NOT_HELD:
                reason = Reason.TROUBLE
            detail = f"{self.traits.name} leads to no version of {url[:160]} (status {reply.status})"
            return Miss(reason, detail, requests=reply.requests)
        return Held(self.traits.name, url, moment_in(uri), uri, dates=self.traits.dates), reply.requests

    async def _picked(self, url: str, at: Moment | None) -> tuple[Held, int] | Miss:
        """The best version in the TimeMap, where there is no TimeGate."""
        best: Held | None = None
        requests = 0
        async for batch in self.versions(url):
            requests += batch.requests
            for held in batch.rows:
                if best is None or _distance(held, at) < _distance(best, at):
                    best = held
            if batch.miss is not None and best is None:
                return replace(batch.miss, requests=requests)
        if best is None:
            return Miss(Reason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}", requests=requests)
        return best, requests


def _led_to(reply: Reply, at: Moment | None) -> str:
    """The URI-M that a TimeGate's answer names: where it redirects to, where its content is from, or in its links."""
    headers = reply.head.headers
    location = headers.get("location")
    if 300 <= reply.status < 400 and location:
        return led_to(reply.url, location)
    if reply.status >= 400 and not reply.is_memento:
        return ""
    if reply.is_memento and headers.get("content-location"):
        return led_to(reply.url, headers.get("content-location"))
    links = [link for value in headers.all("link") for link in read_links(value) if "memento" in link.relations]
    if not links:
        return reply.url if reply.is_memento else ""
    wanted = at.micros if at is not None else 1 << 62
    return min(links, key=lambda link: abs((moment_in(link.target) or Moment(0)).micros - wanted)).target


def _distance(held: Held, at: Moment | None) -> int:
    micros = held.moment.micros if held.moment is not None else 0
    return -micros if at is None else abs(micros - at.micros)


def _batched(rows: Iterator[Held]) -> Iterator[tuple[Held, ...]]:
    while batch := tuple(islice(rows, _ROWS)):
        yield batch
