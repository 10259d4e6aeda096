"""The report of a recovery as an HTML page: its sections and tables, how many rows they list, and the sentences on what
is back, how complete that is and how parts of pages fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from webkeep.presentation import format_count, format_duration, format_moment, format_share, format_size
from webkeep.presentation.drawings import render_column_chart, render_figure
from webkeep.presentation.pages import Markup, element, render_facts, render_table, stream_report
from webkeep.recover.report.outcome import OutcomeLine, explain_miss
from webkeep.recover.report.reconstruction_diagram import render_reconstruction_diagram
from webkeep.recover.report.recovery_counts import RecoveryCounts
from webkeep.recover.report.site_comparison import SiteComparison
from webkeep.recover.report.site_difference import DifferenceVector
from webkeep.recover.run.embed_choice import FitCounts
from webkeep.recover.state.recovery_store import RepositoryStatus

_MAX_LISTED_ROWS = 1000
"""Rows of each list in the page; the summary has them all."""
_MAX_GAP_ROWS = 500
"""Of what is missing; the whole list is in the archive, and a browser shows this many at once."""
_DAY_SECONDS = 86_400
_LOSS_SCORE_NAMES = (
    ("s1", "changed, missing and added are equally bad"),
    ("s2", "what was added does not matter"),
    ("s3", "nor do changes of texts that stayed similar"),
    ("s4", "only what is missing matters"),
    ("s5", "only what is missing and known to be held nowhere"),
)


@dataclass(frozen=True, slots=True)
class RecoveryFindings:
    """All that a report tells of."""

    seeds: tuple[str, ...]
    capture: str
    counts: RecoveryCounts
    repositories: tuple[RepositoryStatus, ...]
    fit_counts: FitCounts
    at: str = ""
    """The wanted moment, if there was one."""
    comparison: SiteComparison | None = None


def render_report(findings: RecoveryFindings, lines: Callable[[], Iterable[OutcomeLine]]) -> Iterator[bytes]:
    """The page, piece by piece."""
    return stream_report(f"Recovery of {findings.seeds[0]}", _render_sections(findings, lines))


def _render_sections(findings: RecoveryFindings, lines: Callable[[], Iterable[OutcomeLine]]) -> Iterator[object]:
    counts = findings.counts
    yield element("h1", f"Recovery of {findings.seeds[0]}")
    yield element("p", report_headline(counts), class_="headline")
    yield render_facts(_recovery_facts(findings))
    yield from _render_comparison(findings.comparison, counts)
    yield element("h2", "From when")
    years = "resources by the year their versions were captured in"
    yield render_figure(render_column_chart(years, _counts_by_year(counts)), years)
    yield from _render_repositories(findings)
    yield from _render_types(counts)
    yield from _render_gaps(counts)
    yield from _render_recovered((line for line in lines() if line.chosen is not None), counts.recovered)
    yield element("footer", element("p", f"Recovery {findings.capture} by webkeep."))


def _recovery_facts(findings: RecoveryFindings) -> Iterator[tuple[str, str]]:
    counts, older = findings.counts, findings.counts.recovered - findings.counts.current
    yield "site", ", ".join(findings.seeds)
    yield "recovered", f"{format_count(counts.recovered, 'resource')}, {format_size(counts.bytes)}"
    yield "of these", f"{counts.current:,} of the site as it was last, {older:,} older parts and orphans"
    yield "missing", f"{counts.missing:,} that recovered pages lead to, and nobody could give"
    yield "held, not gone for", f"{counts.skipped:,}" if counts.skipped else ""
    yield "how complete", describe_completeness(counts)
    yield "wanted moment", findings.at or "the newest of each"
    yield "captured", f"{format_moment(counts.first)} to {format_moment(counts.last)} UTC" if counts.first else ""
    yield "temporal spread", format_duration(counts.spread_days * _DAY_SECONDS)
    yield "distance from what was wanted", f"{format_duration(counts.staleness_days * _DAY_SECONDS)} (median)"
    yield "parts of pages", describe_fits(findings.fit_counts)
    yield "requests", f"{sum(status.requests for status in findings.repositories):,}"


def report_headline(counts: RecoveryCounts) -> str:
    """What a recovery came to, in a sentence."""
    known = counts.recovered + counts.missing
    if not known:
        return "nothing is back, and nothing is known of"
    gaps = f"; {_count_words(counts.missing)} missing" if counts.missing else ""
    back = f"{counts.recovered:,} of {known:,} known resources {'is' if counts.recovered == 1 else 'are'} back"
    return f"{back} ({format_share(counts.recovered / known)}){gaps}{_caveats(counts)}"


def _caveats(counts: RecoveryCounts) -> str:
    """What is not all that one might take it for among what is back."""
    told = []
    if counts.truncated:
        told.append(f"{_count_words(counts.truncated)} cut off")
    if counts.redirects:
        told.append(f"{counts.redirects:,} only {'leads' if counts.redirects == 1 else 'lead'} elsewhere")
    return f"; of those back {' and '.join(told)}" if told else ""


def _count_words(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


def describe_completeness(counts: RecoveryCounts) -> str:
    """What is known of how complete a recovery is, in a sentence."""
    found = counts.completeness
    if counts.recovered and not counts.current:
        return "cannot be told, as nothing leads from where it was begun to what is back"
    if found.estimate is None:
        return "cannot be told, as only one of those asked holds anything of it: what nobody holds leaves no trace"
    return (
        f"about {format_share(found.share)} of the site as it was last: it had some {found.size:,.0f} resources, by "
        f"what repositories have in common ({found.by}) and by what pages lead to{_older_words(counts)}"
    )


def _older_words(counts: RecoveryCounts) -> str:
    others = counts.recovered - counts.current
    return f"; {_count_words(others)} back beside those, older or led to by nothing" if others > 0 else ""


def describe_fits(counts: FitCounts) -> str:
    """How the parts of pages fit, in a sentence."""
    if not counts.parts:
        return ""
    return (
        f"{counts.parts:,} on {counts.pages:,} pages: {counts.violative:,} had other content at the moment of "
        f"their page, about {counts.doubtful:,.0f} more probably had, {counts.missing:,} are missing; "
        f"{format_duration(counts.spread_days / counts.pages * _DAY_SECONDS)} from the oldest to the newest part of a "
        "page on average"
    )


def _counts_by_year(counts: RecoveryCounts) -> dict[str, int]:
    return dict(sorted(counts.by_year.items()))


def _render_comparison(comparison: SiteComparison | None, counts: RecoveryCounts) -> Iterator[object]:
    yield element("h2", "The reconstruction")
    if comparison is None:
        yield _render_known_share(counts)
        return
    yield render_reconstruction_diagram(comparison.vector)
    difference = comparison.difference
    yield element(
        "p",
        f"Against the original: {difference.identical:,} identical, {difference.changed:,} changed (of these "
        f"{comparison.similar:,} similar), {difference.missing:,} missing, {difference.added:,} added. "
        f"By the published regression {format_share(comparison.score)} were to be expected back.",
    )
    losses = ((name, getattr(comparison.losses, name), meaning) for name, meaning in _LOSS_SCORE_NAMES)
    rows = ((name, f"{loss:.4f}", format_share(1 - loss), meaning) for name, loss, meaning in losses)
    yield from render_table(("level", "loss", "success", "meaning"), rows)


def _render_known_share(counts: RecoveryCounts) -> object:
    """Where there is no original to compare with: what is back of what is known of."""
    known, older = counts.recovered + counts.missing, counts.recovered - counts.current
    if not known:
        return None
    added = older / counts.recovered if counts.recovered else 0.0
    note = "Missing is what pages lead to and nobody holds; added are older parts."
    diagram = render_reconstruction_diagram(DifferenceVector(0.0, counts.missing / known, added))
    return diagram, element("p", element("small", note))


def _render_repositories(findings: RecoveryFindings) -> Iterator[object]:
    overlap = findings.counts.overlap
    head = ("repository", "URLs held", "by it alone", "taken", "captures listed", "requests", "trouble")
    yield element("h2", "Who held what")
    yield from render_table(head, (_repository_cells(status, findings.counts) for status in findings.repositories))
    for (one, other), count in sorted(overlap.both.items()):
        yield element("p", element("small", f"{one} and {other} both hold {count:,}."))


def _repository_cells(status: RepositoryStatus, counts: RecoveryCounts) -> list[str]:
    held, alone = counts.overlap.held_counts[status.name], counts.overlap.alone[status.name]
    numbers = (held, alone, counts.by_repository[status.name], status.listed, status.requests)
    return [status.name, *(f"{each:,}" for each in numbers), status.trouble]


def _render_types(counts: RecoveryCounts) -> Iterator[object]:
    kinds = sorted(counts.by_type.keys() | counts.missing_by_type.keys())
    rows = ((kind, f"{counts.by_type[kind]:,}", f"{counts.missing_by_type[kind]:,}") for kind in kinds)
    yield element("h2", "What came back")
    yield from render_table(("kind", "recovered", "missing"), rows)
    forms = ", ".join(f"{count:,} {name}" for name, count in counts.by_fidelity.most_common())
    further = f"{counts.truncated:,} cut off; {counts.further:,} further versions for pages of other moments"
    yield element("p", f"{forms}; {further}.")


def _render_gaps(counts: RecoveryCounts) -> Iterator[object]:
    if counts.refused:
        reasons = (element("li", f"{count:,}: {reason}") for reason, count in counts.refused.most_common())
        yield element("h2", "Versions that were not taken")
        yield element("p", "They came, and do not show what was there:")
        yield element("ul", reasons)
    if not counts.gaps:
        return
    yield element("h2", "Gaps")
    yield element("p", "; ".join(f"{n:,}: {explain_miss(why)}" for why, n in counts.reasons.most_common()))
    rows = ((url, explain_miss(note)) for url, note in counts.gaps[:_MAX_GAP_ROWS])
    yield from render_table(("URL", "why"), rows, class_="list")
    yield _left_out_note(counts.missing, _MAX_GAP_ROWS)


def _render_recovered(lines: Iterable[OutcomeLine], count: int) -> Iterator[object]:
    head = ("captured", "repository", "form", "URL", "others")
    yield element("h2", "Recovered")
    yield from render_table(head, map(_outcome_cells, islice(lines, _MAX_LISTED_ROWS)), class_="list")
    yield _left_out_note(count, _MAX_LISTED_ROWS)


def _outcome_cells(line: OutcomeLine) -> tuple[str, ...]:
    chosen = line.chosen
    if chosen is None:
        return ()
    form = chosen.fidelity + (", cut off" if chosen.truncated else "") + ("" if line.is_current else ", older part")
    return format_moment(chosen.moment), chosen.listed.repository, form, line.url, f"{len(line.others):,}"


def _left_out_note(count: int, listed: int) -> Markup | None:
    words = f"{listed:,} of {count:,} are listed; the summary has them all."
    return element("p", words) if listed < count else None
