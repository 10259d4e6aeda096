"""What a series of captures saw of one URL, and how two captures compare in it: same, changed, new, deleted."""

from __future__ import annotations

import enum
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from webkeep.change.detection import ChangeCategory, compare_fingerprints
from webkeep.formats.status import GONE_STATUSES, is_answered
from webkeep.quality.report.absence_check import AbsenceCheck
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.store.archive import Archive
from webkeep.store.views import UrlLook, read_url_looks

_PLAIN_METHOD = "GET"


class SeriesChange(enum.StrEnum):
    """What became of a URL from one capture of a series to the next."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "unchanged"
    DELETED = "deleted"
    UNKNOWN = "unknown"
    """It was there, and the next capture could not see it, or its digests cannot be compared."""


class ResourceGroup(enum.StrEnum):
    """What a resource is to a reader, by its media type."""

    PAGE = "pages"
    IMAGE = "images"
    STYLE = "style sheets"
    SCRIPT = "scripts"
    FONT = "fonts"
    MEDIA = "sound and video"
    DOCUMENT = "documents"
    DATA = "data"
    OTHER = "others"
    REDIRECT = "redirects"
    RENDITION = "pictures and texts of pages"
    """Made of pages beside them, at capture."""


_GROUP_BY_TYPE = {
    "text/html": ResourceGroup.PAGE,
    "application/xhtml+xml": ResourceGroup.PAGE,
    "text/css": ResourceGroup.STYLE,
    "text/javascript": ResourceGroup.SCRIPT,
    "application/javascript": ResourceGroup.SCRIPT,
    "application/x-javascript": ResourceGroup.SCRIPT,
    "application/pdf": ResourceGroup.DOCUMENT,
    "application/msword": ResourceGroup.DOCUMENT,
    "application/font-woff": ResourceGroup.FONT,
    "application/json": ResourceGroup.DATA,
    "application/xml": ResourceGroup.DATA,
    "text/xml": ResourceGroup.DATA,
    "text/plain": ResourceGroup.DATA,
    "text/csv": ResourceGroup.DATA,
}
_GROUP_BY_CLASS = {
    "image": ResourceGroup.IMAGE,
    "font": ResourceGroup.FONT,
    "audio": ResourceGroup.MEDIA,
    "video": ResourceGroup.MEDIA,
}


def resource_group(status: int | None, media_type: str) -> ResourceGroup:
    """The group of a resource by its status and its bare media type."""
    known = _GROUP_BY_TYPE.get(media_type) or _GROUP_BY_CLASS.get(media_type.partition("/")[0])
    if known is not None:
        return known
    if media_type.endswith(("+json", "+xml")):
        return ResourceGroup.DATA
    if "officedocument" in media_type or "opendocument" in media_type:
        return ResourceGroup.DOCUMENT
    is_redirect = not media_type and status is not None and is_answered(status)
    return ResourceGroup.REDIRECT if is_redirect else ResourceGroup.OTHER


def guess_group(url: str) -> ResourceGroup:
    """What a URL that never answered would have been, by its ending; a page where that says nothing."""
    name = urlsplit(url).path.rpartition("/")[2]
    media_type = _known_types().guess_type(name)[0]
    return ResourceGroup.PAGE if media_type is None else resource_group(None, media_type)


@cache
def _known_types() -> mimetypes.MimeTypes:
    """Of Python alone, so that a report says the same on every machine."""
    return mimetypes.MimeTypes()


class UrlCourse(NamedTuple):
    """One URL in a series of captures."""

    url: str
    looks: list[UrlLook]
    """Those of the series, by time."""
    last: dict[int, UrlLook]
    """The last look of each capture, by its place in the series."""


def read_courses(archive: Archive, series: CaptureSeries) -> Iterator[UrlCourse]:
    """Every URL that a series saw, in the order of URLs."""
    places = {each.number: place for place, each in enumerate(series.captures)}
    for looks in read_url_looks(archive):
        mine = [each for each in looks if each.capture in places and each.method == _PLAIN_METHOD]
        if mine:
            yield UrlCourse(mine[0].url, mine, {places[each.capture]: each for each in mine})


def is_there(look: UrlLook | None) -> bool:
    """Whether a look found the page; a record that is no message has it."""
    return look is not None and (look.status is None or is_answered(look.status))


@dataclass(slots=True)
class SeriesComparison:
    """Compares the captures of a series in one URL; asks what became of what a capture did not see."""

    archive: Archive
    series: CaptureSeries
    _absence: AbsenceCheck = field(init=False)

    def __post_init__(self) -> None:
        self._absence = AbsenceCheck(self.archive, self.series)

    def compare(self, course: UrlCourse, place: int) -> SeriesChange | None:
        """What became of a URL up to the capture at a place from the one before it; None where neither has it."""
        before, after = course.last.get(place - 1), course.last.get(place)
        if before is None or not is_there(before):
            return SeriesChange.NEW if is_there(after) else None
        if after is None:
            return (
                SeriesChange.DELETED if self._absence.is_gone(before.url, before.via, place) else SeriesChange.UNKNOWN
            )
        if not is_there(after):
            return SeriesChange.DELETED if after.status in GONE_STATUSES else SeriesChange.UNKNOWN
        return compare_looks(before, after)

    def categorise(self, course: UrlCourse, place: int) -> ChangeCategory | None:
        """How much a change matters, by the fingerprints of both versions; None where they have none."""
        return self.categorise_looks(course.last[place - 1], course.last[place])

    def categorise_looks(self, before: UrlLook, after: UrlLook) -> ChangeCategory | None:
        """The same of two looks at a page."""
        fingerprints = self.archive.catalog.fingerprints
        one = fingerprints.find_at(before.place, before.payload)
        other = fingerprints.find_at(after.place, after.payload) if one is not None else None
        return compare_fingerprints(one, other).category if one is not None and other is not None else None


def compare_looks(before: UrlLook, after: UrlLook) -> SeriesChange:
    """Whether two looks saw the same, by digest; digests of two algorithms say nothing about each other."""
    if before.digest == after.digest:
        return SeriesChange.SAME if before.digest else SeriesChange.UNKNOWN
    for one, other in ((before.digest, after.digest), (before.payload, after.payload)):
        if one and other and one.partition(":")[0] == other.partition(":")[0]:
            return SeriesChange.CHANGED if one != other else SeriesChange.SAME
    return SeriesChange.UNKNOWN
