"""Rows for index and catalog, made of what records say; plain tuples, so that they pass quickly between processes."""

from __future__ import annotations

from webkeep.model import Place
from webkeep.store.bookkeeping import News
from webkeep.store.database import Row
from webkeep.store.payload import canonical
from webkeep.store.sight import Sight
from webkeep.url.key import surt


class Rows:
    """What was learned from records of one file, in the columns of the tables it goes into."""

    __slots__ = ("covered", "entries", "file", "news", "observations", "payloads")

    def __init__(self, file: str) -> None:
        self.file = file
        self.covered = 0
        """How far into the file it reaches."""
        self.entries: list[Row] = []
        self.observations: list[tuple[Row, str, str]] = []
        """Each with the capture its record names and the one it stands in."""
        self.payloads: list[Row] = []
        self.news: list[News] = []

    def add(self, place: Place, sight: Sight, request: Place | None, key: str = "") -> None:
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
        if sight.record_type == "metadata":
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
        if sight.holds_payload:
            digest = canonical(sight.payload_digest)
            self.payloads.append((digest, sight.check, sight.content_digest, offset, length, sight.record, url, micros))
