"""An archive of ours as a repository: how its index entries are listed, records read with revisits followed, and which
flaws mean that the end of a body is missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from webkeep.errors import FormatError, StorageError
from webkeep.formats.http import ResponseHead
from webkeep.formats.warc import WarcRecord
from webkeep.model import CONTENT_TYPES, BytesBody, Clock, Exchange, Headers, Moment, RecordPlace, RecordType
from webkeep.recover.repositories.digest_check import parse_digest
from webkeep.recover.repositories.original_head import build_head
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
from webkeep.recover.repositories.repository_traits import RepositoryTraits, UrlSpelling
from webkeep.recover.repositories.spooled_body import spool_body, undo_transfer_coding
from webkeep.store.archive import Archive
from webkeep.store.index import REVISIT_TYPE, IndexEntry
from webkeep.store.reading import StoredResponse, read_stored_response
from webkeep.url import UrlMatch, surt

_PAGE_ROWS = 1000
"""Rows of a listing that are handed over together: each batch is one transaction."""
_TRUNCATION_FLAWS = frozenset({"payload-short", "chunks-truncated", "coding-truncated"})
"""The flaws by which the end of a body is missing."""
_OK_HEAD = ResponseHead("HTTP/1.1", 200, "OK")


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
        self._traits = RepositoryTraits(
            name, archive.name, local=True, requests_per_resource=0, spelling=UrlSpelling(either_case=True)
        )

    @property
    def traits(self) -> RepositoryTraits:
        """What it is like."""
        return self._traits

    async def fetch_nearest(self, url: str, at: Moment | None = None) -> VersionResult:
        """The version of a URL nearest to a moment, or the newest."""
        entry = self._archive.index.nearest(surt(url), url, at or self._clock.now())
        if entry is None:
            return RepositoryMiss(MissReason.NOT_HELD, f"{self._traits.name} does not hold {url}")
        return self._read_version(self._build_listed(entry), entry.place)

    async def fetch_version(self, held: ListedVersion) -> VersionResult:
        """A version known from a listing."""
        if held.place is None:
            return await self.fetch_nearest(held.url, held.moment)
        return self._read_version(held, held.place)

    async def list_versions(
        self, url: str, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """The versions of a URL, by time."""
        async for batch in self._listing_pages(url, UrlMatch.EXACT, period, resume):
            yield batch

    async def list_site(
        self, url: str, match: UrlMatch = UrlMatch.PREFIX, period: TimePeriod = ALL_TIME, resume: str = ""
    ) -> AsyncIterator[ListingPage]:
        """Everything held below a URL, of its host or of its domain."""
        async for batch in self._listing_pages(url, match, period, resume):
            yield batch

    async def newest_version(self, url: str) -> ListedVersion | RepositoryMiss:
        """The newest version without its content."""
        entry = self._archive.index.nearest(surt(url), url, self._clock.now())
        if entry is None:
            return RepositoryMiss(MissReason.NOT_HELD, f"{self._traits.name} does not hold {url}")
        return self._build_listed(entry)

    async def close(self) -> None:
        """Let go of the archive."""
        self._archive.close()
        if self._closing is not None:
            self._closing()

    async def _listing_pages(
        self, url: str, match: UrlMatch, period: TimePeriod, resume: str
    ) -> AsyncIterator[ListingPage]:
        done = int(resume) if resume.isdigit() else 0
        entries = self._archive.entries(url, match, period.since, period.until)
        rows = (self._build_listed(entry) for entry in entries if entry.record_type in CONTENT_TYPES and not entry.post)
        for batch in _in_batches(islice(rows, done, None)):
            done += len(batch)
            yield ListingPage(batch, str(done))
            await asyncio.sleep(0)

    def _build_listed(self, entry: IndexEntry) -> ListedVersion:
        meant = self._archive.revisits.resolve_entry(entry)
        return ListedVersion(
            self._traits.name,
            entry.url,
            entry.moment,
            self._record_uri(entry),
            meant.status,
            "" if meant.media_type == REVISIT_TYPE else meant.media_type,
            parse_digest(meant.digest),
            entry.place.length,
            is_revisit=entry.record_type == RecordType.REVISIT,
            place=entry.place,
        )

    def _record_uri(self, entry: IndexEntry) -> str:
        """Where a record really lies: an archive made for the while has links, or what was taken out of a file."""
        path = self._archive.layout.warcs / entry.place.file
        if self._origin is None:
            return f"file:{path}#{entry.place.offset}"
        return f"file:{path.readlink()}#{entry.place.offset}" if path.is_symlink() else f"file:{self._origin}"

    def _read_version(self, held: ListedVersion, place: RecordPlace) -> VersionResult:
        try:
            stored, truncated = self._read_record(place)
            exchange, fidelity = self._build_exchange(held, stored, truncated)
        except (StorageError, FormatError) as error:
            return RepositoryMiss(MissReason.ADVERTISED, f"{self._traits.name}: {error}")
        return FetchedVersion(held, exchange, fidelity, self._clock.now(), is_truncated=bool(truncated))

    def _read_record(self, place: RecordPlace) -> tuple[StoredResponse, str]:
        """What the record at a place holds, revisits followed, and why its end is missing."""
        archive = self._archive
        stored, record = read_stored_response(archive.files, place)
        if record.type == RecordType.REVISIT:
            meant, original = read_stored_response(archive.files, archive.original_place(record, place))
            truncated = original.get("warc-truncated") or _truncation_reason(meant, original)
            stored = archive.revisits.resolve_record(record, stored, place)
        else:
            truncated = record.get("warc-truncated") or _truncation_reason(stored, record)
        if truncated and not isinstance(stored.body, BytesBody):  # it may say that it is longer than it is
            stored = replace(stored, body=spool_body(stored.raw(), self._spool))
        return stored, truncated

    def _build_exchange(
        self, held: ListedVersion, stored: StoredResponse, truncated: str
    ) -> tuple[Exchange, VersionFidelity]:
        moment = held.moment or Moment(0)
        url = stored.url or held.url
        if stored.head is not None:
            return Exchange(url, moment, stored.raw_head, stored.body, truncated=truncated), VersionFidelity.ORIGINAL
        # A resource came without a head.
        fields = Headers((("Content-Type", stored.media_type),))
        body = undo_transfer_coding(fields, stored.body, self._spool)
        return Exchange(
            url, moment, build_head(_OK_HEAD, fields, body.size), body, truncated=truncated
        ), VersionFidelity.RAW


def _truncation_reason(stored: StoredResponse, record: WarcRecord) -> str:
    """Why the end of what a record holds is missing though it does not say so, as WARC-Truncated names it."""
    flaws: list[str] = []
    for _ in stored.content(on_flaw=lambda code, _message: flaws.append(code)):
        pass
    is_short = stored.body.size + len(stored.raw_head) < record.size
    return "unspecified" if is_short or _TRUNCATION_FLAWS.intersection(flaws) else ""


def _in_batches(rows: Iterable[ListedVersion]) -> Iterator[tuple[ListedVersion, ...]]:
    left = iter(rows)
    while batch := tuple(islice(left, _PAGE_ROWS)):
        yield batch
