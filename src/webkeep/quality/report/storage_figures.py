"""What an archive's records take on disk: by type, by what deduplication saved, and how it grew with each capture."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.model import RecordType
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.quality.report.url_course import ResourceGroup, UrlCourse, resource_group
from webkeep.url import is_urn


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """The records of one group."""

    group: str
    records: int
    disk_bytes: int
    payload_bytes: int
    """As they came, of records that hold a payload."""
    referring: int
    """Records that refer to a payload held elsewhere."""
    saved_bytes: int
    """Payload that these would have taken once more, as far as its size is known."""


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """What a capture added."""

    capture: str
    records: int
    disk_bytes: int
    total_bytes: int
    """Of the series up to it."""


@dataclass(frozen=True, slots=True)
class StorageFigures:
    """What the records of a series take."""

    groups: tuple[StoredGroup, ...] = ()
    growth: tuple[GrowthStep, ...] = ()

    @property
    def disk_bytes(self) -> int:
        """All of it."""
        return sum(each.disk_bytes for each in self.groups)

    @property
    def saved_bytes(self) -> int:
        """What deduplication saved."""
        return sum(each.saved_bytes for each in self.groups)


class StorageSurvey:
    """Adds up records, one URL at a time."""

    def __init__(self, series: CaptureSeries) -> None:
        self._series = series
        self._places = {each.number: place for place, each in enumerate(series.captures)}
        self._groups: dict[ResourceGroup, list[int]] = {}
        self._growth = [[0, 0] for _ in series.captures]

    def add(self, course: UrlCourse) -> None:
        """Take in the records of a URL."""
        sizes: dict[str, int] = {}
        is_rendition = is_urn(course.url)
        for look in course.looks:
            group = ResourceGroup.RENDITION if is_rendition else resource_group(look.status, look.media_type)
            row = self._groups.setdefault(group, [0, 0, 0, 0, 0])
            row[0] += 1
            row[1] += look.length
            if look.record_type == RecordType.REVISIT:
                row[3] += 1
                row[4] += sizes.get(look.digest, 0)
            else:
                sizes[look.digest] = look.size
                row[2] += look.size
            grown = self._growth[self._places[look.capture]]
            grown[0] += 1
            grown[1] += look.length

    def figures(self) -> StorageFigures:
        """What all of it comes to."""
        rows = (StoredGroup(str(group), *counts) for group, counts in self._groups.items())
        growth, total = [], 0
        for capture, (records, size) in zip(self._series.captures, self._growth, strict=True):
            total += size
            growth.append(GrowthStep(capture.id, records, size, total))
        return StorageFigures(tuple(sorted(rows, key=lambda each: (-each.disk_bytes, each.group))), tuple(growth))
