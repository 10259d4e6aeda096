"""The section of a report on coherence and blur: what second visits found, the certificate, pseudo-revisits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.presentation import format_count, format_instant, format_moment, format_share
from webkeep.presentation.pages import Markup, element, render_facts, render_table
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.coherence_figures import CertifiedFigures, PseudoRevisits
from webkeep.quality.report.incoherent_pages import IncoherentUrl, LineChange
from webkeep.quality.report.report_parts import render_folded, share_cell, shorten_url


def render_coherence_section(report: ArchiveReport) -> Iterator[object]:
    """What is known of the capture in time."""
    figures = report.coherence
    if figures.certificate is not None:
        kept = figures.certificate.is_kept
        yield element("h3", "By the certificate that is kept" if kept else "By a certificate derived for this report")
        yield render_facts(_certificate_facts(figures.certificate))
        if not kept:
            yield element("p", "None is kept in the archive: ", element("code", "webkeep certify"), " makes it one.")
    yield element("h3", "Second looks within the capture")
    if figures.revisited:
        yield element(
            "p",
            f"{figures.coherent:,} of {figures.revisited:,} resources that were looked at twice were the same both "
            f"times ({share_cell(figures.coherent, figures.revisited)})."
            + (f" {format_count(figures.varied, 'other')} differed in nothing that matters." if figures.varied else ""),
        )
    else:
        yield element("p", "The capture looked at nothing twice, so that it cannot vouch for any stretch of time. ",
                      element("code", "webkeep capture --for evidence"), " makes one that can.")  # fmt: skip
    if figures.incoherent:
        head = ("URL", "what became of it", "how much it matters", "first look", "last look")
        table = render_table(head, map(_incoherent_row, figures.incoherent), class_="list")
        yield render_folded(f"Incoherent resources ({len(figures.incoherent):,} listed)", table)
        yield from _render_differences(figures.incoherent)
    if figures.pseudo is not None:
        yield element("h3", "This capture and the one before it as visit and revisit")
        yield render_facts(_pseudo_facts(figures.pseudo))
    blur = report.rates.blur
    if blur is not None:
        certified = (
            " The certificate's figure is another one, as it goes by the rates that were known when it was made."
            if figures.certified_blur is not None
            else ""
        )
        yield element(
            "p",
            f"Blur by the rates that the series shows by now: {blur:.3g} changes are to be expected, on average over "
            f"{report.rates.blur_resources:,} resources, between what is held and what there was at a moment of the "
            f"capture.{certified}",
        )


def _incoherent_row(found: IncoherentUrl) -> tuple[str, ...]:
    matters = f"{found.category}" if found.category is not None else found.evidence
    moments = format_instant(found.visited), format_instant(found.revisited)
    return shorten_url(found.url), str(found.change), matters, *moments


def _render_differences(incoherent: Sequence[IncoherentUrl]) -> Iterator[Markup]:
    """What differed on each page whose versions were compared, the lines side by side."""
    compared = [each for each in incoherent if each.category is not None]
    if not compared:
        return
    yield element("h3", "What differed between the first and the last look")
    for found in compared:
        pieces: list[object] = [element("p", found.evidence)]
        if found.lines:
            pieces += render_table(("first look", "last look"), map(_line_row, found.lines), class_="sides")
        if found.further_lines:
            pieces.append(element("p", f"{found.further_lines:,} further lines differ; webkeep diff shows all."))
        yield render_folded(shorten_url(found.url), *pieces)


def _line_row(line: LineChange) -> Markup:
    gone, come = "gone" if line.before else None, "come" if line.after else None
    return element("tr", element("td", line.before, class_=gone), element("td", line.after, class_=come))


def _certificate_facts(kept: CertifiedFigures) -> Iterator[tuple[str, object]]:
    yield "strategy", kept.strategy
    yield "resources", f"{kept.resources:,}"
    if kept.judged:
        yield "coherent", f"{kept.coherent:,} of {kept.judged:,} judged ({share_cell(kept.coherent, kept.judged)})"
    else:
        yield "coherent", "nothing was looked at twice, so that nothing can be judged"
    if kept.expected_coherent is not None:
        yield (
            "expected",
            f"{kept.expected_coherent:,.1f} of {kept.rated:,} with a known rate; {kept.rated_coherent:,} were",
        )
    if kept.blur is not None:
        yield "blur", f"{kept.blur:.3g} changes to be expected, by the rates known when it was made"
    if kept.judged and kept.together > 1 and kept.together_from is not None:
        yield (
            "stood together",
            f"{kept.together:,} resources, as they are held, at {format_moment(kept.together_from)} UTC",
        )


def _pseudo_facts(pseudo: PseudoRevisits) -> Iterator[tuple[str, object]]:
    yield "capture before", pseudo.before
    yield "compared", f"{pseudo.compared:,}"
    share = f" ({format_share(pseudo.coherence)})" if pseudo.coherence is not None else ""
    yield "unchanged", f"{pseudo.unchanged:,}{share}"
    noise = f", {pseudo.insignificant:,} of them in nothing that matters" if pseudo.insignificant else ""
    yield "changed", f"{pseudo.changed:,}{noise}"
    yield "deleted", f"{pseudo.deleted:,}"
    yield "unknown", f"{pseudo.unknown:,}"
    if pseudo.expected_unchanged is not None:
        yield (
            "expected unchanged",
            f"{pseudo.expected_unchanged:,.1f} of {pseudo.predicted:,} by their rates; "
            f"{pseudo.observed_unchanged:,} were",
        )
