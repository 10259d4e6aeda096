"""The report of a recovery as an HTML page: one file, nothing from outside, readable in light and in the dark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from webkeep.recover.report.outcome import OutcomeLine, explain_miss
from webkeep.recover.report.recovery_counts import RecoveryCounts
from webkeep.recover.report.report_markup import (
    STYLE,
    escape_text,
    render_bar_chart,
    render_reconstruction_diagram,
    table_row,
)
from webkeep.recover.report.site_comparison import SiteComparison
from webkeep.recover.report.site_difference import DifferenceVector
from webkeep.recover.run.embed_choice import FitCounts
from webkeep.recover.state.recovery_store import RepositoryStatus

_MAX_LISTED_ROWS = 1000
"""Rows of each list in the page; the summary has them all."""
_MAX_GAP_ROWS = 500
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
    for text in _render_sections(findings, lines):
        yield text.encode("utf-8", "replace")


def _render_sections(findings: RecoveryFindings, lines: Callable[[], Iterable[OutcomeLine]]) -> Iterator[str]:
    account = findings.counts
    yield _render_head(findings)
    yield from _render_comparison(findings.comparison, account)
    yield "<h2>From when</h2>\n" + render_bar_chart(
        _counts_by_year(account), "resources by the year their versions were captured in"
    )
    yield from _render_repositories(findings)
    yield from _render_types(account)
    yield from _render_gaps(account)
    yield from _render_list("Recovered", (line for line in lines() if line.chosen is not None), account.recovered)
    yield f"<footer><p>Recovery {escape_text(findings.capture)} by webkeep.</p></footer>\n</body></html>\n"


def _render_head(findings: RecoveryFindings) -> str:
    account, tally = findings.counts, findings.fit_counts
    facts = [
        ("site", ", ".join(findings.seeds)),
        ("recovered", f"{account.recovered:,} resources, {account.bytes:,} bytes"),
        ("of these", f"{account.current:,} of the site as it was last, {account.recovered - account.current:,} older"
                     " parts and orphans"),
        ("missing", f"{account.missing:,} that recovered pages lead to, and nobody could give"),
        ("held, not gone for", f"{account.skipped:,}" if account.skipped else ""),
        ("how complete", describe_completeness(account)),
        ("wanted moment", findings.at or "the newest of each"),
        ("captured", f"{account.first} to {account.last}" if account.first else ""),
        ("temporal spread", f"{account.spread_days:,.0f} days"),
        ("distance from what was wanted", f"{account.staleness_days:,.1f} days (median)"),
        ("parts of pages", describe_fits(tally)),
        ("requests", f"{sum(desk.requests for desk in findings.repositories):,}"),
    ]  # fmt: skip
    told = "".join(f"<dt>{name}</dt><dd>{escape_text(value)}</dd>\n" for name, value in facts if value)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Recovery of {escape_text(findings.seeds[0])}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f"<h1>Recovery of {escape_text(findings.seeds[0])}</h1>\n<p "
        f'class="headline">{escape_text(report_headline(account))}</p>\n'
        f"<dl>\n{told}</dl>\n"
    )


def report_headline(account: RecoveryCounts) -> str:
    """What a recovery came to, in a sentence."""
    known = account.recovered + account.missing
    if not known:
        return "nothing is back, and nothing is known of"
    gaps = f"; {_count_words(account.missing)} missing" if account.missing else ""
    back = f"{account.recovered:,} of {known:,} known resources {'is' if account.recovered == 1 else 'are'} back"
    return f"{back} ({account.recovered / known:.1%}){gaps}{_caveats(account)}"


def _caveats(account: RecoveryCounts) -> str:
    """What is not all that one might take it for among what is back."""
    told = []
    if account.truncated:
        told.append(f"{_count_words(account.truncated)} cut off")
    if account.redirects:
        told.append(f"{account.redirects:,} only {'leads' if account.redirects == 1 else 'lead'} elsewhere")
    return f"; of those back {' and '.join(told)}" if told else ""


def _count_words(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


def describe_completeness(account: RecoveryCounts) -> str:
    """What is known of how complete a recovery is, in a sentence."""
    found = account.completeness
    if account.recovered and not account.current:
        return "cannot be told, as nothing leads from where it was begun to what is back"
    if found.estimate is None:
        return "cannot be told, as only one of those asked holds anything of it: what nobody holds leaves no trace"
    return (
        f"about {found.share:.1%} of the site as it was last: it had some {found.size:,.0f} resources, by what "
        f"repositories have in common ({found.by}) and by what pages lead to{_older_words(account)}"
    )


def _older_words(account: RecoveryCounts) -> str:
    others = account.recovered - account.current
    return f"; {_count_words(others)} back beside those, older or led to by nothing" if others > 0 else ""


def describe_fits(tally: FitCounts) -> str:
    """How the parts of pages fit, in a sentence."""
    if not tally.parts:
        return ""
    return (
        f"{tally.parts:,} on {tally.pages:,} pages: {tally.violative:,} had other content at the moment of their page, "
        f"about {tally.doubtful:,.0f} more probably had, {tally.missing:,} are missing; "
        f"{tally.spread_days / tally.pages:,.1f} days from the oldest to the newest part of a page on average"
    )


def _counts_by_year(account: RecoveryCounts) -> dict[str, int]:
    return dict(sorted(account.by_year.items()))


def _render_comparison(comparison: SiteComparison | None, account: RecoveryCounts) -> Iterator[str]:
    yield "<h2>The reconstruction</h2>\n"
    if comparison is None:
        known = account.recovered + account.missing
        older = account.recovered - account.current
        if known:
            vector = DifferenceVector(
                0.0, account.missing / known, older / account.recovered if account.recovered else 0.0
            )
            yield render_reconstruction_diagram(vector)
            yield "<p><small>Missing is what pages lead to and nobody holds; added are older parts.</small></p>\n"
        return
    yield render_reconstruction_diagram(comparison.vector)
    difference = comparison.difference
    yield (
        f"<p>Against the original: {difference.identical:,} identical, {difference.changed:,} changed (of these "
        f"{comparison.similar:,} similar), {difference.missing:,} missing, {difference.added:,} added. "
        f"By the published regression {comparison.score:.0%} were to be expected back.</p>\n<table><thead>"
    )
    yield table_row("level", "loss", "success", "meaning", tag="th") + "</thead><tbody>\n"
    for name, meaning in _LOSS_SCORE_NAMES:
        loss: float = getattr(comparison.losses, name)
        yield table_row(name, f"{loss:.4f}", f"{1 - loss:.1%}", meaning)
    yield "</tbody></table>\n"


def _render_repositories(findings: RecoveryFindings) -> Iterator[str]:
    overlap, account = findings.counts.overlap, findings.counts
    yield "<h2>Who held what</h2>\n<table><thead>"
    yield table_row(
        "repository", "URLs held", "by it alone", "taken", "captures listed", "requests", "trouble", tag="th"
    )
    yield "</thead><tbody>\n"
    for desk in findings.repositories:
        numbers = (overlap.held_counts[desk.name], overlap.alone[desk.name], account.by_repository[desk.name])
        cells = [f"{each:,}" for each in (*numbers, desk.listed, desk.requests)]
        yield table_row(escape_text(desk.name), *cells, escape_text(desk.trouble))
    yield "</tbody></table>\n"
    for (one, other), count in sorted(overlap.both.items()):
        yield f"<p><small>{escape_text(one)} and {escape_text(other)} both hold {count:,}.</small></p>\n"


def _render_types(account: RecoveryCounts) -> Iterator[str]:
    yield (
        "<h2>What came back</h2>\n<table><thead>"
        + table_row("kind", "recovered", "missing", tag="th")
        + "</thead><tbody>\n"
    )
    for kind in sorted(account.by_type.keys() | account.missing_by_type.keys()):
        yield table_row(escape_text(kind), f"{account.by_type[kind]:,}", f"{account.missing_by_type[kind]:,}")
    yield "</tbody></table>\n<p>"
    yield ", ".join(f"{count:,} {escape_text(name)}" for name, count in account.by_fidelity.most_common())
    yield f"; {account.truncated:,} cut off; {account.further:,} further versions for pages of other moments.</p>\n"


def _render_gaps(account: RecoveryCounts) -> Iterator[str]:
    if account.refused:
        yield "<h2>Versions that were not taken</h2>\n<p>They came, and do not show what was there:</p>\n<ul>\n"
        for reason, count in account.refused.most_common():
            yield f"<li>{count:,}: {escape_text(reason)}</li>\n"
        yield "</ul>\n"
    if not account.gaps:
        return
    yield (
        "<h2>Gaps</h2>\n<p>"
        + "; ".join(f"{n:,}: {escape_text(explain_miss(why))}" for why, n in account.reasons.most_common())
        + "</p>\n"
    )
    yield "<table class=list><thead>" + table_row("URL", "why", tag="th") + "</thead><tbody>\n"
    for url, note in account.gaps[:_MAX_GAP_ROWS]:
        yield table_row(escape_text(url), escape_text(explain_miss(note)))
    yield "</tbody></table>\n" + _left_out_note(account.missing, _MAX_GAP_ROWS)


def _render_list(title: str, lines: Iterable[OutcomeLine], count: int) -> Iterator[str]:
    yield f"<h2>{title}</h2>\n<table class=list><thead>"
    yield table_row("captured", "repository", "form", "URL", "others", tag="th") + "</thead><tbody>\n"
    for line in islice(lines, _MAX_LISTED_ROWS):
        chosen = line.chosen
        if chosen is not None:
            form = (
                chosen.fidelity
                + (", cut off" if chosen.truncated else "")
                + ("" if line.is_current else ", older part")
            )
            yield table_row(
                escape_text(chosen.moment.iso()),
                escape_text(chosen.listed.repository),
                form,
                escape_text(line.url),
                f"{len(line.others):,}",
            )
    yield "</tbody></table>\n" + _left_out_note(count, _MAX_LISTED_ROWS)


def _left_out_note(count: int, listed: int) -> str:
    return f"<p>{listed:,} of {count:,} are listed; the summary has them all.</p>\n" if listed < count else ""
