"""Coherence of a capture as a report tells it: what second visits found, what the kept certificate says, and two
consecutive captures judged as visit and revisit (pseudo-revisits), expected and observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.coherence.certificates import CertificateSummary
from webkeep.model import Moment, VisitKind
from webkeep.quality.certificates import read_certificate_summary
from webkeep.quality.report.capture_series import CaptureSeries
from webkeep.quality.report.rate_figures import RateFigures
from webkeep.quality.report.url_course import SeriesChange, UrlCourse, compare_looks, is_there
from webkeep.store.archive import Archive

_MAX_INCOHERENT_URLS = 200
"""Incoherent URLs that are listed by name; `webkeep certify` has all."""


@dataclass(frozen=True, slots=True)
class IncoherentUrl:
    """A URL that was another, or gone, when the capture looked again."""

    url: str
    change: SeriesChange
    visited: Moment
    revisited: Moment


@dataclass(frozen=True, slots=True)
class CertifiedFigures:
    """What the kept certificate of a capture says."""

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


class CoherenceSurvey:
    """Holds the second looks of a capture against the first, one URL at a time."""

    def __init__(self, series: CaptureSeries) -> None:
        self._number = series.subject.number if series.subject else None
        self._revisited = self._coherent = 0
        self._incoherent: list[IncoherentUrl] = []

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
            self._incoherent.append(IncoherentUrl(course.url, change, Moment(mine[0].micros), Moment(mine[-1].micros)))
        return change

    def figures(
        self, archive: Archive, series: CaptureSeries, changes: Mapping[SeriesChange, int], rates: RateFigures
    ) -> CoherenceFigures:
        """What all of it comes to; `changes` are those of the last capture against the one before it."""
        subject = series.subject
        kept = read_certificate_summary(archive, subject.id) if subject and subject.id else None
        return CoherenceFigures(
            self._revisited,
            self._coherent,
            tuple(self._incoherent),
            _certified_figures(kept) if kept else None,
            _pseudo_revisits(series, changes, rates) if len(series.captures) > 1 else None,
        )


def _certified_figures(summary: CertificateSummary) -> CertifiedFigures:
    together = summary.coherent_set
    return CertifiedFigures(
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
