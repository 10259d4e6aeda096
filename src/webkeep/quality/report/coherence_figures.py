"""Coherence of a capture as a report tells it: what second visits found, what the certificate says, kept or derived
here, and two consecutive captures judged as visit and revisit (pseudo-revisits), expected and observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.coherence.certificates import CertificateSummary
from webkeep.errors import WebkeepError
from webkeep.model import Moment, VisitKind
from webkeep.quality.certificates import derive_certificate, read_certificate_summary
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.quality.report.incoherent_pages import IncoherentLooks, IncoherentUrl, compare_incoherent
from webkeep.quality.report.rate_figures import RateFigures
from webkeep.quality.report.url_course import SeriesChange, UrlCourse, compare_looks, is_there
from webkeep.store.archive import Archive

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
        judged = self.compared - self.unknown
        return self.unchanged / judged if judged else None


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
    def share(self) -> float | None:
        """The share of coherent ones among those looked at twice."""
        return self.coherent / self.revisited if self.revisited else None

    @property
    def certified_share(self) -> float | None:
        """The same by the certificate where there is one that judged anything, else by what second visits found."""
        certificate = self.certificate
        return certificate.coherent / certificate.judged if certificate and certificate.judged else self.share


class CoherenceSurvey:
    """Holds the second looks of a capture against the first, one URL at a time."""

    def __init__(self, series: CaptureSeries) -> None:
        self._number = series.subject.number if series.subject else None
        self._revisited = self._coherent = 0
        self._incoherent: list[IncoherentLooks] = []

    def add(self, course: UrlCourse) -> SeriesChange | None:
        """Take in a URL; what became of it within the capture, None where it was looked at once."""
        mine = [each for each in course.looks if each.capture == self._number]
        if len(mine) < 2 or mine[-1].visit != VisitKind.REVISIT or not is_there(mine[0]):
            return None
        change = compare_looks(mine[0], mine[-1]) if is_there(mine[-1]) else SeriesChange.DELETED
        if change is SeriesChange.UNKNOWN:
            return change
        self._revisited += 1
        self._coherent += change is SeriesChange.SAME
        if change is not SeriesChange.SAME and len(self._incoherent) < _MAX_INCOHERENT_URLS:
            found = IncoherentUrl(course.url, change, Moment(mine[0].micros), Moment(mine[-1].micros))
            self._incoherent.append((found, mine[0].place, mine[-1].place))
        return change

    def figures(
        self, archive: Archive, series: CaptureSeries, changes: Mapping[SeriesChange, int], rates: RateFigures
    ) -> CoherenceFigures:
        """What all of it comes to; `changes` are those of the last capture against the one before it."""
        subject = series.subject
        return CoherenceFigures(
            self._revisited,
            self._coherent,
            compare_incoherent(archive, self._incoherent),
            _read_certified_figures(archive, subject.id) if subject and subject.id else None,
            _pseudo_revisits(series, changes, rates) if len(series.captures) > 1 else None,
        )


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


def _pseudo_revisits(series: CaptureSeries, changes: Mapping[SeriesChange, int], rates: RateFigures) -> PseudoRevisits:
    same, changed, deleted, unknown = (
        changes.get(each, 0)
        for each in (SeriesChange.SAME, SeriesChange.CHANGED, SeriesChange.DELETED, SeriesChange.UNKNOWN)
    )
    return PseudoRevisits(
        series.captures[-2].id,
        same + changed + deleted + unknown,
        same,
        changed,
        deleted,
        unknown,
        rates.predicted - rates.expected_changes if rates.predicted else None,
        rates.predicted,
        rates.predicted - rates.observed_changes,
    )
