"""A repository in memory: versions of URLs on a shelf, with what it may be told to do badly."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.model import BytesBody, Digest, Exchange, Finding, Moment
from webkeep.process import RunLoop
from webkeep.recover import RecoveryPlan
from webkeep.recover.judging import detect_placeholder
from webkeep.recover.repositories import (
    ALL_TIME,
    FetchedVersion,
    ListedVersion,
    ListingPage,
    MissReason,
    RepositoryMiss,
    RepositoryTraits,
    TimePeriod,
    VersionFidelity,
    VersionResult,
)
from webkeep.recover.run import NullRecoveryObserver, RecoveredLinks, RecoveryContext, RecoveryRun, extract_page_links
from webkeep.recover.state import RecoveredResource, RecoveryProvenance, RecoveryStore
from webkeep.recover.state.recovery_store import RecoveryState
from webkeep.url import UrlMatch, key_range, surt

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
    fidelity: VersionFidelity = VersionFidelity.ORIGINAL
    flaw: str = ""


@dataclass(slots=True)
class Shelf:
    """Holds copies, and notes what it is asked."""

    traits: RepositoryTraits
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

    def held(self, copy: Copy) -> ListedVersion:
        digest = Digest.from_chunks("sha1", [copy.content])
        uri = f"{copy.moment.digits() if copy.moment else ''}/{copy.url}"
        return ListedVersion(
            self.traits.name, copy.url, copy.moment, uri, copy.status, copy.media_type, digest, len(copy.content),
            self.traits.dates,
        )  # fmt: skip

    def _found(self, copy: Copy) -> VersionResult:
        location = f"Location: {copy.location}\r\n" if copy.location else ""
        head = f"HTTP/1.1 {copy.status} X\r\nContent-Type: {copy.media_type}\r\n{location}\r\n".encode()
        exchange = Exchange(copy.url, copy.moment or NOW, head, BytesBody(copy.content))
        flaws = (Finding(copy.flaw, self.traits.name, 0, "it is flawed"),) if copy.flaw else ()
        return FetchedVersion(self.held(copy), exchange, copy.fidelity, NOW, 1, copy.truncated, flaws)

    def _may_ask(self, url: str) -> RepositoryMiss | None:
        if self.limit is not None and len(self.asked) >= self.limit:
            return RepositoryMiss(MissReason.LIMIT, "enough for now", self.again)
        self.asked.append(url)
        return None

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        if (miss := self._may_ask(url)) is not None:
            return miss
        mine = [each for each in self.copies if surt(each.url) == surt(url)]
        if not mine:
            return RepositoryMiss(MissReason.NOT_HELD, requests=1)
        wanted = (at or NOW).micros
        return self._found(min(mine, key=lambda each: abs((each.moment or NOW).micros - wanted)))

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        if (miss := self._may_ask(held.url)) is not None:
            return miss
        for each in self.copies:
            if each.url == held.url and each.moment == held.moment and held.uri not in self.lost:
                return self._found(each)
        return RepositoryMiss(MissReason.ADVERTISED, "it was there", requests=1)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        rows = [self.held(each) for each in self.copies if surt(each.url) == surt(url)]
        yield ListingPage(tuple(each for each in rows if period.covers(each.moment)), requests=1)

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        if not self.traits.lists:
            yield ListingPage(miss=RepositoryMiss(MissReason.UNSUPPORTED, "cannot list"))
            return
        low, high = key_range(url, match)
        rows = [self.held(each) for each in self.copies if low <= surt(each.url) < high]
        cap = self.traits.listing_cap
        kept = rows if cap is None else rows[:cap]
        self.listings += 1
        yield ListingPage(
            tuple(each for each in kept if period.covers(each.moment)), requests=1, is_capped=len(kept) < len(rows)
        )

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        mine = [each for each in self.copies if surt(each.url) == surt(url)]
        return self.held(mine[-1]) if mine else RepositoryMiss(MissReason.NOT_HELD, requests=1)

    async def close(self) -> None:
        """Nothing to let go of."""


def page(*parts: str, links: Iterable[str] = (), embeds: Iterable[str] = ()) -> str:
    anchors = "".join(f'<a href="{each}">{each}</a>' for each in links)
    images = "".join(f'<img src="{each}">' for each in embeds)
    return f"<!doctype html><title>{' '.join(parts)}</title><p>{' '.join(parts)}</p>{anchors}{images}"


@dataclass(slots=True)
class Drawer:
    """A keeper that holds in memory what it is given."""

    kept: list[FetchedVersion] = field(default_factory=list)
    told: list[RecoveryProvenance] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return sum(each.exchange.body.size for each in self.kept)

    async def store_version(
        self, resource: RecoveredResource, found: FetchedVersion, provenance: RecoveryProvenance
    ) -> RecoveredLinks:
        self.kept.append(found)
        self.told.append(provenance)
        return extract_page_links(found.exchange)

    def write_pending(self) -> None:
        """Nothing waits to be said."""

    async def flush(self) -> None:
        """Nothing is under way."""


@dataclass(slots=True)
class Crawled:
    """What a crawl over shelves came to."""

    recovery_store: RecoveryStore
    drawer: Drawer
    crawl: RecoveryRun

    @property
    def urls(self) -> list[str]:
        """What came back, in the order it did."""
        return [found.exchange.url for found in self.drawer.kept]

    def content(self, url: str) -> bytes:
        """The newest kept of a URL that came back once."""
        (found,) = [each for each in self.drawer.kept if each.exchange.url == url]
        return b"".join(found.exchange.body.chunks())

    def missing(self) -> dict[str, str]:
        return {each.url: each.note for each in self.recovery_store.resources(RecoveryState.MISSING)}


class StillClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> Moment:
        return self.moment


def crawled(
    plan: RecoveryPlan, *shelves: Shelf, book: RecoveryStore | None = None, clock: StillClock | None = None
) -> Crawled:
    """Run a crawl over shelves to its end."""
    used = book or RecoveryStore(Path(":memory:"))
    drawer = Drawer()

    async def run() -> RecoveryRun:
        context = RecoveryContext(plan, shelves, used, drawer, clock or StillClock(), NullRecoveryObserver(), judged)
        crawl = RecoveryRun(context, RunLoop())
        await crawl.run()
        return crawl

    return Crawled(used, drawer, asyncio.run(run()))


def judged(resource: RecoveredResource, found: FetchedVersion) -> str:
    suspicion = detect_placeholder(found.exchange, resource.priority == 0)
    return "" if suspicion is None else suspicion.value
