"""The report of a recovery as an HTML page: one file, nothing from outside, readable in light and in the dark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from webkeep.recover.account import Account
from webkeep.recover.book import Desk
from webkeep.recover.comparison import Comparison
from webkeep.recover.difference import Vector
from webkeep.recover.outcome import Line
from webkeep.recover.parts import Tally
from webkeep.recover.reason_words import plain_reason
from webkeep.recover.report_markup import STYLE, bars, disc, row, shown

_MOST_LISTED = 1000
_MOST_GAPS = 500
_SCORES = (
    ("s1", "changed, missing and added are equally bad"),
    ("s2", "what was added does not matter"),
    ("s3", "nor do changes of texts that stayed similar"),
    ("s4", "only what is missing matters"),
    ("s5", "only what is missing and known to be held nowhere"),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report tells of."""

    seeds: tuple[str, ...]
    capture: str
    account: Account
    desks: tuple[Desk, ...]
    tally: Tally
    at: str = ""
    """The wanted moment, if there was one."""
    comparison: Comparison | None = None


def report_page(findings: Findings, lines: Callable[[], Iterable[Line]]) -> Iterator[bytes]:
    """The page, piece by piece."""
    for text in _pieces(findings, lines):
        yield text.encode("utf-8", "replace")


def _pieces(findings: Findings, lines: Callable[[], Iterable[Line]]) -> Iterator[str]:
    account = findings.account
    yield _beginning(findings)
    yield from _against_original(findings.comparison, account)
    yield "<h2>From when</h2>\n" + bars(_years(account), "resources by the year their versions were captured in")
    yield from _repositories(findings)
    yield from _kinds(account)
    yield from _gaps(account)
    yield from _list("Recovered", (line for line in lines() if line.chosen is not None), account.recovered)
    yield f"<footer><p>Recovery {shown(findings.capture)} by webkeep.</p></footer>\n</body></html>\n"


def _beginning(findings: Findings) -> str:
    account, tally = findings.account, findings.tally
    facts = [
        ("site", ", ".join(findings.seeds)),
        ("recovered", f"{account.recovered:,} resources, {account.bytes:,} bytes"),
        ("of these", f"{account.current:,} of the site as it was last, {account.recovered - account.current:,} older"
                     " parts and orphans"),
        ("missing", f"{account.missing:,} that recovered pages lead to, and nobody could give"),
        ("held, not gone for", f"{account.skipped:,}" if account.skipped else ""),
        ("how complete", completeness_words(account)),
        ("wanted moment", findings.at or "the newest of each"),
        ("captured", f"{account.first} to {account.last}" if account.first else ""),
        ("temporal spread", f"{account.spread_days:,.0f} days"),
        ("distance from what was wanted", f"{account.staleness_days:,.1f} days (median)"),
        ("parts of pages", parts_words(tally)),
        ("requests", f"{sum(desk.requests for desk in findings.desks):,}"),
    ]  # fmt: skip
    told = "".join(f"<dt>{name}</dt><dd>{shown(value)}</dd>\n" for name, value in facts if value)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Recovery of {shown(findings.seeds[0])}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f'<h1>Recovery of {shown(findings.seeds[0])}</h1>\n<p class="headline">{shown(headline(account))}</p>\n'
        f"<dl>\n{told}</dl>\n"
    )


def headline(account: Account) -> str:
    """What a recovery came to, in a sentence."""
    known = account.recovered + account.missing
    if not known:
        return "nothing is back, and nothing is known of"
    gaps = f"; {_are(account.missing)} missing" if account.missing else ""
    back = f"{account.recovered:,} of {known:,} known resources {'is' if account.recovered == 1 else 'are'} back"
    return f"{back} ({account.recovered / known:.1%}){gaps}{_but(account)}"


def _but(account: Account) -> str:
    """What is not all that one might take it for among what is back."""
    told = []
    if account.truncated:
        told.append(f"{_are(account.truncated)} cut off")
    if account.redirects:
        told.append(f"{account.redirects:,} only {'leads' if account.redirects == 1 else 'lead'} elsewhere")
    return f"; of those back {' and '.join(told)}" if told else ""


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


def completeness_words(account: Account) -> str:
    """What is known of how complete a recovery is, in a sentence."""
    found = account.completeness
    if account.recovered and not account.current:
        return "cannot be told, as nothing leads from where it was begun to what is back"
    if found.estimate is None:
        return "cannot be told, as only one of those asked holds anything of it: what nobody holds leaves no trace"
    return (
        f"about {found.share:.1%} of the site as it was last: it had some {found.size:,.0f} resources, by what "
        f"repositories have in common ({found.by}) and by what pages lead to{_beside(account)}"
    )


def _beside(account: Account) -> str:
    others = account.recovered - account.current
    return f"; {_are(others)} back beside those, older or led to by nothing" if others > 0 else ""


def parts_words(tally: Tally) -> str:
    """How the parts of pages fit, in a sentence."""
    if not tally.parts:
        return ""
    return (
        f"{tally.parts:,} on {tally.pages:,} pages: {tally.violative:,} had other content at the moment of their page, "
        f"about {tally.doubtful:,.0f} more probably had, {tally.missing:,} are missing; "
        f"{tally.spread_days / tally.pages:,.1f} days from the oldest to the newest part of a page on average"
    )


def _years(account: Account) -> dict[str, int]:
    return dict(sorted(account.by_year.items()))


def _against_original(comparison: Comparison | None, account: Account) -> Iterator[str]:
    yield "<h2>The reconstruction</h2>\n"
    if comparison is None:
        known = account.recovered + account.missing
        older = account.recovered - account.current
        if known:
            vector = Vector(0.0, account.missing / known, older / account.recovered if account.recovered else 0.0)
            yield disc(vector)
            yield "<p><small>Missing is what pages lead to and nobody holds; added are older parts.</small></p>\n"
        return
    yield disc(comparison.vector)
    difference = comparison.difference
    yield (
        f"<p>Against the original: {difference.identical:,} identical, {difference.changed:,} changed (of these "
        f"{comparison.similar:,} similar), {difference.missing:,} missing, {difference.added:,} added. "
        f"By the published regression {comparison.score:.0%} were to be expected back.</p>\n<table><thead>"
    )
    yield row("level", "loss", "success", "meaning", tag="th") + "</thead><tbody>\n"
    for name, meaning in _SCORES:
        loss: float = getattr(comparison.losses, name)
        yield row(name, f"{loss:.4f}", f"{1 - loss:.1%}", meaning)
    yield "</tbody></table>\n"


def _repositories(findings: Findings) -> Iterator[str]:
    overlap, account = findings.account.overlap, findings.account
    yield "<h2>Who held what</h2>\n<table><thead>"
    yield row("repository", "URLs held", "by it alone", "taken", "captures listed", "requests", "trouble", tag="th")
    yield "</thead><tbody>\n"
    for desk in findings.desks:
        numbers = (overlap.holdings[desk.name], overlap.alone[desk.name], account.by_repository[desk.name])
        cells = [f"{each:,}" for each in (*numbers, desk.listed, desk.requests)]
        yield row(shown(desk.name), *cells, shown(desk.trouble))
    yield "</tbody></table>\n"
    for (one, other), count in sorted(overlap.both.items()):
        yield f"<p><small>{shown(one)} and {shown(other)} both hold {count:,}.</small></p>\n"


def _kinds(account: Account) -> Iterator[str]:
    yield (
        "<h2>What came back</h2>\n<table><thead>" + row("kind", "recovered", "missing", tag="th") + "</thead><tbody>\n"
    )
    for kind in sorted(account.by_type.keys() | account.missing_by_type.keys()):
        yield row(shown(kind), f"{account.by_type[kind]:,}", f"{account.missing_by_type[kind]:,}")
    yield "</tbody></table>\n<p>"
    yield ", ".join(f"{count:,} {shown(name)}" for name, count in account.by_fidelity.most_common())
    yield f"; {account.truncated:,} cut off; {account.further:,} further versions for pages of other moments.</p>\n"


def _gaps(account: Account) -> Iterator[str]:
    if account.refused:
        yield "<h2>Versions that were not taken</h2>\n<p>They came, and do not show what was there:</p>\n<ul>\n"
        for reason, count in account.refused.most_common():
            yield f"<li>{count:,}: {shown(reason)}</li>\n"
        yield "</ul>\n"
    if not account.gaps:
        return
    yield (
        "<h2>Gaps</h2>\n<p>"
        + "; ".join(f"{n:,}: {shown(plain_reason(why))}" for why, n in account.reasons.most_common())
        + "</p>\n"
    )
    yield "<table class=list><thead>" + row("URL", "why", tag="th") + "</thead><tbody>\n"
    for url, note in account.gaps[:_MOST_GAPS]:
        yield row(shown(url), shown(plain_reason(note)))
    yield "</tbody></table>\n" + _left_out(account.missing, _MOST_GAPS)


def _list(title: str, lines: Iterable[Line], count: int) -> Iterator[str]:
    yield f"<h2>{title}</h2>\n<table class=list><thead>"
    yield row("captured", "repository", "form", "URL", "others", tag="th") + "</thead><tbody>\n"
    for line in islice(lines, _MOST_LISTED):
        chosen = line.chosen
        if chosen is not None:
            form = (
                chosen.fidelity
                + (", cut off" if chosen.truncated else "")
                + ("" if line.is_current else ", older part")
            )
            yield row(
                shown(chosen.moment.iso()),
                shown(chosen.held.repository),
                form,
                shown(line.url),
                f"{len(line.others):,}",
            )
    yield "</tbody></table>\n" + _left_out(count, _MOST_LISTED)


def _left_out(count: int, listed: int) -> str:
    return f"<p>{listed:,} of {count:,} are listed; the summary has them all.</p>\n" if listed < count else ""
