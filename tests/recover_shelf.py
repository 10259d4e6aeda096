"""A repository in memory: versions of URLs on a shelf, with what it may be told to do badly."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.model import BytesBody, Digest, Exchange, Finding, Moment
from webkeep.recover.book import Book, Resource, State
from webkeep.recover.crawling import Crawl
from webkeep.recover.plan import Plan
from webkeep.recover.provenance import Provenance
from webkeep.recover.repository import ALWAYS, Answer, Batch, Fidelity, Found, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Traits
from webkeep.recover.study import Studied, links_of
from webkeep.recover.suspicion import suspicion_of
from webkeep.recover.watching import Nobody
from webkeep.url.key import surt
from webkeep.url.key_range import Match, key_range

NOW = Moment.parse("2026-01-01")


@dataclass(slots=True)
class Copy:
    """One version on a shelf."""

    url: str
    moment: Moment | None
    content: bytes
    media_type: str = "text/html"
    status: int = 200
    location: str = ""
    truncated: bool = False
    fidelity: Fidelity = Fidelity.ORIGINAL
    flaw: str = ""


@dataclass(slots=True)
class Shelf:
    """Holds copies, and notes what it is asked."""

    traits: Traits
    copies: list[Copy] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    listings: int = 0
    lost: set[str] = field(default_factory=set)
    """Advertised, and not there."""
    limit: int | None = None
    """Requests until it answers that it is at its limit, until `again`."""
    again: Moment | None = None

    def put(self, url: str, day: str, content: bytes | str, media_type: str = "text/html", **more: object) -> Copy:
        data = content.encode() if isinstance(content, str) else content
        copy = replace(Copy(url, Moment.parse(day), data, media_type), **more)  # type: ignore[arg-type]
        self.copies.append(copy)
        return copy

    def held(self, copy: Copy) -> Held:
        digest = Digest.of("sha1", [copy.content])
        uri = f"{copy.moment.digits() if copy.moment else ''}/{copy.url}"
        return Held(
            self.traits.name, copy.url, copy.moment, uri, copy.status, copy.media_type, digest, len(copy.content),
            self.traits.dates,
        )  # fmt: skip

    def _found(self, copy: Copy) -> Answer:
        location = f"Location: {copy.location}\r\n" if copy.location else ""
        head = f"HTTP/1.1 {copy.status} X\r\nContent-Type: {copy.media_type}\r\n{location}\r\n".encode()
        exchange = Exchange(copy.url, copy.moment or NOW, head, BytesBody(copy.content))
        flaws = (Finding(copy.flaw, self.traits.name, 0, "it is flawed"),) if copy.flaw else ()
        return Found(self.held(copy), exchange, copy.fidelity, NOW, 1, copy.truncated, flaws)

    def _may_ask(self, url: str) -> Miss | None:
        if self.limit is not None and len(self.asked) >= self.limit:
            return Miss(Reason.LIMIT, "enough for now", self.again)
        self.asked.append(url)
        return None

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        if (miss := self._may_ask(url)) is not None:
            return miss
        mine = [each for each in self.copies if surt(each.url) == surt(url)]
        if not mine:
            return Miss(Reason.NOT_HELD, requests=1)
        wanted = (at or NOW).micros
        return self._found(min(mine, key=lambda each: abs((each.moment or NOW).micros - wanted)))

    async def version(self, held: Held) -> Answer:
        if (miss := self._may_ask(held.url)) is not None:
            return miss
        for each in self.copies:
            if each.url == held.url and each.moment == held.moment and held.uri not in self.lost:
                return self._found(each)
        return Miss(Reason.ADVERTISED, "it was there", requests=1)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        rows = [self.held(each) for each in self.copies if surt(each.url) == surt(url)]
        yield Batch(tuple(each for each in rows if period.covers(each.moment)), requests=1)

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        if not self.traits.lists:
            yield Batch(miss=Miss(Reason.UNSUPPORTED, "cannot list"))
            return
        low, high = key_range(url, match)
        rows = [self.held(each) for each in self.copies if low <= surt(each.url) < high]
        cap = self.traits.listing_cap
        kept = rows if cap is None else rows[:cap]
        self.listings += 1
        yield Batch(
            tuple(each for each in kept if period.covers(each.moment)), requests=1, capped=len(kept) < len(rows)
        )

    async def crawl_date(self, url: str) -> Held | Miss:
        mine = [each for each in self.copies if surt(each.url) == surt(url)]
        return self.held(mine[-1]) if mine else Miss(Reason.NOT_HELD, requests=1)

    async def close(self) -> None:
        """Nothing to let go of."""


def page(*parts: str, links: Iterable[str] = (), embeds: Iterable[str] = ()) -> str:
    anchors = "".join(f'<a href="{each}">{each}</a>' for each in links)
    images = "".join(f'<img src="{each}">' for each in embeds)
    return f"<!doctype html><title>{' '.join(parts)}</title><p>{' '.join(parts)}</p>{anchors}{images}"


@dataclass(slots=True)
class Drawer:
    """A keeper that holds in memory what it is given."""

    kept: list[Found] = field(default_factory=list)
    told: list[Provenance] = field(default_factory=list)

    async def keep(self, resource: Resource, found: Found, provenance: Provenance) -> Studied:
        self.kept.append(found)
        self.told.append(provenance)
        redirect, links = links_of(found.exchange)
        return Studied(links, redirect)

    def tell(self) -> None:
        """Nothing waits to be said."""

    async def settle(self) -> None:
        """Nothing is under way."""


@dataclass(slots=True)
class Crawled:
    """What a crawl over shelves came to."""

    book: Book
    drawer: Drawer
    crawl: Crawl

    @property
    def urls(self) -> list[str]:
        """What came back, in the order it did."""
        return [found.exchange.url for found in self.drawer.kept]

    def content(self, url: str) -> bytes:
        """The newest kept of a URL that came back once."""
        (found,) = [each for each in self.drawer.kept if each.exchange.url == url]
        return b"".join(found.exchange.body.chunks())

    def missing(self) -> dict[str, str]:
        return {each.url: each.note for each in self.book.resources(State.MISSING)}


class StillClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> Moment:
        return self.moment


def crawled(plan: Plan, *shelves: Shelf, book: Book | None = None, clock: StillClock | None = None) -> Crawled:
    """Run a crawl over shelves to its end."""
    used = book or Book(Path(":memory:"))
    drawer = Drawer()

    async def run() -> Crawl:
        crawl = Crawl(plan, shelves, used, drawer, clock or StillClock(), Nobody(), judged)
        await crawl.run()
        return crawl

    return Crawled(used, drawer, asyncio.run(run()))


def judged(resource: Resource, found: Found) -> str:
    suspicion = suspicion_of(found.exchange, resource.priority == 0)
    return "" if suspicion is None else suspicion.value
