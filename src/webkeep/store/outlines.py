"""Outlines of observations: the few things that are asked of every one of them, where there are very many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from webkeep.store.archive import Archive

_SELECT = (
    "SELECT url, moment, type, method, status, media, payload, via, name, offset, length "
    "FROM observation JOIN file ON file.number = observation.file"
)


class Outline(NamedTuple):
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


def outlines(archive: Archive, capture: str = "") -> Iterator[Outline]:
    """All observations of an archive, or of one capture, in the order they were stored."""
    where = "WHERE capture = (SELECT number FROM capture WHERE id = ?)" if capture else ""
    values = (capture,) if capture else ()
    rows = archive.catalog.database.query(f"{_SELECT} {where} ORDER BY observation.file, offset", values)
    return cast("Iterator[Outline]", map(Outline._make, rows))
