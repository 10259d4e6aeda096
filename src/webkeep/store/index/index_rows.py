"""Rows for index and catalog, made of what records say; plain tuples, to pass quickly between processes."""

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

    __slots__ = ("covered", "entries", "file", "fingerprints", "observations", "payloads", "updates")

    def __init__(self, file: str) -> None:
        self.file = file
        self.covered = 0
        """How far into the file it reaches."""
        self.entries: list[SqlRow] = []
        self.observations: list[tuple[SqlRow, str, str]] = []
        """Each with the capture its record names and the one it stands in."""
        self.payloads: list[SqlRow] = []
        self.fingerprints: list[SqlRow] = []
        self.updates: list[CatalogUpdate] = []

    def cover(self, end: int) -> None:
        """Say that these are all rows of the file up to that byte."""
        self.covered = end

    def add(self, place: RecordPlace, facts: RecordFacts, request: RecordPlace | None, key: str = "") -> None:
        """Add what one record says; `key` is what it is looked up by, where that was made already."""
        micros, offset, length, url = facts.moment.micros, place.offset, place.length, facts.url
        self.entries.append(
            (
                key or surt(url),
                micros,
                offset,
                length,
                url,
                facts.record_type,
                facts.status,
                facts.indexed_type,
                facts.payload_digest,
                facts.post,
            )
        )
        if facts.record_type == _METADATA:
            return
        self.observations.append(
            (
                (
                    offset,
                    length,
                    url,
                    micros,
                    facts.record_type,
                    facts.method,
                    facts.status,
                    facts.media_type,
                    facts.payload_digest,
                    facts.content_digest,
                    facts.size,
                    facts.etag,
                    facts.last_modified,
                    facts.via,
                    facts.visit.value,
                    request.offset if request else None,
                    request.length if request else None,
                ),
                facts.capture,
                facts.within,
            )
        )
        if facts.fingerprint:
            self.fingerprints.append((offset, facts.fingerprint))
        if facts.has_payload:
            digest = canonical_digest(facts.payload_digest)
            self.payloads.append((digest, facts.check, facts.content_digest, offset, length, facts.record, url, micros))
