"""What still answers of the live site itself: one version of each URL, as of now, and no listing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from webkeep.formats.content_type import media_type
from webkeep.model import Exchange, Moment
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.client import Client
from webkeep.recover.repository import ALWAYS, Answer, Batch, Fidelity, Found, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.url.key_range import Match

_ABSENT = (404, 410)


@dataclass(frozen=True, slots=True)
class LiveRepository:
    """The web as it is now."""

    traits: Traits
    client: Client
    manners: Manners

    async def resource(self, url: str, at: Moment | None = None) -> Answer:  # noqa: ARG002 - it has no other version
        """What a URL answers now."""
        reply = await self.client.get(url, self.manners)
        if isinstance(reply, Miss):
            return reply
        if reply.status in _ABSENT:
            return Miss(Reason.NOT_HELD, f"{url[:160]} is gone ({reply.status})", requests=reply.requests)
        if reply.status >= 400:
            return Miss(Reason.BLOCKED, f"{url[:160]} answers {reply.status}", requests=reply.requests)
        came = reply.exchange
        exchange = Exchange(url, came.moment, came.response, came.body, came.request, address=came.address)
        kind = media_type(reply.head.headers)
        held = Held(self.traits.name, url, came.moment, url, reply.status, kind)
        return Found(held, exchange, Fidelity.ORIGINAL, reply.received, reply.requests, bool(reply.cut))

    async def version(self, held: Held) -> Answer:
        """What its URL answers now."""
        return await self.resource(held.url)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The version of now, without asking whether it is there."""
        now = self.client.clock.now()
        if not resume and period.covers(now):
            yield Batch((Held(self.traits.name, url, now, url),))

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """The version of a single URL; the web cannot be asked what a site has."""
        if match is not Match.EXACT:
            yield Batch(miss=Miss(Reason.UNSUPPORTED, "the live web cannot be asked what a site has"))
            return
        async for batch in self.versions(url, period, resume):
            yield batch

    async def crawl_date(self, url: str) -> Held | Miss:
        """The version of now, without asking whether it is there."""
        return Held(self.traits.name, url, self.client.clock.now(), url)

    async def close(self) -> None:
        """Nothing is held open."""
