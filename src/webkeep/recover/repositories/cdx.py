"""Archives with an index server: they list what they hold, and give it by address or by the place of its record."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from webkeep.formats.cdxj import CdxLine
from webkeep.model import Moment, Place
from webkeep.recover.repositories.cdx_server import CdxServer
from webkeep.recover.repositories.checking import read_digest
from webkeep.recover.repositories.ranged_records import RangedRecords
from webkeep.recover.repositories.replay import Replay
from webkeep.recover.repositories.uri_m import read_digits
from webkeep.recover.repository import ALWAYS, Answer, Batch, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.url.key_range import Match

_REVISIT = "warc/revisit"


@dataclass(frozen=True, slots=True)
class CdxRepository:
    """An archive with an index server; safe to ask from many tasks."""

    traits: Traits
    server: CdxServer
    replay: Replay | None = None
    records: RangedRecords | None = None

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        """The version of a URL nearest to a moment, or the newest."""
        if self.replay is None:
            return await self._looked_up(url, at)
        moment = at or self.server.client.clock.now()
        held = Held(self.traits.name, url, None, self.replay.address(url, moment))
        return await self.replay.version(held, listed=False)

    async def version(self, held: Held) -> Answer:
        """A version known from a listing."""
        if self.replay is not None and held.uri:
            return await self.replay.version(held)
        if self.records is not None:
            return await self.records.version(held, self._at)
        return Miss(Reason.UNSUPPORTED, f"{self.traits.name} lists versions and gives none; say raw= beside cdx=")

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The versions of a URL, by time."""
        async for batch in self.server.rows(url, Match.EXACT, period, resume, self.held):
            yield batch

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """Everything held below a URL, of its host or of its domain."""
        async for batch in self.server.rows(url, match, period, resume, self.held, self.traits.listing_cap):
            yield batch

    async def crawl_date(self, url: str) -> Held | Miss:
        """The newest version without its content."""
        best = await self._best(url, None)
        return best if isinstance(best, Miss) else best[0]

    async def close(self) -> None:
        """Nothing is held open."""

    def held(self, line: CdxLine) -> Held | None:
        """What a row of the index says."""
        moment = read_digits(line.timestamp)
        url = line.url or ""
        if moment is None:
            return None
        place = None
        if line.filename and line.offset is not None and line.length:
            place = Place(line.filename, line.offset, line.length)
        revisit = line.mime == _REVISIT
        return Held(
            self.traits.name,
            url,
            moment,
            self.replay.address(url, moment) if self.replay is not None else "",
            line.status_code,
            "" if revisit or line.mime in (None, "unk") else (line.mime or "").lower(),
            read_digest(line.digest or ""),
            line.length,
            self.traits.dates,
            revisit,
            place,
        )

    async def _at(self, url: str, moment: Moment) -> Held | None:
        """The version of a URL within a second of a moment."""
        around = Period(moment.plus(-1), moment.plus(1))
        async for batch in self.versions(url, around):
            for held in batch.rows:
                if not held.revisit:
                    return held
        return None

    async def _looked_up(self, url: str, at: Moment | None) -> Answer:
        """The best version by the index, where addresses cannot be made up."""
        best = await self._best(url, at)
        if isinstance(best, Miss):
            return best
        held, requests = best
        answer = await self.version(held)
        return replace(answer, requests=answer.requests + requests)

    async def _best(self, url: str, at: Moment | None) -> tuple[Held, int] | Miss:
        best: Held | None = None
        requests = 0
        async for batch in self.versions(url):
            requests += batch.requests
            for held in batch.rows:
                if not held.revisit and (best is None or _is_nearer(held, best, at)):
                    best = held
            if batch.miss is not None and best is None:
                return replace(batch.miss, requests=requests)
        if best is None:
            return Miss(Reason.NOT_HELD, f"{self.traits.name} does not hold {url[:160]}", requests=requests)
        return best, requests


def _is_nearer(held: Held, best: Held, at: Moment | None) -> bool:
    one, other = held.moment or Moment(0), best.moment or Moment(0)
    if at is None:
        return one > other
    return abs(one.micros - at.micros) < abs(other.micros - at.micros)
