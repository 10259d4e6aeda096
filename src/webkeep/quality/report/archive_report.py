"""The report on an archive: one pass over all looks of a series, in the order of URLs, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from webkeep.change.detection import ChangeCategory
from webkeep.model import Moment, UrlOutcome
from webkeep.quality.certificates import DefectNode, RevisitColour
from webkeep.quality.changes import ChangeJudge
from webkeep.quality.damage import DamageFigures, DamageSurvey, SampledPage
from webkeep.quality.fidelity import FidelityFigures
from webkeep.quality.report.capture_series import CaptureSeries, select_series
from webkeep.quality.report.coherence_figures import CoherenceFigures, CoherenceSurvey
from webkeep.quality.report.completeness import CompletenessFigures, CompletenessSurvey
from webkeep.quality.report.crawl_forest import CrawlForest, ForestMark
from webkeep.quality.report.incoherent_pages import IncoherentUrl
from webkeep.quality.report.page_sample import PageSample
from webkeep.quality.report.rate_figures import RateFigures, RateSurvey
from webkeep.quality.report.series_changes import (
    DirectoryChanges,
    ScatterPoint,
    SeriesChanges,
    SeriesStep,
)
from webkeep.quality.report.storage_figures import StorageFigures, StorageSurvey
from webkeep.quality.report.url_course import SeriesChange, SeriesComparison, UrlCourse, read_courses
from webkeep.store.archive import Archive
from webkeep.store.views import count_fates
from webkeep.url import is_urn

_MAX_DIRECTORIES_TOLD = 200
"""Directories that a report tells, those with most changes first."""
NOTHING_CAPTURED = "Nothing has been captured yet."
_MAX_SAMPLED_PAGES = 2000
"""Pages that are remembered for whoever wants to look at some."""
NOT_IN_JSON = {"json": None}
"""Of a field that is for those who go on working with it, and no figure."""
DEFAULT_PAGES = 500
"""Pages that are looked at one by one where nobody says how many: they take a few seconds."""


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What the last capture of a series is worth, and how it came to that."""

    archive: str
    made: Moment
    series: CaptureSeries
    completeness: CompletenessFigures = field(default_factory=CompletenessFigures)
    completeness_before: CompletenessFigures | None = None
    """Of the capture before, without its dimensions."""
    coherence: CoherenceFigures = field(default_factory=CoherenceFigures)
    coherence_before: CoherenceFigures | None = None
    """Of the capture before, without its pages."""
    rates: RateFigures = field(default_factory=RateFigures)
    damage: DamageFigures = field(default_factory=DamageFigures)
    damage_before: DamageFigures | None = None
    """Of the capture before, without its pages."""
    storage: StorageFigures = field(default_factory=StorageFigures)
    steps: tuple[SeriesStep, ...] = ()
    directories: tuple[DirectoryChanges, ...] = ()
    points: tuple[ScatterPoint, ...] = ()
    nodes: tuple[DefectNode, ...] = ()
    """Of the collapsed tree."""
    not_computed: tuple[str, ...] = ()
    """What could not be computed, and why."""
    fidelity: FidelityFigures | None = None
    """How replay shows pages; None where that was not looked at."""
    sample: tuple[SampledPage, ...] = field(default=(), metadata=NOT_IN_JSON)
    """Pages of the capture that may be looked at in a browser, the first of them first."""


def read_archive_report(
    archive: Archive, capture: str = "", seed: str = "", max_pages: int = DEFAULT_PAGES
) -> ArchiveReport:
    """Add up an archive for a report on the last capture, on one, or on the last of a seed.

    So many pages are looked at one by one, evenly chosen, for their missing parts, and so many changed ones for how
    much that matters; 0 for all.
    """
    series = select_series(archive, capture, seed)
    made = archive.clock.now()
    if not series.captures:
        return ArchiveReport(archive.name, made, series, not_computed=(_explain_emptiness(archive),))
    survey = _SeriesSurvey(archive, series, max_pages)
    for course in read_courses(archive, series):
        survey.add(course)
    return survey.finish(made)


def _explain_emptiness(archive: Archive) -> str:
    """Why there is nothing to report on: a capture on many machines has its records where its workers wrote them."""
    if not any(count_fates(archive, each.id).get(UrlOutcome.STORED) for each in archive.captures()):
        return NOTHING_CAPTURED
    return (
        "Any figure: the records of what this archive names as stored are in other archives, as those of workers are; "
        f"webkeep import {archive.name} and the others --into ARCHIVE makes one of them that can be reported on."
    )


class _SeriesSurvey:
    """All that is counted in one pass."""

    def __init__(self, archive: Archive, series: CaptureSeries, max_pages: int) -> None:
        self._archive, self._series = archive, series
        self._pages, self._pages_before = (PageSample(max_pages, each) for each in (series.captures[-1].seeds, ()))
        self._place = len(series.captures) - 1
        self._comparison = SeriesComparison(archive, series)
        self._changes = SeriesChanges(self._comparison, max_pages)
        self._rates = RateSurvey(series)
        self._completeness = CompletenessSurvey(archive, series)
        self._storage = StorageSurvey(series)
        self._coherence = CoherenceSurvey(self._comparison)
        self._forest = CrawlForest()
        self._coloured_by_second_look: set[str] = set()
        """Of the pages that changed since the capture before."""

    def add(self, course: UrlCourse) -> None:
        """Count a URL in everything; pictures and texts of pages, which no server has, in what they take."""
        if is_urn(course.url):
            self._storage.add(course)
            return
        change, category = self._changes.add(course)
        self._rates.add(course)
        self._storage.add(course)
        failed = self._completeness.add(course)
        within = self._coherence.add(course)
        before = course.last.get(self._place - 1)
        look = course.last.get(self._place)
        if look is not None:
            self._pages.add(look)
        if before is not None:
            self._pages_before.add(before)
        if look is not None or before is not None:
            mark = ForestMark.UNSEEN if look is None else ForestMark.FAILED if failed else ForestMark.HELD
            # An update asks for what is known, so that what once led there is what leads there.
            via = next((each.via for each in reversed(course.looks) if each.via), "")
            # By second visits where there were any, else against the capture before.
            told, matters = (change if self._place else None, category) if within is None else within
            self._forest.add(course.url, via, _colour_of(told, matters), mark)
            if within is not None and category is not None:
                self._coloured_by_second_look.add(course.url)

    def finish(self, made: Moment) -> ArchiveReport:
        """What all of it comes to."""
        self._completeness.add_depths(self._forest)
        self._completeness.add_unstored(self._forest)
        judge = ChangeJudge(self._archive)
        told = self._changes.read_pages(self._archive, judge)
        rates, steps = self._rates.figures(), self._changes.steps()
        coherence = self._coherence.figures(self._archive, judge, self._series, steps[-1], rates)
        self._recolour(told, coherence.incoherent)
        nodes = tuple(self._forest.collapse())
        return ArchiveReport(
            self._archive.name,
            made,
            self._series,
            self._completeness.figures(),
            self._completeness.figures_before() if self._place else None,
            coherence,
            self._coherence.figures_before(self._archive, self._series, steps),
            rates,
            DamageSurvey(self._archive, self._series.captures[-1].id).measure(self._pages.pages(), self._pages.total),
            self._measure_damage_before(),
            self._storage.figures(),
            steps,
            self._changes.directories()[:_MAX_DIRECTORIES_TOLD],
            self._changes.points(),
            nodes,
            tuple(self._name_gaps(coherence)),
            sample=tuple(self._pages.first_pages(_MAX_SAMPLED_PAGES)),
        )

    def _measure_damage_before(self) -> DamageFigures | None:
        if not self._place:
            return None
        sample = self._pages_before
        before = self._series.captures[-2].id
        found = DamageSurvey(self._archive, before).measure(sample.pages(), sample.total)
        return replace(found, worst=(), hungry=())

    def _recolour(self, told: Mapping[str, ChangeCategory], incoherent: Iterable[IncoherentUrl]) -> None:
        """What was read tells more than fingerprints did."""
        for url, category in told.items():
            if url not in self._coloured_by_second_look:
                self._forest.recolour(url, _colour_of(SeriesChange.CHANGED, category))
        for each in incoherent:
            if each.change is SeriesChange.CHANGED:
                self._forest.recolour(each.url, _colour_of(each.change, each.category))

    def _name_gaps(self, coherence: CoherenceFigures) -> list[str]:
        told = []
        subject = self._series.captures[-1]
        if not subject.id:
            told.append("What failed: these records belong to no capture of webkeep, which would have noted it.")
        elif self._completeness.has_no_fates:
            told.append("What was refused, cut or failed without an answer: this capture noted no fates of URLs.")
        if coherence.certificate is None:
            told.append(
                "Figures of a certificate: none is kept, and none can be derived of records of no capture."
                if not subject.id
                else "Figures of a certificate: none is kept, and to derive it would read every record of the archive; "
                "webkeep certify makes one."
            )
        if not self._place:
            told.append("Changes since the capture before, and change rates: there is no capture before.")
        if self._pages.total > len(self._pages.pages()):
            told.append(
                f"Damage of every page: {len(self._pages.pages()):,} of {self._pages.total:,} pages were looked at, "
                "evenly chosen; --pages 0 looks at all."
            )
        step = self._changes.steps()[-1]
        if (changed := sum(step.categories.values())) > step.read:
            told.append(
                f"Noise on every changed page: {step.read:,} of {changed:,} were read; of the others fingerprints "
                "tell, which cannot tell noise from small edits; --pages 0 reads all."
            )
        if self._archive.catalog.fingerprints.is_outdated:
            told.append(
                "How much changes of pages matter that were not read: the catalog is of an earlier version of webkeep "
                "and lacks fingerprints; webkeep rebuild makes them."
            )
        if not subject.is_finished:
            told.append("What is complete: the capture has not finished; figures are of what there is so far.")
        return told


def _colour_of(change: SeriesChange | None, category: ChangeCategory | None) -> RevisitColour:
    """By how much a change matters, where that is told."""
    if category is not None:
        return _COLOUR_BY_CATEGORY.get(category, RevisitColour.YELLOW)
    return _COLOUR_BY_CHANGE.get(change, RevisitColour.GREEN) if change is not None else RevisitColour.GREEN


_COLOUR_BY_CATEGORY = {
    ChangeCategory.STRUCTURAL: RevisitColour.RED,
    ChangeCategory.INSIGNIFICANT: RevisitColour.GREEN,
    ChangeCategory.UNCHANGED: RevisitColour.GREEN,
}
_COLOUR_BY_CHANGE = {
    SeriesChange.SAME: RevisitColour.GREEN,
    SeriesChange.UNKNOWN: RevisitColour.GREEN,
    SeriesChange.CHANGED: RevisitColour.YELLOW,
    SeriesChange.DELETED: RevisitColour.BLACK,
    SeriesChange.NEW: RevisitColour.BLUE,
}
