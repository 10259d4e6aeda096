"""Outlines of observations: the few things that are asked of every one of them, where there are very many, as plain
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import RecordPlace, RecordType
from webkeep.store.archive.archive import Archive

_REVISIT = RecordType.REVISIT

_SELECT = (
    "SELECT url, moment, type, method, status, media, payload, via, name, offset, length "
    "FROM observation JOIN file ON file.number = observation.file"
)


class ObservationOutline(NamedTuple):
    """An observation in plain values."""

    url: str
    micros: int
    record_type: str
    method: str
    status: int | None
    media_type: str
    payload: str
    """The digest of the payload as the catalog has it; "" where it is not known."""
    via: str
    file: str
    offset: int
    length: int

    @property
    def place(self) -> RecordPlace:
        """Where its record lies."""
        return RecordPlace(self.file, self.offset, self.length)


def read_outlines(archive: Archive, capture: str = "") -> Iterator[ObservationOutline]:
    """All observations of an archive, or of one capture, in the order they were stored."""
    where = "WHERE capture = (SELECT number FROM capture WHERE id = ?)" if capture else ""
    values = (capture,) if capture else ()
    rows = archive.catalog.database.query(f"{_SELECT} {where} ORDER BY observation.file, offset", values)
    found = cast("Iterator[ObservationOutline]", map(ObservationOutline._make, rows))
    return (_resolve_outline(archive, each) if each.record_type == _REVISIT else each for each in found)


def _resolve_outline(archive: Archive, outline: ObservationOutline) -> ObservationOutline:
    """The outline of a revisit with status and type of what it refers to."""
    has_head = outline.status is not None or outline.media_type
    if has_head and outline.status != NOT_MODIFIED:
        return outline
    seen = archive.observation_at(outline.place)
    if seen is None or seen.is_dangling:
        return outline
    digest = str(seen.payload_digest or outline.payload)
    return outline._replace(status=seen.status, media_type=seen.media_type, payload=digest)
