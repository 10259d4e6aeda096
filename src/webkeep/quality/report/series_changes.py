"""How the captures of a series differ from each other: new, changed, unchanged and deleted resources and links, by
directory, and the points of the change scatter.

`new + changed + unchanged` are what a capture holds; `deleted + changed + unchanged + unknown` what the one before it
held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop

import xxhash

from webkeep.change.detection import ChangeCategory
from webkeep.quality.changes import ChangeJudge
from webkeep.quality.report.changed_pages import ChangedPage, ChangedPages
from webkeep.quality.report.url_course import (
    ResourceGroup,
    SeriesChange,
    SeriesComparison,
    UrlCourse,
    is_there,
    resource_group,
)
from webkeep.store.archive import Archive
from webkeep.store.views import UrlLook
from webkeep.url import first_directory

_MAX_DIRECTORIES = 20_000
"""Directories that are counted one by one; what lies in others is counted together."""
OTHER_DIRECTORIES = "others"
_MAX_POINTS = 4000
"""Points of a scatter of each kind: more cover each other, and a page of them opens slowly."""
LINKS = "links"
"""The group that links are counted in, beside those of resources."""

ChangeCounts = Mapping[SeriesChange, int]


@dataclass(frozen=True, slots=True)
class SeriesStep:
    """A capture against the one before it, by group of resources."""

    capture: str
    counts: Mapping[str, ChangeCounts]
    categories: Mapping[ChangeCategory, int] = field(default_factory=dict)
    """How much the changes of texts matter."""
    read: int = 0
    """Of them, those for which both versions were read, or need not be; fingerprints tell of the others."""


@dataclass(frozen=True, slots=True)
class DirectoryChanges:
    """What became of a directory over a series."""

    directory: str
    resources: int
    """In the last capture."""
    compared: int
    """Pairs of looks at the same resource in captures one after the other."""
    changed: int
    """Of these, those with a change that matters, as far as that is told."""
    last_changed: int
    """Changed in what matters, new or deleted in the last capture."""

    @property
    def share(self) -> float:
        """The share of pairs that saw a change that matters."""
        return self.changed / self.compared if self.compared else 0.0


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A resource in the change scatter: media type × directory × URL."""

    group: ResourceGroup
    directory: str
    url: str
    change: SeriesChange


class SeriesChanges:
    """Adds up the changes of a series, one URL at a time."""

    def __init__(self, comparison: SeriesComparison, max_pages: int) -> None:
        self._comparison = comparison
        self._places = len(comparison.series.captures)
        self._pages = ChangedPages(self._places, max_pages)
        self._read = [0] * self._places
        self._steps: list[dict[str, Counter[SeriesChange]]] = [{} for _ in range(self._places)]
        self._categories: list[Counter[ChangeCategory]] = [Counter() for _ in range(self._places)]
        self._directories: dict[str, list[int]] = {}
        self._points: dict[SeriesChange, list[tuple[int, str, ScatterPoint]]] = {}

    def add(self, course: UrlCourse) -> tuple[SeriesChange | None, ChangeCategory | None]:
        """Count a URL in every capture; gives what became of it in the last, and how much that matters."""
        row = self._directory_row(course.url)
        change: SeriesChange | None = None
        category: ChangeCategory | None = None
        course_changes = [self._comparison.compare(course, place) for place in range(self._places)]
        for place, change in enumerate(course_changes):
            category = None
            if change is None:
                continue
            group = _group_at(course, place)
            if change is SeriesChange.CHANGED:
                category = self._categorise(course, place, group)
            self._steps[place].setdefault(group, Counter())[change] += 1
            if change in (SeriesChange.SAME, SeriesChange.CHANGED):
                row[1] += 1
                row[2] += change is SeriesChange.CHANGED and category is not ChangeCategory.INSIGNIFICANT
        self._count_links(course, course_changes)
        if change is not None:
            row[0] += is_there(course.last.get(self._places - 1))
            is_calm = change in (SeriesChange.SAME, SeriesChange.UNKNOWN) or category is ChangeCategory.INSIGNIFICANT
            row[3] += not is_calm
            self._add_point(course, change)
        return change, category

    def _categorise(self, course: UrlCourse, place: int, group: ResourceGroup) -> ChangeCategory | None:
        """How much a change matters, as far as fingerprints tell; where that leaves it open, it may be read later."""
        told = self._comparison.categorise(course, place)
        is_text = told is not None or group is ResourceGroup.PAGE
        if not is_text:
            told = ChangeCategory.MAJOR  # that it differs is all that can be known, and nothing need be read for it
        if told is not None:
            self._categories[place][told] += 1
        if told is ChangeCategory.INSIGNIFICANT or not is_text:
            self._read[place] += 1
        else:
            before, after = course.last[place - 1], course.last[place]
            self._pages.add(ChangedPage(place, course.url, before.place, after.place, told))
        return told

    def read_pages(self, archive: Archive, judge: ChangeJudge) -> dict[str, ChangeCategory]:
        """Count the pages that can be read by what that tells; gives how much those of the last capture matter."""
        last: dict[str, ChangeCategory] = {}
        for page, category in self._pages.judge(archive, judge):
            counts = self._categories[page.place]
            if page.told is not None:
                counts[page.told] -= 1
            counts[category] += 1
            self._read[page.place] += 1
            is_last = page.place == self._places - 1
            if is_last:
                last[page.url] = category
            if category is ChangeCategory.INSIGNIFICANT:
                row = self._directory_row(page.url)
                row[2] -= 1
                row[3] -= is_last
        return last

    def _count_links(self, course: UrlCourse, course_changes: Sequence[SeriesChange | None]) -> None:
        """A link is the way by which a URL was found: from the page that led to it first."""
        before = ""
        for place in range(self._places):
            look: UrlLook | None = course.last.get(place)
            via = (look.via or before) if look is not None else ""  # an update asks for what is known
            counts = self._steps[place].setdefault(LINKS, Counter())
            if via and via == before:
                counts[SeriesChange.SAME] += 1
            else:
                counts[SeriesChange.NEW] += bool(via)
                # Where it was not looked for what the link leads to, nor was it seen that the link is gone.
                is_unknown = not via and course_changes[place] is SeriesChange.UNKNOWN
                counts[SeriesChange.UNKNOWN if is_unknown else SeriesChange.DELETED] += bool(before)
            before = via

    def _directory_row(self, url: str) -> list[int]:
        name = first_directory(url)
        if name not in self._directories and len(self._directories) >= _MAX_DIRECTORIES:
            name = OTHER_DIRECTORIES
        return self._directories.setdefault(name, [0, 0, 0, 0])

    def _add_point(self, course: UrlCourse, change: SeriesChange) -> None:
        """Keep a point; of too many, those that their hashes choose, which are spread evenly over the site."""
        kept = self._points.setdefault(change, [])
        mark = -xxhash.xxh3_64_intdigest(course.url.encode("utf-8", "surrogatepass"))
        if len(kept) >= _MAX_POINTS and mark <= kept[0][0]:
            return
        group = _group_at(course, self._places - 1)
        point = ScatterPoint(group, first_directory(course.url), course.url, change)
        (heappush if len(kept) < _MAX_POINTS else heappushpop)(kept, (mark, course.url, point))

    def steps(self) -> tuple[SeriesStep, ...]:
        """Every capture against the one before it; all of the first is new."""
        captures = self._comparison.series.captures
        return tuple(
            SeriesStep(capture.id, {str(group): dict(counts) for group, counts in sorted(step.items())}, +told, read)
            for capture, step, told, read in zip(captures, self._steps, self._categories, self._read, strict=True)
        )

    def directories(self) -> tuple[DirectoryChanges, ...]:
        """All directories, those with most changes in the last capture first."""
        rows = (DirectoryChanges(name, *counts) for name, counts in self._directories.items())
        return tuple(sorted(rows, key=lambda each: (-each.last_changed, -each.changed, each.directory)))

    def points(self) -> tuple[ScatterPoint, ...]:
        """The points of the last capture's scatter, by URL."""
        kept = (point for points in self._points.values() for _, _, point in points)
        return tuple(sorted(kept, key=lambda point: point.url))


def _group_at(course: UrlCourse, place: int) -> ResourceGroup:
    """What a resource is, or was: a page that says that a picture is gone is no picture."""
    now = course.last.get(place)
    look = now if now is not None and is_there(now) else course.last[place - 1]
    return resource_group(look.status, look.media_type)


def add_changes(*counts: ChangeCounts) -> Counter[SeriesChange]:
    """Counts of several groups together."""
    total: Counter[SeriesChange] = Counter()
    for each in counts:
        total.update(each)
    return total
