"""What a report says first: one sentence, a grade, and the few numbers that people quote, each with its definition."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.presentation import format_count, format_date, format_duration, format_share, format_size
from webkeep.quality.report.archive_report import ArchiveReport

_GOOD_COMPLETENESS, _FAIR_COMPLETENESS = 0.98, 0.85
"""Shares of wanted URLs that are held: below the first a reader meets gaps, below the second everywhere."""
_GOOD_DAMAGE, _FAIR_DAMAGE = 0.05, 0.3
"""Mean damage of pages: up to the first readers miss little, beyond the second they see other pages than there were."""
_GOOD_COHERENCE = 0.95
"""The share of resources that were the same at a second look, from which on a capture shows one state of the site."""


class ReportGrade(enum.StrEnum):
    """How far a capture can be trusted."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"


_GRADE_WORDS = {
    ReportGrade.FAIR: "It can be used, with the gaps named here",
    ReportGrade.POOR: "It should be made again",
    ReportGrade.UNKNOWN: "What it is worth cannot be told",
}


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
class ReportVerdict:
    """The report in one sentence, and the numbers behind it."""

    grade: ReportGrade
    sentence: str
    figures: tuple[KeyFigure, ...]


def judge_report(report: ArchiveReport) -> ReportVerdict:
    """What a report comes to."""
    if report.series.subject is None:
        return ReportVerdict(ReportGrade.UNKNOWN, "Nothing has been captured yet, so there is nothing to judge.", ())
    grade = _grade(report)
    return ReportVerdict(grade, _sentence(report, grade), tuple(_key_figures(report)))


def _grade(report: ArchiveReport) -> ReportGrade:
    complete = report.completeness.share
    if complete is None:
        return ReportGrade.UNKNOWN
    damage = report.damage.mean or 0.0
    if complete < _FAIR_COMPLETENESS or damage > _FAIR_DAMAGE:
        return ReportGrade.POOR
    coherence = _coherence_share(report)
    is_blurred = coherence is not None and coherence < _GOOD_COHERENCE
    has_gaps = complete < _GOOD_COMPLETENESS or damage > _GOOD_DAMAGE or bool(report.damage.placeholders)
    return ReportGrade.FAIR if has_gaps or is_blurred else ReportGrade.GOOD


def _coherence_share(report: ArchiveReport) -> float | None:
    """By the certificate where there is one, else by what second visits found."""
    kept = report.coherence.certificate
    if kept is not None and kept.judged:
        return kept.coherent / kept.judged
    return report.coherence.share


def _sentence(report: ArchiveReport, grade: ReportGrade) -> str:
    subject = report.series.captures[-1]
    whole = report.completeness
    name = f"Capture {subject.id[:8]}" if subject.id else "What belongs to no capture"
    wanted = format_count(whole.existing, "wanted URL")
    told = [f"holds {whole.held:,} of {wanted} ({format_share(whole.share or 0.0)})"]
    if whole.gone:
        others = "one other is" if whole.gone == 1 else f"{whole.gone:,} others are"
        told.append(f"{others} not there, by the word of the server")
    if report.damage.mean:
        told.append(f"its pages lost {format_share(report.damage.mean)} of what they show, on average")
    coherence = _coherence_share(report)
    if coherence is not None:
        told.append(f"{format_share(coherence)} of what it looked at twice stayed the same meanwhile")
    pseudo = report.coherence.pseudo
    if pseudo is not None and pseudo.coherence is not None:
        told.append(f"{format_share(pseudo.coherence)} of what the capture before held is unchanged")
    return f"{name} of {format_date(subject.first)} {'; '.join(told)}. {_grade_words(report, grade)}."


def _grade_words(report: ArchiveReport, grade: ReportGrade) -> str:
    """What a grade means for a reader; of a good one also what it does not say."""
    if grade is not ReportGrade.GOOD:
        return _GRADE_WORDS[grade]
    is_whole = report.completeness.share == 1 and not report.damage.mean
    held = "Nothing that was wanted is missing" if is_whole else "Little that was wanted is missing"
    is_looked_at_twice = _coherence_share(report) is not None
    return held if is_looked_at_twice else f"{held}; whether all of it was there at one moment was not looked at"


def _key_figures(report: ArchiveReport) -> Iterator[KeyFigure]:
    whole, before = report.completeness, report.completeness_before
    yield KeyFigure(
        "completeness",
        "complete",
        whole.share,
        _share_words(whole.share),
        _share_words(before.share) if before else "",
        "The share of wanted URLs that is held. Wanted are those that were asked for, and those left out by a trap or "
        "a limit, but for those that are not there by the word of their server (404, 410), which no capture can hold; "
        "held are those whose server answered with them or with where they are. What robots.txt, the scope or a "
        "takedown shut out is not counted.",
    )
    yield KeyFigure(
        "failed",
        "failed",
        whole.failed,
        f"{whole.failed:,}",
        f"{before.failed:,}" if before else "",
        f"Wanted URLs that are not held: no answer, an error status, or left out by a trap or a limit. Of "
        f"{whole.failed:,} here, {whole.gone:,} are not there by the word of their server (404, 410): broken links of "
        "the site itself.",
    )
    yield KeyFigure(
        "damage",
        "damage",
        report.damage.mean,
        _share_words(report.damage.mean),
        "",
        "What pages lost with their missing parts, on average over those looked at: 0% for nothing, 100% for all. "
        "Every part weighs what it matters to a reader: pictures, frames and films by their size and place, style "
        "sheets by what they would have styled, fonts by their text, scripts by what they would have filled.",
    )
    yield KeyFigure(
        "placeholders",
        "walls and errors",
        len(report.damage.placeholders),
        f"{len(report.damage.placeholders):,}",
        "",
        "Of the pages looked at, those that show something else in place of the page: a login form, a wall against "
        "robots, a page that asks for consent, an error sent as a page (soft 404), a parked domain.",
    )
    coherence = _coherence_share(report)
    yield KeyFigure(
        "coherence",
        "coherent",
        coherence,
        _share_words(coherence),
        "",
        "The share of resources that were the same at a second look within the capture, by digest or by their server's "
        "word, among those looked at twice. Where a certificate is kept, it is the certificate's figure.",
    )
    pseudo = report.coherence.pseudo
    yield KeyFigure(
        "unchanged",
        "unchanged since",
        pseudo.coherence if pseudo else None,
        _share_words(pseudo.coherence if pseudo else None),
        "",
        "Two consecutive captures judged as visit and revisit: the share of what the capture before held that this one "
        "found the same, by digest, among all that could be compared. What is gone counts as not the same.",
    )
    blur = report.rates.blur
    yield KeyFigure(
        "blur",
        "blur",
        blur,
        "unknown" if blur is None else f"{blur:.3g}",
        "",
        "How many changes are to be expected, on average, between what is held of a resource and what there was at a "
        "moment of the capture, by the change rates that the series shows.",
    )
    subject = report.series.captures[-1]
    span = subject.last.seconds_since(subject.first)
    yield KeyFigure(
        "span_seconds",
        "seen within",
        span,
        format_duration(span),
        "",
        "From the first to the last look of the capture.",
    )
    grown = report.storage.growth[-1].disk_bytes if report.storage.growth else 0
    earlier = report.storage.growth[-2].disk_bytes if len(report.storage.growth) > 1 else None
    yield KeyFigure(
        "disk_bytes",
        "on disk",
        grown,
        format_size(grown),
        "" if earlier is None else format_size(earlier),
        "Bytes of the records of this capture in WARC files, compressed as they lie there.",
    )


def _share_words(share: float | None) -> str:
    return "unknown" if share is None else format_share(share)
