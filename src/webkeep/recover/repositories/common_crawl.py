"""Common Crawl: an index for each of its crawls, asked one after another; which crawls have a part in a period, and in
which order they are asked.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.model import Moment
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.cdx_repository import CdxRepository
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
from webkeep.recover.repositories.repository_transport import RepositoryTransport
from webkeep.recover.repositories.spooled_body import content_start
from webkeep.url import UrlMatch

_MAX_LIST_BYTES = 8 << 20
"""The list of collections has about 40 KB."""


@dataclass(frozen=True, slots=True)
class CommonCrawlIndex:
    """One crawl and where its index is."""

    id: str
    index: str
    since: Moment | None = None
    until: Moment | None = None

    def overlaps(self, period: TimePeriod) -> bool:
        """Whether it has a part in a period."""
        starts_late = period.until is not None and self.since is not None and self.since > period.until
        ended_early = period.since is not None and self.until is not None and self.until < period.since
        return not starts_late and not ended_early


@dataclass(frozen=True, slots=True)
class CommonCrawlRepository:
    """All crawls together, the newest first; safe to ask from many tasks."""

    traits: RepositoryTraits
    client: RepositoryTransport
    politeness: RepositoryPoliteness
    crawls_url: str
    """Where the list of crawls is (`collinfo.json`)."""
    repository_of: Callable[[CommonCrawlIndex], CdxRepository]
    max_crawls: int = 0
    """How many crawls are asked at most; 0 for all."""
    _crawls: list[CommonCrawlIndex] = field(default_factory=list)

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version of a URL nearest to a moment, or the newest: crawls are asked one after another."""
        crawls = await self.read_crawls()
        if isinstance(crawls, RepositoryMiss):
            return crawls
        requests = 0
        for crawl in sorted(crawls, key=lambda each: _distance(each, at)):
            result = await self.repository_of(crawl).fetch_nearest(url, at)
            requests += result.requests
            if not isinstance(result, RepositoryMiss) or result.reason is not MissReason.NOT_HELD:
                return replace(result, requests=requests)
        return RepositoryMiss(MissReason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}", requests=requests)

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a listing."""
        return await self.repository_of(CommonCrawlIndex("", "")).fetch_version(held)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a URL, crawl by crawl."""
        async for batch in self.list_site(url, UrlMatch.EXACT, period, resume):
            yield batch

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """Everything held below a URL, of its host or of its domain, crawl by crawl."""
        at, _, inner = resume.partition(" ")
        asked = not self._crawls
        crawls = await self.read_crawls()
        if isinstance(crawls, RepositoryMiss):
            yield ListingPage(requests=crawls.requests, miss=crawls, resume=resume)
            return
        yield ListingPage(requests=int(asked), resume=resume)
        wanted = [crawl for crawl in crawls if crawl.overlaps(period)]
        start = next((number for number, crawl in enumerate(wanted) if crawl.id == at), 0)
        for crawl in wanted[start:]:
            async for batch in self.repository_of(crawl).list_site(url, match, period, inner):
                yield replace(batch, resume=f"{crawl.id} {batch.resume}")
                if batch.miss is not None:
                    return
            inner = ""

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content."""
        async for batch in self.list_versions(url):
            if batch.rows:
                return max(batch.rows, key=lambda held: held.moment or Moment(0))
            if batch.miss is not None:
                return batch.miss
        return RepositoryMiss(MissReason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}")

    async def read_crawls(self) -> list[CommonCrawlIndex] | RepositoryMiss:
        """The crawls there are, the newest first; asked for once."""
        if self._crawls:
            return self._crawls
        response = await self.client.read_list(self.crawls_url, self.politeness)
        if isinstance(response, RepositoryMiss):
            return response
        text = content_start(response.head.headers, response.exchange.body, _MAX_LIST_BYTES)
        try:
            self._crawls[:] = [_parse_crawl(each) for each in read_json(text)]
        except (ValueError, TypeError, KeyError):
            detail = f"{self.traits.name} answers {response.status} and no list of crawls at {self.crawls_url}"
            return RepositoryMiss(MissReason.TROUBLE, detail, requests=response.requests)
        if self.max_crawls:
            del self._crawls[self.max_crawls :]
        return self._crawls

    async def close(self) -> None:
        """Nothing is held open."""


def _parse_crawl(told: dict[str, object]) -> CommonCrawlIndex:
    return CommonCrawlIndex(
        str(told["id"]), str(told["cdx-api"]), _parse_moment(told.get("from")), _parse_moment(told.get("to"))
    )


def _parse_moment(told: object) -> Moment | None:
    try:
        return Moment.parse(str(told)) if told else None
    except UsageError:
        return None


def _distance(crawl: CommonCrawlIndex, at: Moment | None) -> int:
    middle = crawl.until or crawl.since or Moment(0)
    return -middle.micros if at is None else abs(middle.micros - at.micros)
