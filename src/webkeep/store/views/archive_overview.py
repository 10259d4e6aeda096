"""Overviews: an archive, and each of its WARC files, in a few numbers: observations, URLs, sizes, first and last
moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.store.archive.archive import Archive
from webkeep.store.index.cache_database import SqlRow, as_integer

# Keys come sorted, so the URLs of each are counted as it passes, and no set of all URLs is held.
_SELECT_URL_COUNT = (
    "SELECT sum(n) FROM (SELECT count(DISTINCT url) AS n FROM entry WHERE type <> 'metadata' GROUP BY key)"
)
_SELECT_TOTALS = "SELECT count(*), min(moment), max(moment), coalesce(sum(size), 0) FROM observation"
_SELECT_FILE_TOTALS = "SELECT count(*), min(moment), max(moment) FROM observation WHERE file = ?"


@dataclass(frozen=True, slots=True)
class ArchiveOverview:
    """What an archive adds up to."""

    observations: int
    urls: int
    payload_size: int
    """Bytes of payload as they came; what was seen again unchanged counts once."""
    first: Moment | None
    last: Moment | None
    files: int
    disk_size: int
    """Bytes of all WARC files."""


@dataclass(frozen=True, slots=True)
class WarcFileOverview:
    """What one WARC file adds up to."""

    name: str
    size: int
    observations: int
    first: Moment | None
    last: Moment | None


def read_overview(archive: Archive) -> ArchiveOverview:
    """Add up an archive."""
    observations, first, last, size = archive.catalog.database.query_one(_SELECT_TOTALS) or (0, None, None, 0)
    urls = archive.index.database.query_one(_SELECT_URL_COUNT) or (0,)
    sizes = [_file_size(archive, name) for name in archive.layout.warc_names()]
    return ArchiveOverview(
        as_integer(observations),
        as_integer(urls[0]),
        as_integer(size),
        _moment_or_none(first),
        _moment_or_none(last),
        len(sizes),
        sum(sizes),
    )


def read_file_overviews(archive: Archive) -> Iterator[WarcFileOverview]:
    """The WARC files of an archive, by name."""
    database = archive.catalog.database
    for name in archive.layout.warc_names():
        number = database.query_one("SELECT number FROM file WHERE name = ?", (name,))
        row: SqlRow | None = database.query_one(_SELECT_FILE_TOTALS, number) if number else None
        observations, first, last = row or (0, None, None)
        yield WarcFileOverview(
            name, _file_size(archive, name), as_integer(observations), _moment_or_none(first), _moment_or_none(last)
        )


def _file_size(archive: Archive, name: str) -> int:
    return (archive.layout.warcs / name).stat().st_size


def _moment_or_none(micros: object) -> Moment | None:
    return None if micros is None else Moment(as_integer(micros))
