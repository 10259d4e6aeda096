"""A report as a page for people, one file that opens offline: what is said in which order, and the pictures, each with
the table behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from webkeep.presentation import format_count, format_date, format_moment
from webkeep.presentation.drawings import read_canvas_script, read_slider_script
from webkeep.presentation.pages import Markup, element, render_facts, stream_report
from webkeep.quality.fidelity import render_fidelity_section
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.change_section import render_change_section
from webkeep.quality.report.coherence_section import render_coherence_section
from webkeep.quality.report.completeness_section import render_completeness_section
from webkeep.quality.report.damage_section import render_damage_section
from webkeep.quality.report.key_figures import KeyFigure
from webkeep.quality.report.next_capture import NextCapture
from webkeep.quality.report.next_section import render_next_section
from webkeep.quality.report.picture_section import render_picture_section
from webkeep.quality.report.report_verdict import ReportVerdict
from webkeep.quality.report.storage_section import render_storage_section

REPORT_NAME = "report.html"
"""Of the page among the reports of an archive, where `webkeep serve` looks for it."""
_MAX_SEEDS = 5
"""Seeds that are named at the beginning."""


def _render_fidelity(report: ArchiveReport) -> Iterator[object]:
    if report.fidelity is not None:
        yield from render_fidelity_section(report.fidelity, report.damage.pages)


_FIDELITY = "fidelity"
_SECTIONS = (
    ("completeness", "What is there, and what is missing", render_completeness_section),
    ("damage", "What pages lost", render_damage_section),
    (_FIDELITY, "How replay shows it", _render_fidelity),
    ("changes", "What changed", render_change_section),
    ("pictures", "Where it changed", render_picture_section),
    ("coherence", "Coherence and blur", render_coherence_section),
    ("storage", "What it takes", render_storage_section),
)


def render_report_page(
    report: ArchiveReport, verdict: ReportVerdict, proposal: NextCapture | None = None
) -> Iterator[bytes]:
    """The page, piece by piece."""
    script = read_canvas_script() + (read_slider_script() if report.fidelity is not None else "")
    return stream_report(f"Report on {report.archive}", _render_pieces(report, verdict, proposal), script)


def _render_pieces(report: ArchiveReport, verdict: ReportVerdict, proposal: NextCapture | None) -> Iterator[object]:
    yield element("h1", f"What the archive “{report.archive}” is worth")
    yield element("p", verdict.sentence, class_=f"headline {verdict.grade}")
    yield _render_key_figures(verdict.figures)
    yield render_facts(_report_facts(report))
    sections = [each for each in _SECTIONS if each[0] != _FIDELITY or report.fidelity is not None]
    if report.series.subject is not None:
        yield element(
            "nav", [element("a", title, href=f"#{name}") for name, title, _ in sections], aria_label="Sections"
        )
    if report.not_computed:
        yield (
            element("h2", "What could not be computed"),
            element("ul", [element("li", each) for each in report.not_computed]),
        )
    if proposal is not None:
        yield element("h2", "What to do next", id="next")
        yield from render_next_section(proposal)
    if report.series.subject is not None:
        for name, title, render in sections:
            yield element("h2", title, id=name)
            yield from render(report)
    yield _render_footer(report)


def _render_key_figures(figures: Sequence[KeyFigure]) -> object:
    if not figures:
        return None
    return element("ul", [element("li", _render_key_figure(each)) for each in figures], class_="key-figures")


def _render_key_figure(figure: KeyFigure) -> Iterable[object]:
    yield element("b", figure.words, class_="unknown" if figure.value is None else None)
    yield element("details", element("summary", figure.name), element("p", figure.definition))
    if figure.before:
        yield element("small", f"before: {figure.before}")


def _report_facts(report: ArchiveReport) -> Iterator[tuple[str, object]]:
    subject = report.series.subject
    yield "archive", report.archive
    if subject is None:
        return
    seeds = subject.seeds
    more = f" and {len(seeds) - _MAX_SEEDS:,} more" if len(seeds) > _MAX_SEEDS else ""
    yield "capture", f"{subject.id or 'records of no capture'} ({subject.kind})"
    yield "of", ", ".join(seeds[:_MAX_SEEDS]) + more
    yield "seen", f"{format_moment(subject.first)} to {format_moment(subject.last)} UTC"
    first = report.series.captures[0]
    if first is not subject:
        yield "series", f"{format_count(len(report.series.captures), 'capture')} since {format_date(first.first)}"
    yield "other seeds in this archive", ", ".join(report.series.other_seeds)
    yield "report made", f"{format_moment(report.made)} UTC"


def _render_footer(report: ArchiveReport) -> Markup:
    subject = report.series.subject
    words = f"webkeep report ARCHIVE --capture {subject.id}" if subject and subject.id else "webkeep report ARCHIVE"
    return element("footer", element("p", "To make it again: ", element("code", words)))
