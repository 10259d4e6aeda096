"""Change histories of real sites: what an archive, or a list of a person's own (`url,moment,digest`), tells about when
pages changed, and with which rates.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.status import is_successful
from webkeep.model import Moment
from webkeep.store.archive import Archive


@dataclass(frozen=True, slots=True)
class SiteHistory:
    """Pages with the moments at which each changed, in seconds since the history began."""

    name: str
    urls: tuple[str, ...]
    changes: tuple[tuple[float, ...], ...]
    span: float
    """How many seconds the history covers."""

    def __post_init__(self) -> None:
        if not self.urls or self.span <= 0:
            raise UsageError(f"{self.name} has no history: give pages that were seen at two moments or more")

    def rates(self) -> list[float]:
        """The rates that somebody would know who has seen it all: changes by the whole time."""
        return [len(changes) / self.span for changes in self.changes]


@dataclass(frozen=True, slots=True)
class LabSighting:
    """A page as it was at one moment; without a digest the moment itself is that of a change."""

    url: str
    moment: Moment | None
    """None for a page of which no change is known."""
    digest: str = ""


def history_from_looks(name: str, looks: Iterable[LabSighting]) -> SiteHistory:
    """What looks at pages tell: a page changed when it was first seen with another digest than before."""
    pages: dict[str, list[tuple[int, str]]] = {}
    for seen in looks:
        moments = pages.setdefault(seen.url, [])
        if seen.moment is not None:
            moments.append((seen.moment.micros, seen.digest))
    every = [micros for moments in pages.values() for micros, _ in moments]
    first, last = min(every, default=0), max(every, default=0)
    changes = tuple(tuple((micros - first) / 1e6 for micros in _change_moments(moments)) for moments in pages.values())
    return SiteHistory(name, tuple(pages), changes, (last - first) / 1e6)


def _change_moments(moments: list[tuple[int, str]]) -> list[int]:
    found: list[int] = []
    before = ""
    for micros, digest in sorted(moments):
        if not digest or (before and digest != before):
            found.append(micros)
        before = digest or before
    return found


def read_history(path: Path) -> SiteHistory:
    """The history in an archive, or in a file of lines `url,moment` or `url,moment,digest`."""
    if path.is_dir():
        with Archive(path) as archive:
            return history_from_looks(str(path), _read_archive_looks(archive))
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        return history_from_looks(str(path), read_looks(lines, str(path)))


def _read_archive_looks(archive: Archive) -> Iterable[LabSighting]:
    for observation in archive.observations():
        digest = observation.content_digest or observation.payload_digest
        if is_successful(observation.status) and observation.method == "GET" and digest is not None:
            yield LabSighting(observation.url, observation.moment, str(digest))


def read_looks(lines: Iterable[str], source: str) -> Iterable[LabSighting]:
    """The looks that a list tells; a first line that names the columns is passed over."""
    rows = csv.reader(lines)
    try:
        for number, row in enumerate(rows, 1):
            if row and not (number == 1 and row[0].strip().lower() == "url"):
                yield _read_look(row, f"{source}, line {number}")
    except csv.Error as error:
        raise FormatError(f"{source} is no list of pages: {error}; write url,moment,digest on each line") from error


def _read_look(row: list[str], where: str) -> LabSighting:
    url, moment, digest, *_ = (*(cell.strip() for cell in row), "", "")
    if not url:
        raise FormatError(f"{where} names no page; write url,moment,digest")
    try:
        return LabSighting(url, Moment.parse(moment) if moment else None, digest)
    except UsageError as error:
        raise FormatError(f"{where} has no moment that can be read: {error}") from error
