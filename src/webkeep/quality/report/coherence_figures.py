"""Coherence of a capture as a report tells it: what second visits found, what the certificate says, kept or derived
here, and two consecutive captures judged as visit and revisit (pseudo-revisits), expected and observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.detection import ChangeCategory
from webkeep.coherence.certificates import CertificateSummary
from webkeep.errors import WebkeepError
from webkeep.model import Moment, VisitKind
from webkeep.quality.certificates import derive_certificate, read_certificate_summary
from webkeep.quality.changes import ChangeJudge
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.quality.report.incoherent_pages import IncoherentLooks, IncoherentUrl, compare_incoherent
from webkeep.quality.report.rate_figures import RateFigures
from webkeep.quality.report.series_changes import LINKS, SeriesStep, add_changes
from webkeep.quality.report.url_course import SeriesChange, SeriesComparison, UrlCourse, compare_looks, is_there
from webkeep.store.archive import Archive
from webkeep.store.views import UrlLook

_MAX_INCOHERENT_URLS = 200
"""Incoherent URLs that are listed by name; `webkeep certify` has all."""
_MAX_DERIVED_ENTRIES = 30_000
"""Of the index of an archive whose report derives a certificate that is not kept: all records are read for it."""


@dataclass(frozen=True, slots=True)
class CertifiedFigures:
    """What the certificate of a capture says."""

    is_kept: bool
    """Whether it is kept in the archive; else it was derived for the report."""
    resources: int
    judged: int
    coherent: int
    expected_coherent: float | None
    """Of those with a known rate."""
    rated: int
    rated_coherent: int
    blur: float | None
    together: int
    """Resources that stood on the site at one moment, as they are held."""
    together_from: Moment | None
    strategy: str


@dataclass(frozen=True, slots=True)
class PseudoRevisits:
    """Two consecutive captures as visit and revisit."""

    before: str
    compared: int
    unchanged: int
    changed: int
    insignificant: int
    """Of these, those that differ in nothing that matters, as far as that is told."""
    deleted: int
    unknown: int
    expected_unchanged: float | None
    """Of those whose history lets it be expected, by their rates; None where there are none."""
    predicted: int
    observed_unchanged: int
    """Of the same."""

    @property
    def coherence(self) -> float | None:
        """The share that was the same in both."""
        return self.unchanged / self.judged if self.judged else None

    @property
    def judged(self) -> int:
        """Those of which it can be told what became of them."""
        return self.compared - self.unknown

    @property
    def change_that_matters(self) -> float | None:
        """The share that is gone or changed in what matters."""
        return (self.changed - self.insignificant + self.deleted) / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class CoherenceFigures:
    """What is known of a capture in time."""

    revisited: int = 0
    """URLs that the capture itself looked at twice."""
    coherent: int = 0
    incoherent: tuple[IncoherentUrl, ...] = ()
    certificate: CertifiedFigures | None = None
    pseudo: PseudoRevisits | None = None

    @property
    def varied(self) -> int:
        """Of the incoherent ones that are listed, those that differ in nothing that matters."""
        return sum(each.category is ChangeCategory.INSIGNIFICANT for each in self.incoherent)

    @property
    def share(self) -> float | None:
        """The share of coherent ones among those looked at twice."""
        return self.coherent / self.revisited if self.revisited else None

    @property
    def certified_share(self) -> float | None:
        """The same by the certificate where there is one that judged anything, else by what second visits found."""
        certificate = self.certificate
        return certificate.coherent / certificate.judged if certificate and certificate.judged else self.share

    @property
    def certified_blur(self) -> float | None:
        """That of the certificate that is kept, by the rates that were known when it was made."""
        return self.certificate.blur if self.certificate is not None and self.certificate.is_kept else None


class CoherenceSurvey:
    """Holds the second looks of a capture against the first, one URL at a time; counts those of the capture before."""

    def __init__(self, comparison: SeriesComparison) -> None:
        self._comparison, series = comparison, comparison.series
        self._number = series.subject.number if series.subject else None
        self._number_before = series.captures[-2].number if len(series.captures) > 1 else None
        self._revisited = self._coherent = 0
        self._revisited_before = self._coherent_before = 0
        self._incoherent: list[IncoherentLooks] = []

    def add(self, course: UrlCourse) -> tuple[SeriesChange, ChangeCategory | None] | None:
        """Take in a URL; what became of it within the capture and how much that matters, as far as fingerprints tell;
        None where it was looked at once.
        """
        if self._number_before is not None:
            before = _find_two_looks(course, self._number_before)
            change_before = SeriesChange.UNKNOWN if before is None else _compare_two_looks(*before)
            self._revisited_before += change_before is not SeriesChange.UNKNOWN
            self._coherent_before += change_before is SeriesChange.SAME
        mine = _find_two_looks(course, self._number)
        if mine is None:
            return None
        change = _compare_two_looks(*mine)
        if change is SeriesChange.UNKNOWN:
            return change, None
        self._revisited += 1
        self._coherent += change is SeriesChange.SAME
        if change is not SeriesChange.SAME and len(self._incoherent) < _MAX_INCOHERENT_URLS:
            found = IncoherentUrl(course.url, change, Moment(mine[0].micros), Moment(mine[-1].micros))
            self._incoherent.append((found, mine[0].place, mine[-1].place))
        is_changed = change is SeriesChange.CHANGED
        return change, self._comparison.categorise_looks(mine[0], mine[-1]) if is_changed else None

    def figures(
        self, archive: Archive, judge: ChangeJudge, series: CaptureSeries, last: SeriesStep, rates: RateFigures
    ) -> CoherenceFigures:
        """What all of it comes to; `last` is the last capture against the one before it."""
        subject = series.subject
        return CoherenceFigures(
            self._revisited,
            self._coherent,
            compare_incoherent(archive, judge, self._incoherent),
            _read_certified_figures(archive, subject.id) if subject and subject.id else None,
            _pseudo_revisits(series.captures[-2].id, last, rates) if len(series.captures) > 1 else None,
        )

    def figures_before(
        self, archive: Archive, series: CaptureSeries, steps: Sequence[SeriesStep]
    ) -> CoherenceFigures | None:
        """The totals of the capture before, by the same rules; its certificate where one is kept."""
        if len(series.captures) < 2:
            return None
        before = series.captures[-2].id
        kept = read_certificate_summary(archive, before) if before else None
        return CoherenceFigures(
            self._revisited_before,
            self._coherent_before,
            certificate=None if kept is None else _certified_figures(kept, is_kept=True),
            pseudo=_pseudo_revisits(series.captures[-3].id, steps[-2]) if len(series.captures) > 2 else None,
        )


def _find_two_looks(course: UrlCourse, capture: int | None) -> tuple[UrlLook, UrlLook] | None:
    """The first look of a capture and its last, where that was a second one."""
    looks = [each for each in course.looks if each.capture == capture]
    if len(looks) < 2 or looks[-1].visit != VisitKind.REVISIT or not is_there(looks[0]):
        return None
    return looks[0], looks[-1]


def _compare_two_looks(first: UrlLook, last: UrlLook) -> SeriesChange:
    return compare_looks(first, last) if is_there(last) else SeriesChange.DELETED


def _read_certified_figures(archive: Archive, capture: str) -> CertifiedFigures | None:
    """Those of the certificate that is kept, or can be derived in seconds."""
    kept = read_certificate_summary(archive, capture)
    if kept is not None:
        return _certified_figures(kept, is_kept=True)
    if archive.count() > _MAX_DERIVED_ENTRIES:
        return None
    try:
        return _certified_figures(derive_certificate(archive, capture).summary, is_kept=False)
    except WebkeepError:
        return None  # what is wrong with its records is for `webkeep verify` to say


def _certified_figures(summary: CertificateSummary, is_kept: bool) -> CertifiedFigures:
    together = summary.coherent_set
    return CertifiedFigures(
        is_kept,
        summary.all.resources,
        summary.all.judged_count,
        summary.all.coherent_count,
        summary.all.expected_coherent,
        summary.all.rated,
        summary.all.rated_coherent,
        summary.all.expected_blur,
        together.resources if together else 0,
        together.start if together else None,
        summary.strategy,
    )


_NO_RATES = RateFigures()


def _pseudo_revisits(before: str, last: SeriesStep, rates: RateFigures = _NO_RATES) -> PseudoRevisits:
    changes = add_changes(*(counts for group, counts in last.counts.items() if group != LINKS))
    same, changed, deleted, unknown = (
        changes.get(each, 0)
        for each in (SeriesChange.SAME, SeriesChange.CHANGED, SeriesChange.DELETED, SeriesChange.UNKNOWN)
    )
    return PseudoRevisits(
        before,
        same + changed + deleted + unknown,
        same,
        changed,
        last.categories.get(ChangeCategory.INSIGNIFICANT, 0),
        deleted,
        unknown,
        rates.predicted - rates.expected_changes if rates.predicted else None,
        rates.predicted,
        rates.predicted - rates.observed_changes,
    )
