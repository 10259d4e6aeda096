"""What still answers of the live site itself: one version of each URL, as of now, and no listing; an answer that is an
error counts as gone or as held back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from webkeep.formats.http import declared_media_type
from webkeep.formats.status import GONE_STATUSES, is_error
from webkeep.model import Exchange, Moment
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.repositories.repository import (
    ALL_TIME,
    FetchedVersion,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    TimePeriod,
    VersionFidelity,
    VersionResult,
)
from webkeep.recover.repositories.repository_traits import RepositoryTraits
from webkeep.recover.repositories.repository_transport import RepositoryTransport
from webkeep.url import UrlMatch


@dataclass(frozen=True, slots=True)
class LiveRepository:
    """The web as it is now."""

    traits: RepositoryTraits
    client: RepositoryTransport
    politeness: RepositoryPoliteness

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:  # noqa: ARG002 - it has no other version
        """What a URL answers now."""
        response = await self.client.get(url, self.politeness)
        if isinstance(response, RepositoryMiss):
            return response
        if response.status in GONE_STATUSES:
            return RepositoryMiss(
                MissReason.NOT_HELD, f"{url[:160]} is gone ({response.status})", requests=response.requests
            )
        if is_error(response.status):
            return RepositoryMiss(
                MissReason.BLOCKED, f"{url[:160]} answers {response.status}", requests=response.requests
            )
        came = response.exchange
        exchange = Exchange(url, came.moment, came.response, came.body, came.request, address=came.address)
        kind = declared_media_type(response.head.headers)
        held = ListedVersion(self.traits.name, url, came.moment, url, response.status, kind)
        return FetchedVersion(
            held, exchange, VersionFidelity.ORIGINAL, response.received, response.requests, bool(response.cut)
        )

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """What its URL answers now."""
        return await self.fetch_nearest(held.url)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The version of now, without asking whether it is there."""
        now = self.client.clock.now()
        if not resume and period.covers(now):
            yield ListingPage((ListedVersion(self.traits.name, url, now, url),))

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The version of a single URL; the web cannot be asked what a site has."""
        if match is not UrlMatch.EXACT:
            yield ListingPage(
                miss=RepositoryMiss(MissReason.UNSUPPORTED, "the live web cannot be asked what a site has")
            )
            return
        async for batch in self.list_versions(url, period, resume):
            yield batch

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The version of now, without asking whether it is there."""
        return ListedVersion(self.traits.name, url, self.client.clock.now(), url)

    async def close(self) -> None:
        """Nothing is held open."""
