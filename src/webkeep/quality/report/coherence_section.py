"""The section of a report on coherence and blur: what second visits found, the certificate, pseudo-revisits."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.presentation import format_instant, format_moment
from webkeep.presentation.pages import element, render_facts, render_table
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.coherence_figures import CertifiedFigures, PseudoRevisits
from webkeep.quality.report.report_parts import render_folded, share_cell, shorten_url


def render_coherence_section(report: ArchiveReport) -> Iterator[object]:
    """What is known of the capture in time."""
    figures = report.coherence
    if figures.certificate is not None:
        yield element("h3", "By the certificate that is kept")
        yield render_facts(_certificate_facts(figures.certificate))
    yield element("h3", "Second looks within the capture")
    if figures.revisited:
        yield element(
            "p",
            f"{figures.coherent:,} of {figures.revisited:,} resources that were looked at twice were the same both "
            f"times ({share_cell(figures.coherent, figures.revisited)}).",
        )
    else:
        yield element("p", "The capture looked at nothing twice, so that it cannot vouch for any stretch of time. ",
                      element("code", "webkeep capture --for evidence"), " makes one that can.")  # fmt: skip
    if figures.incoherent:
        lines = (
            (shorten_url(each.url), str(each.change), format_instant(each.visited), format_instant(each.revisited))
            for each in figures.incoherent
        )
        table = render_table(("URL", "what became of it", "first look", "last look"), lines, class_="list")
        yield render_folded(f"Incoherent resources ({len(figures.incoherent):,} listed)", table)
    if figures.pseudo is not None:
        yield element("h3", "This capture and the one before it as visit and revisit")
        yield render_facts(_pseudo_facts(figures.pseudo))
    blur = report.rates.blur
    if blur is not None:
        yield element(
            "p",
            f"Blur: {blur:.3g} changes are to be expected, on average over {report.rates.blur_resources:,} resources, "
            "between what is held and what there was at a moment of the capture.",
        )


def _certificate_facts(kept: CertifiedFigures) -> Iterator[tuple[str, object]]:
    yield "strategy", kept.strategy
    yield "resources", f"{kept.resources:,}"
    yield "coherent", f"{kept.coherent:,} of {kept.judged:,} judged ({share_cell(kept.coherent, kept.judged)})"
    if kept.expected_coherent is not None:
        yield (
            "expected",
            f"{kept.expected_coherent:,.1f} of {kept.rated:,} with a known rate; {kept.rated_coherent:,} were",
        )
    yield "blur", "" if kept.blur is None else f"{kept.blur:.3g}"
    since = f" on {format_moment(kept.together_from)}" if kept.together_from else ""
    yield "stood together", f"{kept.together:,}{since}"


def _pseudo_facts(pseudo: PseudoRevisits) -> Iterator[tuple[str, object]]:
    yield "capture before", pseudo.before
    yield "compared", f"{pseudo.compared:,}"
    yield "unchanged", f"{pseudo.unchanged:,} ({share_cell(pseudo.unchanged, pseudo.compared - pseudo.unknown)})"
    yield "changed", f"{pseudo.changed:,}"
    yield "deleted", f"{pseudo.deleted:,}"
    yield "unknown", f"{pseudo.unknown:,}"
    if pseudo.expected_unchanged is not None:
        yield (
            "expected unchanged",
            f"{pseudo.expected_unchanged:,.1f} of {pseudo.predicted:,} by their rates; "
            f"{pseudo.observed_unchanged:,} were",
        )
