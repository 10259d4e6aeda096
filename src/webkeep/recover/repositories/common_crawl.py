"""Common Crawl: an index for each of its crawls, and records read by their place out of its WARC files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

from webkeep.errors import UsageError
from webkeep.formats.json_value import read_json
from webkeep.model import Moment
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.cdx import CdxRepository
from webkeep.recover.repositories.client import Client
from webkeep.recover.repositories.gathering import start_of
from webkeep.recover.repository import ALWAYS, Answer, Batch, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.url.key_range import Match

_LARGEST_LIST = 8 << 20


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl and where its index is."""

    id: str
    index: str
    since: Moment | None = None
    until: Moment | None = None

    def meets(self, period: Period) -> bool:
        """Whether it has a part in a period."""
        starts_late = period.until is not None and self.since is not None and self.since > period.until
        ended_early = period.since is not None and self.until is not None and self.until < period.since
        return not starts_late and not ended_early


@dataclass(frozen=True, slots=True)
class CommonCrawlRepository:
    """All crawls together, the newest first; safe to ask from many tasks."""

    traits: Traits
    client: Client
    manners: Manners
    crawls_at: str
    """Where the list of crawls is (`collinfo.json`)."""
    repository_of: Callable[[Crawl], CdxRepository]
    most_crawls: int = 0
    """How many crawls are asked at most; 0 for all."""
    _crawls: list[Crawl] = field(default_factory=list)

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        """The version of a URL nearest to a moment, or the newest: crawls are asked one after another."""
        crawls = await self.crawls()
        if isinstance(crawls, Miss):
            return crawls
        requests = 0
        for crawl in sorted(crawls, key=lambda each: _distance(each, at)):
            answer = await self.repository_of(crawl).resource(url, at)
            requests += answer.requests
            if not isinstance(answer, Miss) or answer.reason is not Reason.NOT_HELD:
                return replace(answer, requests=requests)
        return Miss(Reason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}", requests=requests)

    async def version(self, held: Held) -> Answer:
        """A version known from a listing."""
        return await self.repository_of(Crawl("", "")).version(held)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The versions of a URL, crawl by crawl."""
        async for batch in self.listing(url, Match.EXACT, period, resume):
            yield batch

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """Everything held below a URL, of its host or of its domain, crawl by crawl."""
        at, _, inner = resume.partition(" ")
        asked = not self._crawls
        crawls = await self.crawls()
        if isinstance(crawls, Miss):
            yield Batch(requests=crawls.requests, miss=crawls, resume=resume)
            return
        yield Batch(requests=int(asked), resume=resume)
        wanted = [crawl for crawl in crawls if crawl.meets(period)]
        start = next((number for number, crawl in enumerate(wanted) if crawl.id == at), 0)
        for crawl in wanted[start:]:
            async for batch in self.repository_of(crawl).listing(url, match, period, inner):
                yield replace(batch, resume=f"{crawl.id} {batch.resume}")
                if batch.miss is not None:
                    return
            inner = ""

    async def crawl_date(self, url: str) -> Held | Miss:
        """The newest version without its content."""
        async for batch in self.versions(url):
            if batch.rows:
                return max(batch.rows, key=lambda held: held.moment or Moment(0))
            if batch.miss is not None:
                return batch.miss
        return Miss(Reason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}")

    async def crawls(self) -> list[Crawl] | Miss:
        """The crawls there are, the newest first; asked for once."""
        if self._crawls:
            return self._crawls
        reply = await self.client.read(self.crawls_at, self.manners)
        if isinstance(reply, Miss):
            return reply
        text = start_of(reply.head.headers, reply.exchange.body, _LARGEST_LIST)
        try:
            self._crawls[:] = [_crawl(each) for each in read_json(text)]
        except (ValueError, TypeError, KeyError):
            detail = f"{self.traits.name} answers {reply.status} and no list of crawls at {self.crawls_at}"
            return Miss(Reason.TROUBLE, detail, requests=reply.requests)
        if self.most_crawls:
            del self._crawls[self.most_crawls :]
        return self._crawls

    async def close(self) -> None:
        """Nothing is held open."""


def _crawl(told: dict[str, object]) -> Crawl:
    return Crawl(str(told["id"]), str(told["cdx-api"]), _moment(told.get("from")), _moment(told.get("to")))


def _moment(told: object) -> Moment | None:
    try:
        return Moment.parse(str(told)) if told else None
    except UsageError:
        return None


def _distance(crawl: Crawl, at: Moment | None) -> int:
    middle = crawl.until or crawl.since or Moment(0)
    return -middle.micros if at is None else abs(middle.micros - at.micros)
