"""What a report says first: one sentence, a grade, and the few numbers that people quote, each with its definition."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.presentation import format_count, format_date, format_share
from webkeep.quality.report.archive_report import NOTHING_CAPTURED, ArchiveReport
from webkeep.quality.report.coherence_figures import PseudoRevisits
from webkeep.quality.report.completeness import CompletenessFigures
from webkeep.quality.report.key_figures import KeyFigure, read_key_figures

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
    ReportGrade.POOR: "It should be made again",
    ReportGrade.UNKNOWN: "What it is worth cannot be told",
}


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """The report in one sentence, and the numbers behind it."""

    grade: ReportGrade
    sentence: str
    figures: tuple[KeyFigure, ...]


def judge_report(report: ArchiveReport) -> ReportVerdict:
    """What a report comes to."""
    if report.series.subject is None:
        is_empty = NOTHING_CAPTURED in report.not_computed
        why = "Nothing has been captured yet" if is_empty else "What was captured is in other archives"
        return ReportVerdict(ReportGrade.UNKNOWN, f"{why}, so there is nothing to judge.", ())
    grade = _grade(report)
    return ReportVerdict(grade, _sentence(report, grade), tuple(read_key_figures(report)))


def _grade(report: ArchiveReport) -> ReportGrade:
    complete = report.completeness.share
    if complete is None:
        return ReportGrade.UNKNOWN
    damage = report.damage.mean or 0.0
    if complete < _FAIR_COMPLETENESS or damage > _FAIR_DAMAGE:
        return ReportGrade.POOR
    return ReportGrade.FAIR if any(_reservations(report)) else ReportGrade.GOOD


def _reservations(report: ArchiveReport) -> Iterator[str]:
    """What is to be said against a capture that can be used."""
    whole, damage, shown = report.completeness, report.damage, report.fidelity
    has_gaps = (whole.share or 0.0) < _GOOD_COMPLETENESS or (damage.mean or 0.0) > _GOOD_DAMAGE
    if has_gaps or damage.placeholders:
        yield "with the gaps named here"
    if shown is not None and shown.sound < shown.judged:
        yield "with pages that look different in replay"
    coherence = report.coherence.certified_share
    if coherence is not None and coherence < _GOOD_COHERENCE:
        yield "though not all of it was there at one moment"


def _sentence(report: ArchiveReport, grade: ReportGrade) -> str:
    subject = report.series.captures[-1]
    whole = report.completeness
    name = f"Capture {subject.id[:8]}" if subject.id else "What belongs to no capture"
    wanted = format_count(whole.existing, "wanted URL")
    why = f"; {_name_main_cause(whole)}" if not whole.held and whole.missing else ""
    told = [f"holds {whole.held:,} of {wanted} ({format_share(whole.share or 0.0)}{why})"]
    if whole.gone:
        others = "one other is" if whole.gone == 1 else f"{whole.gone:,} others are"
        told.append(f"{others} not there, by the word of the server")
    if report.damage.mean:
        told.append(f"its pages lost {format_share(report.damage.mean)} of what they show, on average")
    if report.fidelity is not None and report.fidelity.judged:
        told.append(
            f"replay shows {report.fidelity.sound:,} of {format_count(report.fidelity.judged, 'page')} looked at in a "
            "browser as they were"
        )
    coherence = report.coherence.certified_share
    if coherence is not None:
        varied = report.coherence.varied
        others = f", and {varied:,} of the others differ in nothing that matters" if varied else ""
        told.append(f"{format_share(coherence)} of what it looked at twice stayed the same meanwhile{others}")
    if report.coherence.pseudo is not None:
        told += _compare_with_before(report.coherence.pseudo)
    return f"{name} of {format_date(subject.first)} {'; '.join(told)}. {_grade_words(report, grade)}."


def _name_main_cause(whole: CompletenessFigures) -> str:
    """Why most of what is missing is."""
    rows = (whole.by or {}).get("cause", ())
    return f"cause: {rows[0].value}" if rows else "cause unknown"


def _compare_with_before(pseudo: PseudoRevisits) -> Iterator[str]:
    """How much is as the capture before held it, of what could be compared."""
    held = f"the {format_count(pseudo.compared, 'resource')} that the capture before held"
    if pseudo.coherence is None:
        if pseudo.unknown:
            yield f"none of {held} could be compared with what is there now"
        return
    if pseudo.unknown:
        yield f"{pseudo.unknown:,} of {held} could not be seen again or compared"
    whole = "what the capture before held" if not pseudo.unknown else "the others"
    noise = f", {format_share(pseudo.insignificant / pseudo.judged)} differs in nothing that matters"
    yield f"{format_share(pseudo.coherence)} of {whole} is unchanged{noise if pseudo.insignificant else ''}"


def _grade_words(report: ArchiveReport, grade: ReportGrade) -> str:
    """What a grade means for a reader; of a good one also what it does not say."""
    if grade is ReportGrade.FAIR:
        return f"It can be used, {', '.join(_reservations(report))}"
    if grade is not ReportGrade.GOOD:
        return _GRADE_WORDS[grade]
    is_whole = report.completeness.share == 1 and not report.damage.mean
    held = "Nothing that was wanted is missing" if is_whole else "Little that was wanted is missing"
    is_looked_at_twice = report.coherence.certified_share is not None
    return held if is_looked_at_twice else f"{held}; whether all of it was there at one moment was not looked at"
