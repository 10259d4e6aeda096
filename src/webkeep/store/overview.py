"""Overviews: an archive, and each of its WARC files, in a few numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.database import Row, integer

# Keys come sorted, so the URLs of each are counted as it passes, and no set of all URLs is held.
_URLS = "SELECT sum(n) FROM (SELECT count(DISTINCT url) AS n FROM entry WHERE type <> 'metadata' GROUP BY key)"
_TOTALS = "SELECT count(*), min(moment), max(moment), coalesce(sum(size), 0) FROM observation"
_OF_FILE = "SELECT count(*), min(moment), max(moment) FROM observation WHERE file = ?"


@dataclass(frozen=True, slots=True)
class Overview:
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
class WarcFile:
    """What one WARC file adds up to."""

    name: str
    size: int
    observations: int
    first: Moment | None
    last: Moment | None


def overview(archive: Archive) -> Overview:
    """Add up an archive."""
    observations, first, last, size = archive.catalog.database.one(_TOTALS) or (0, None, None, 0)
    urls = archive.index.database.one(_URLS) or (0,)
    sizes = [_size(archive, name) for name in archive.layout.warc_names()]
    return Overview(
        integer(observations), integer(urls[0]), integer(size), _moment(first), _moment(last), len(sizes), sum(sizes)
    )


def warc_files(archive: Archive) -> Iterator[WarcFile]:
    """The WARC files of an archive, by name."""
    database = archive.catalog.database
    for name in archive.layout.warc_names():
        number = database.one("SELECT number FROM file WHERE name = ?", (name,))
        row: Row | None = database.one(_OF_FILE, number) if number else None
        observations, first, last = row or (0, None, None)
        yield WarcFile(name, _size(archive, name), integer(observations), _moment(first), _moment(last))


def _size(archive: Archive, name: str) -> int:
    return (archive.layout.warcs / name).stat().st_size


def _moment(micros: object) -> Moment | None:
    return None if micros is None else Moment(integer(micros))
