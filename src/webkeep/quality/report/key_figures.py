"""The few numbers of a report that people quote: how each is measured, how it is written, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from webkeep.presentation import format_duration, format_share, format_size
from webkeep.quality.report.archive_report import ArchiveReport

Measure = Callable[[ArchiveReport], float | None]
"""Reads a number out of a report; None where it is not known."""


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number that people quote."""

    key: str
    """Its name in JSON."""
    name: str
    value: float | None
    words: str
    """The value as people read it."""
    before: str
    """The same of the capture before; "" where there is none."""
    definition: str


@dataclass(frozen=True, slots=True)
class _FigureDefinition:
    key: str
    name: str
    measure: Measure
    write: Callable[[float], str]
    definition: str
    before: Measure | None = None
    """The same of the capture before, where it is known of that."""
    note: Callable[[ArchiveReport], str] | None = None
    """What the definition has to say of this report."""
    is_measured: Callable[[ArchiveReport], bool] = lambda _: True
    """Whether a report has it at all."""
    unknown: str = "unknown"
    """What stands in its place where it is not known."""

    def read(self, report: ArchiveReport) -> KeyFigure:
        value, before = self.measure(report), self.before(report) if self.before else None
        return KeyFigure(
            self.key,
            self.name,
            value,
            self.unknown if value is None else self.write(value),
            "" if before is None else self.write(before),
            " ".join(filter(None, (self.definition, self.note(report) if self.note else ""))),
        )


def read_key_figures(report: ArchiveReport) -> Iterator[KeyFigure]:
    """The numbers of a report."""
    return (each.read(report) for each in _FIGURES if each.is_measured(report))


def _write_count(value: float) -> str:
    return f"{value:,.0f}"


def _write_figure(value: float) -> str:
    return f"{value:.3g}"


def _completeness_before(report: ArchiveReport) -> float | None:
    return report.completeness_before.share if report.completeness_before else None


def _missing_before(report: ArchiveReport) -> float | None:
    return report.completeness_before.missing if report.completeness_before else None


def _count_gone(report: ArchiveReport) -> str:
    gone = report.completeness.gone
    return (
        f"Not among them: {gone:,} that are not there by the word of their server (404, 410), broken links of the site "
        "itself."
    )


def _count_unknown(report: ArchiveReport) -> str:
    pseudo = report.coherence.pseudo
    if pseudo is None or not pseudo.unknown:
        return ""
    return f"{pseudo.judged:,} of {pseudo.compared:,} could be; the others could not be seen again, or nobody looked."


def _coherence_before(report: ArchiveReport) -> float | None:
    return report.coherence_before.certified_share if report.coherence_before else None


def _damage_before(report: ArchiveReport) -> float | None:
    return report.damage_before.mean if report.damage_before else None


def _placeholders_before(report: ArchiveReport) -> float | None:
    return len(report.damage_before.placeholders) if report.damage_before else None


def _blur(report: ArchiveReport) -> float | None:
    certified = report.coherence.certified_blur
    return report.rates.blur if certified is None else certified


def _blur_before(report: ArchiveReport) -> float | None:
    """By the same rates as that of the capture: two certificates, or the rates of the series."""
    if report.coherence.certified_blur is None:
        return report.rates.blur_before
    return report.coherence_before.certified_blur if report.coherence_before else None


def _unchanged_share(report: ArchiveReport) -> float | None:
    return report.coherence.pseudo.coherence if report.coherence.pseudo else None


def _matters_share(report: ArchiveReport) -> float | None:
    return report.coherence.pseudo.change_that_matters if report.coherence.pseudo else None


def _unchanged_before(report: ArchiveReport) -> float | None:
    before = report.coherence_before.pseudo if report.coherence_before else None
    return before.coherence if before else None


def _matters_before(report: ArchiveReport) -> float | None:
    before = report.coherence_before.pseudo if report.coherence_before else None
    return before.change_that_matters if before else None


def _span_seconds(report: ArchiveReport) -> float:
    subject = report.series.captures[-1]
    return subject.last.seconds_since(subject.first)


def _span_before(report: ArchiveReport) -> float | None:
    if len(report.series.captures) < 2:
        return None
    before = report.series.captures[-2]
    return before.last.seconds_since(before.first)


def _disk_bytes(report: ArchiveReport) -> float:
    return report.storage.growth[-1].disk_bytes if report.storage.growth else 0


def _disk_bytes_before(report: ArchiveReport) -> float | None:
    return report.storage.growth[-2].disk_bytes if len(report.storage.growth) > 1 else None


_FIGURES = (
    _FigureDefinition(
        "completeness",
        "complete",
        lambda report: report.completeness.share,
        format_share,
        "The share of wanted URLs that is held. Wanted are those that were asked for, and those left out by a trap or "
        "a limit, but for those that are not there by the word of their server (404, 410), which no capture can hold; "
        "held are those whose server answered with them or with where they are. What robots.txt, the scope or a "
        "takedown shut out is not counted, nor what was left out as another spelling (session id, order of parameters) "
        "of an address that was asked for, or as a wrong guess.",
        before=_completeness_before,
    ),
    _FigureDefinition(
        "missing",
        "missing",
        lambda report: report.completeness.missing,
        _write_count,
        "Wanted URLs that are not held: no answer, an error status, or left out by a trap or a limit.",
        before=_missing_before,
        note=_count_gone,
    ),
    _FigureDefinition(
        "damage",
        "damage",
        lambda report: report.damage.mean,
        format_share,
        "What pages lost with their missing parts, on average over those looked at: 0% for nothing, 100% for all. "
        "Every part weighs what it matters to a reader: pictures, frames and films by their size and place, style "
        "sheets by what they would have styled, fonts by their text, scripts by what they would have filled.",
        before=_damage_before,
    ),
    _FigureDefinition(
        "placeholders",
        "walls and errors",
        lambda report: len(report.damage.placeholders),
        _write_count,
        "Of the pages looked at, those that show something else in place of the page: a login form, a wall against "
        "robots, a page that asks for consent, an error sent as a page (soft 404), a parked domain.",
        before=_placeholders_before,
    ),
    _FigureDefinition(
        "fidelity",
        "true in replay",
        lambda report: report.fidelity.share if report.fidelity is not None else None,
        format_share,
        "Of the pages opened in a browser, in replay and live or against the picture kept at capture, the share that "
        "replay shows as they were, by picture (structural similarity) and visible text. Pages that changed since or "
        "could not be compared are not counted; what varies by itself, and boxes that lie over pages, are left out.",
        is_measured=lambda report: report.fidelity is not None,
    ),
    _FigureDefinition(
        "coherence",
        "coherent",
        lambda report: report.coherence.certified_share,
        format_share,
        "The share of resources that were the same at a second look within the capture, by digest or by their server's "
        "word, among those looked at twice. Where there is a certificate, it is the certificate's figure.",
        before=_coherence_before,
        unknown="not checked",
    ),
    _FigureDefinition(
        "unchanged",
        "unchanged since",
        _unchanged_share,
        format_share,
        "Two consecutive captures judged as visit and revisit: the share of what the capture before held that this one "
        "found the same, by digest, among all that could be compared. What is gone counts as not the same.",
        before=_unchanged_before,
        note=_count_unknown,
    ),
    _FigureDefinition(
        "changed",
        "changed in what matters",
        _matters_share,
        format_share,
        "Of the same, the share that is gone or differs in more than noise (dates, counters, tokens, advertisements, "
        "orderings, markup that nobody sees), by the verdicts of webkeep diff; where versions were not read, by what "
        "is kept of them.",
        before=_matters_before,
    ),
    _FigureDefinition(
        "blur",
        "blur",
        _blur,
        _write_figure,
        "How many changes are to be expected, on average, between what is held of a resource and what there was at a "
        "moment of the capture, by the change rates that the series shows. Where a certificate is kept, it is the "
        "certificate's figure, by the rates that were known when it was made.",
        before=_blur_before,
    ),
    _FigureDefinition(
        "span_seconds",
        "seen within",
        _span_seconds,
        format_duration,
        "From the first to the last look of the capture.",
        before=_span_before,
    ),
    _FigureDefinition(
        "disk_bytes",
        "on disk",
        _disk_bytes,
        format_size,
        "Bytes of the records of this capture in WARC files, compressed as they lie there.",
        before=_disk_bytes_before,
    ),
)
