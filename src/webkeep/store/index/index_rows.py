"""Rows for index and catalog, made of what records say; plain tuples, so that they pass quickly between processes."""

from __future__ import annotations

from webkeep.model import RecordPlace, RecordType
from webkeep.store.index.bookkeeping import CatalogUpdate
from webkeep.store.index.cache_database import SqlRow
from webkeep.store.index.payloads import canonical_digest
from webkeep.store.index.record_facts import RecordFacts
from webkeep.url import surt

_METADATA = RecordType.METADATA


class IndexRows:
    """What was learned from records of one file, in the columns of the tables it goes into."""

    __slots__ = ("covered", "entries", "file", "observations", "payloads", "updates")

    def __init__(self, file: str) -> None:
        self.file = file
        self.covered = 0
        """How far into the file it reaches."""
        self.entries: list[SqlRow] = []
        self.observations: list[tuple[SqlRow, str, str]] = []
        """Each with the capture its record names and the one it stands in."""
        self.payloads: list[SqlRow] = []
        self.updates: list[CatalogUpdate] = []

    def cover(self, end: int) -> None:
        """Say that these are all rows of the file up to that byte."""
        self.covered = end

    def add(self, place: RecordPlace, sight: RecordFacts, request: RecordPlace | None, key: str = "") -> None:
        """Add what one record says; `key` is what it is looked up by, where that was made already."""
        micros, offset, length, url = sight.moment.micros, place.offset, place.length, sight.url
        self.entries.append(
            (
                key or surt(url),
                micros,
                offset,
                length,
                url,
                sight.record_type,
                sight.status,
                sight.indexed_type,
                sight.payload_digest,
                sight.post,
            )
        )
        if sight.record_type == _METADATA:
            return
        self.observations.append(
            (
                (
                    offset,
                    length,
                    url,
                    micros,
                    sight.record_type,
                    sight.method,
                    sight.status,
                    sight.media_type,
                    sight.payload_digest,
                    sight.content_digest,
                    sight.size,
                    sight.etag,
                    sight.last_modified,
                    sight.via,
                    sight.visit.value,
                    request.offset if request else None,
                    request.length if request else None,
                ),
                sight.capture,
                sight.within,
            )
        )
        if sight.has_payload:
            digest = canonical_digest(sight.payload_digest)
            self.payloads.append((digest, sight.check, sight.content_digest, offset, length, sight.record, url, micros))
