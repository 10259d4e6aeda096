"""Archives with an index server: they list what they hold, and give it by address or by the place of its record. Here
is decided which of both ways is taken, and what a row says of a version.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from webkeep.formats.cdx import CdxLine
from webkeep.model import Moment, RecordPlace
from webkeep.recover.repositories.cdx_server import CdxServer
from webkeep.recover.repositories.digest_check import parse_digest
from webkeep.recover.repositories.nearest_version import find_nearest_version
from webkeep.recover.repositories.playback_server import PlaybackServer
from webkeep.recover.repositories.record_ranges import RecordRangeReader
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
from webkeep.recover.repositories.uri_m import parse_timestamp
from webkeep.url import UrlMatch

_REVISIT = "warc/revisit"


@dataclass(frozen=True, slots=True)
class CdxRepository:
    """An archive with an index server; safe to ask from many tasks."""

    traits: RepositoryTraits
    server: CdxServer
    playback: PlaybackServer | None = None
    records: RecordRangeReader | None = None

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version of a URL nearest to a moment, or the newest."""
        if self.playback is None:
            return await self._fetch_by_index(url, at)
        moment = at or self.server.client.clock.now()
        held = ListedVersion(self.traits.name, url, None, self.playback.memento_url(url, moment))
        return await self.playback.fetch_version(held, listed=False)

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a listing."""
        if self.playback is not None and held.uri:
            return await self.playback.fetch_version(held)
        if self.records is not None:
            return await self.records.fetch_version(held, self._version_near)
        return RepositoryMiss(
            MissReason.UNSUPPORTED, f"{self.traits.name} lists versions and gives none; say raw= beside cdx="
        )

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a URL, by time."""
        async for batch in self.server.query_rows(url, UrlMatch.EXACT, period, resume, self.read_listed_version):
            yield batch

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """Everything held below a URL, of its host or of its domain."""
        async for batch in self.server.query_rows(
            url, match, period, resume, self.read_listed_version, self.traits.listing_cap
        ):
            yield batch

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content."""
        best = await self._best_version(url, None)
        return best if isinstance(best, RepositoryMiss) else best[0]

    async def close(self) -> None:
        """Nothing is held open."""

    def read_listed_version(self, line: CdxLine) -> ListedVersion | None:
        """What a row of the index says."""
        moment = parse_timestamp(line.timestamp)
        url = line.url or ""
        if moment is None:
            return None
        place = None
        if line.filename and line.offset is not None and line.length:
            place = RecordPlace(line.filename, line.offset, line.length)
        revisit = line.mime == _REVISIT
        return ListedVersion(
            self.traits.name,
            url,
            moment,
            self.playback.memento_url(url, moment) if self.playback is not None else "",
            line.status_code,
            "" if revisit or line.mime in (None, "unk") else (line.mime or "").lower(),
            parse_digest(line.digest or ""),
            line.length,
            self.traits.dates,
            revisit,
            place,
        )

    async def _version_near(self, url: str, moment: Moment) -> ListedVersion | None:
        """The version of a URL within a second of a moment."""
        around = TimePeriod(moment.plus(-1), moment.plus(1))
        async for batch in self.list_versions(url, around):
            for held in batch.rows:
                if not held.is_revisit:
                    return held
        return None

    async def _fetch_by_index(self, url: str, at: Moment | None) -> VersionResult:
        """The best version by the index, where addresses cannot be made up."""
        best = await self._best_version(url, at)
        if isinstance(best, RepositoryMiss):
            return best
        held, requests = best
        result = await self.fetch_version(held)
        return replace(result, requests=result.requests + requests)

    async def _best_version(self, url: str, at: Moment | None) -> tuple[ListedVersion, int] | RepositoryMiss:
        missing = f"{self.traits.name} does not hold {url[:160]}"
        return await find_nearest_version(self.list_versions(url), at, missing)
