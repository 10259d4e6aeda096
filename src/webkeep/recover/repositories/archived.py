"""An archive of ours as a repository; whatever lies on this machine is made into one first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from webkeep.errors import FormatError, StorageError
from webkeep.formats.http1 import ResponseHead
from webkeep.formats.record import Record
from webkeep.model import BytesBody, Clock, Exchange, Headers, Moment, Place
from webkeep.recover.repositories.checking import read_digest
from webkeep.recover.repositories.gathering import gathered, transferred
from webkeep.recover.repositories.original_head import head_bytes
from webkeep.recover.repository import ALWAYS, Answer, Batch, Fidelity, Found, Held, Miss, Period, Reason
from webkeep.recover.repository_traits import Spelling, Traits
from webkeep.store.archive import Archive
from webkeep.store.entry import Entry
from webkeep.store.reading import Holding, read_holding
from webkeep.store.sight import REVISIT_TYPE
from webkeep.url import surt
from webkeep.url.key_range import Match

_ROWS = 1000
_SHOWN = frozenset({"response", "revisit", "resource"})
_CUT = frozenset({"payload-short", "chunks-truncated", "coding-truncated"})
"""The flaws by which the end of a body is missing."""
_OK = ResponseHead("HTTP/1.1", 200, "OK")


class ArchiveRepository:
    """Answers out of an archive on disk; `origin` is what it was made of, where it was made for the while."""

    def __init__(
        self,
        name: str,
        archive: Archive,
        clock: Clock,
        spool: Path,
        origin: Path | None = None,
        closing: Callable[[], None] | None = None,
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._spool = spool
        self._origin = origin
        self._closing = closing
        self._traits = Traits(
            name, archive.name, local=True, requests_per_resource=0, spelling=Spelling(either_case=True)
        )

    @property
    def traits(self) -> Traits:
        """What it is like."""
        return self._traits

    async def resource(self, url: str, at: Moment | None = None) -> Answer:
        """The version of a URL nearest to a moment, or the newest."""
        entry = self._archive.index.nearest(surt(url), url, at or self._clock.now())
        if entry is None:
            return Miss(Reason.NOT_HELD, f"{self._traits.name} does not hold {url}")
        return self._read(self._held(entry), entry.place)

    async def version(self, held: Held) -> Answer:
        """A version known from a listing."""
        if held.place is None:
            return await self.resource(held.url, held.moment)
        return self._read(held, held.place)

    async def versions(self, url: str, period: Period = ALWAYS, resume: str = "") -> AsyncIterator[Batch]:
        """The versions of a URL, by time."""
        async for batch in self._batches(url, Match.EXACT, period, resume):
            yield batch

    async def listing(
        self, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, resume: str = ""
    ) -> AsyncIterator[Batch]:
        """Everything held below a URL, of its host or of its domain."""
        async for batch in self._batches(url, match, period, resume):
            yield batch

    async def crawl_date(self, url: str) -> Held | Miss:
        """The newest version without its content."""
        entry = self._archive.index.nearest(surt(url), url, self._clock.now())
        if entry is None:
            return Miss(Reason.NOT_HELD, f"{self._traits.name} does not hold {url}")
        return self._held(entry)

    async def close(self) -> None:
        """Let go of the archive."""
        self._archive.close()
        if self._closing is not None:
            self._closing()

    async def _batches(self, url: str, match: Match, period: Period, resume: str) -> AsyncIterator[Batch]:
        done = int(resume) if resume.isdigit() else 0
        entries = self._archive.entries(url, match, period.since, period.until)
        rows = (self._held(entry) for entry in entries if entry.record_type in _SHOWN and not entry.post)
        for batch in _batched(islice(rows, done, None)):
            done += len(batch)
            yield Batch(batch, str(done))
            await asyncio.sleep(0)

    def _held(self, entry: Entry) -> Held:
        meant = self._archive.revisits.resolve_entry(entry)
        return Held(
            self._traits.name,
            entry.url,
            entry.moment,
            self._uri(entry),
            meant.status,
            "" if meant.media_type == REVISIT_TYPE else meant.media_type,
            read_digest(meant.digest),
            entry.place.length,
            revisit=entry.record_type == "revisit",
            place=entry.place,
        )

    def _uri(self, entry: Entry) -> str:
        """Where a record really lies: an archive made for the while has links, or what was taken out of a file."""
        path = self._archive.layout.warcs / entry.place.file
        if self._origin is None:
            return f"file:{path}#{entry.place.offset}"
        return f"file:{path.readlink()}#{entry.place.offset}" if path.is_symlink() else f"file:{self._origin}"

    def _read(self, held: Held, place: Place) -> Answer:
        try:
            holding, truncated = self._holding(place)
            exchange, fidelity = self._exchange(held, holding, truncated)
        except (StorageError, FormatError) as error:
            return Miss(Reason.ADVERTISED, f"{self._traits.name}: {error}")
        return Found(held, exchange, fidelity, self._clock.now(), truncated=bool(truncated))

    def _holding(self, place: Place) -> tuple[Holding, str]:
        """What the record at a place holds, revisits followed, and why its end is missing."""
        archive = self._archive
        holding, record = read_holding(archive.files, place)
        if record.type == "revisit":
            meant, original = read_holding(archive.files, archive.original(record, place))
            truncated = original.get("warc-truncated") or _loss(meant, original)
            holding = archive.revisits.holding(record, holding, place)
        else:
            truncated = record.get("warc-truncated") or _loss(holding, record)
        if truncated and not isinstance(holding.body, BytesBody):  # it may say that it is longer than it is
            holding = replace(holding, body=gathered(holding.raw(), self._spool))
        return holding, truncated

    def _exchange(self, held: Held, holding: Holding, truncated: str) -> tuple[Exchange, Fidelity]:
        moment = held.moment or Moment(0)
        url = holding.url or held.url
        if holding.head is not None:
            return Exchange(url, moment, holding.raw_head, holding.body, truncated=truncated), Fidelity.ORIGINAL
        # A resource came without a head.
        fields = Headers((("Content-Type", holding.media_type),))
        body = transferred(fields, holding.body, self._spool)
        return Exchange(url, moment, head_bytes(_OK, fields, body.size), body, truncated=truncated), Fidelity.RAW


def _loss(holding: Holding, record: Record) -> str:
    """Why the end of what a record holds is missing though it does not say so, as WARC-Truncated names it."""
    flaws: list[str] = []
    for _ in holding.content(note=lambda code, _message: flaws.append(code)):
        pass
    is_short = holding.body.size + len(holding.raw_head) < record.size
    return "unspecified" if is_short or _CUT.intersection(flaws) else ""


def _batched(rows: Iterable[Held]) -> Iterator[tuple[Held, ...]]:
    left = iter(rows)
    while batch := tuple(islice(left, _ROWS)):
        yield batch
