"""A certificate as an HTML page for people: one file, nothing from outside, readable in light and in the dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.coherence.certificates import (
    CertificateFigures,
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    CoherenceVerdict,
)
from webkeep.presentation import format_instant
from webkeep.quality.certificates.certificate_words import (
    CAVEAT_WORDS,
    VERDICT_WORDS,
    describe_dating,
    describe_reference,
    describe_verification,
    headline,
    verdict_reason,
)
from webkeep.quality.certificates.timeline_chart import MAX_CHART_ROWS, render_timeline_chart
from webkeep.quality.report_html import STYLE_SHEET, escape_visible, render_row

# What the page of a certificate explains, whatever the certificate says.

_VERIFICATION_TEXT = """<h2>How it was verified</h2>
<p>A resource can be vouched for over a time if it was asked for, and asked for again later. Where the server sent it a
second time, a digest (a fingerprint) of what came was compared with that of the first time: equal digests mean equal
bytes. Where the server answered that nothing had been modified, that is its word, and marked as such. A resource that
was the same both times is <em>coherent</em>: what is held here is what was there at both looks. Of what was asked for
once, that one instant is known.</p>
<p>All resources that were the same from a look before some moment to a look after it existed together at that moment.
The largest such set, and the time for which it holds, is named above. It is found by laying the times of all resources
over each other.</p>
<p>Equal content at two looks cannot show a change that was undone in between. A server's strong tag that stayed the
same speaks against that, and so does a date of last change that stayed the same, can be true and is not quite fresh, as
far as the server is honest; the column <em>firm</em> counts those. A tag that a server computes from the content alone
would return together with it. Dates and tags are the server's statements; digests and moments are our own, the moments
by the clock of the machine that captured.</p>
<p>This page follows from the records in the archive and from nothing else.</p>
"""

_FIGURES_TEXT = """<p>Pages are HTML documents; embeds are what else was there; others are redirects and what was
missing.
<em>Judged</em> are resources seen at least twice, and apexes. <em>Together</em> is how many of the resources stood on
the site at the one moment named above, as they are held. <em>Expected</em> is how many of those with a known
change rate were likely to stay the same, beside how many did; <em>blur</em> is how many changes are to be expected,
on average, between what is held of a resource and what there was at a moment of the capture.</p>
"""

_DIGESTS_TEXT = "Digests are those that the records state; whether they were held against the bytes is said above."


MAX_RESOURCES_LISTED = 1000
"""Resources listed of each kind; a page of a hundred thousand rows opens in no browser."""
MAX_SUBSITES_LISTED = 200
"""The largest parts of a site that are listed."""
_INCOHERENT_VERDICTS = frozenset(
    {CoherenceVerdict.CHANGED, CoherenceVerdict.VANISHED, CoherenceVerdict.APPEARED, CoherenceVerdict.UNDECIDED}
)


def render_certificate_page(
    certificate: CoherenceCertificate, verified: Mapping[str, int] | None = None
) -> Iterator[bytes]:
    """The page, piece by piece; it says whether bytes were verified, by numbers of records and findings."""
    for text in _render_pieces(certificate, verified):
        yield text.encode("utf-8")


def _render_pieces(certificate: CoherenceCertificate, verified: Mapping[str, int] | None) -> Iterator[str]:
    summary = certificate.summary
    yield _render_beginning(summary, verified)
    yield from _render_timeline(certificate)
    yield from _render_figures(summary)
    yield from _render_caveats(summary)
    unsettled = [each for each in certificate.resources if each.verdict in _INCOHERENT_VERDICTS]
    yield from _render_resources("Not coherent, or not decided", unsettled)
    yield from _render_subsites(summary)
    yield _VERIFICATION_TEXT
    yield from _render_resources("All resources", certificate.resources)
    yield _render_ending(summary)


def _render_beginning(summary: CertificateSummary, verified: Mapping[str, int] | None) -> str:
    facts = [
        ("capture", summary.capture),
        (
            "of",
            ", ".join(summary.seeds[:5]) + (f" and {len(summary.seeds) - 5:,} more" if len(summary.seeds) > 5 else ""),
        ),
        (
            "seen",
            f"{format_instant(summary.began)} to {format_instant(summary.ended)} UTC"
            if summary.began and summary.ended
            else "nothing",
        ),
        ("reference moment", describe_reference(summary)),
        ("known at that moment", f"{summary.at_reference:,} resources" if summary.reference else ""),
        ("strategy", _strategy_words(summary)),
        ("by the servers' dates", describe_dating(summary)),
        ("bytes", describe_verification(verified)),
    ]
    lines = "".join(f"<dt>{name}</dt><dd>{escape_visible(value)}</dd>\n" for name, value in facts if value)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Coherence certificate {escape_visible(summary.capture[:8])}</title>\n<style>{STYLE_SHEET}"
        f"</style></head>\n<body>\n"
        f'<h1>Coherence certificate</h1>\n<p class="headline">{escape_visible(headline(summary))}</p>\n'
        f"<dl>\n{lines}</dl>\n"
    )


def _strategy_words(summary: CertificateSummary) -> str:
    if not summary.strategy:
        return ""
    return summary.strategy + (f", {summary.delay_seconds:.3g} s between requests" if summary.delay_seconds else "")


def _render_timeline(certificate: CoherenceCertificate) -> Iterator[str]:
    if certificate.summary.began is None:
        return
    yield "<h2>What was seen when</h2>\n<figure>\n"
    yield from render_timeline_chart(certificate)
    drawn = len([each for each in certificate.resources if each.versions])
    kept = f"; {MAX_CHART_ROWS} of {drawn:,} are drawn, evenly chosen" if drawn > MAX_CHART_ROWS else ""
    yield f"<figcaption>Each line is a resource, from its first look to its last, in the order of the first{kept}.<br>"
    for verdict in certificate.summary.all.verdicts:
        name, meaning = VERDICT_WORDS[verdict]
        yield f'<span class="key {verdict.value}">{name}</span> {meaning}<br>'
    yield "</figcaption>\n</figure>\n"


def _render_figures(summary: CertificateSummary) -> Iterator[str]:
    named = (("pages", summary.pages), ("embeds", summary.embeds), ("others", summary.others), ("all", summary.all))
    yield "<h2>Figures</h2>\n<div class=wide><table><thead>"
    yield render_row(
        "", "resources", "judged", "coherent", "share", "firm", "together", "expected", "of rated", "blur", tag="th"
    )
    yield "</thead><tbody>\n"
    for name, figures in named:
        yield render_row(name, *_figure_cells(figures))
    yield "</tbody></table></div>\n" + _FIGURES_TEXT


def _figure_cells(figures: CertificateFigures) -> list[str]:
    share = "" if figures.coherence is None else f"{figures.coherence:.1%}"
    expected = "unknown" if figures.expected_coherent is None else f"{figures.expected_coherent:,.1f}"
    rated = "" if figures.expected_coherent is None else f"{figures.rated_coherent:,} of {figures.rated:,}"
    blur = "unknown" if figures.expected_blur is None else _format_figure(figures.expected_blur)
    numbers = (figures.resources, figures.judged_count, figures.coherent_count)
    return [
        *(f"{each:,}" for each in numbers),
        share,
        f"{figures.firm:,}",
        f"{figures.agreeing:,}",
        expected,
        rated,
        blur,
    ]


def _format_figure(number: float) -> str:
    return "under 0.001" if 0 < number < 0.001 else f"{number:,.3g}"


def _render_caveats(summary: CertificateSummary) -> Iterator[str]:
    yield "<h2>What has to be known</h2>\n<ul>\n"
    if not summary.is_revisited:
        yield "<li>Nothing was looked at twice, so nothing is certified beyond the instant of each look.</li>\n"
    if summary.setback >= 60:
        yield (
            f"<li>In the order in which records were stored, their moments run back by up to {summary.setback:,.0f} "
            "seconds: a download took that long, or the clock was set back.</li>\n"
        )
    for caveat, count in summary.caveats.items():
        yield (
            f"<li>{CAVEAT_WORDS[caveat]} <span class=count>{count:,} of {summary.all.resources:,} resources"
            f"</span></li>\n"
        )
    if CoherenceVerdict.APEX in summary.all.verdicts:
        yield (
            f"<li>Apex: {VERDICT_WORDS[CoherenceVerdict.APEX][1]}. It is known for its one instant and counts as "
            f"coherent.</li>\n"
        )
    yield f"<li>{_DIGESTS_TEXT}</li>\n</ul>\n"


def _render_subsites(summary: CertificateSummary) -> Iterator[str]:
    if len(summary.subsites) < 2:
        return
    largest = sorted(summary.subsites, key=lambda each: (-each.figures.resources, each.name))[:MAX_SUBSITES_LISTED]
    yield "<h2>Parts of the site</h2>\n<div class=wide><table><thead>"
    yield render_row("part", "resources", "judged", "coherent", "share", "together", "from", "to", tag="th")
    yield "</thead><tbody>\n"
    for each in largest:
        accord = each.accord
        when = (format_instant(accord.start), format_instant(accord.end)) if accord else ("", "")
        fit = f"{accord.resources:,}" if accord else ""
        yield render_row(escape_visible(each.name), *_figure_cells(each.figures)[:4], fit, *when)
    yield "</tbody></table></div>\n"
    yield _left_out_words(len(summary.subsites), len(largest))


def _render_resources(title: str, resources: list[CertifiedResource] | tuple[CertifiedResource, ...]) -> Iterator[str]:
    if not resources:
        return
    yield f"<h2>{title}</h2>\n<div class=wide><table class=list><thead>"
    yield render_row("verdict", "first look", "last look", "what was found", "URL and digest", tag="th")
    yield "</thead><tbody>\n"
    for each in resources[:MAX_RESOURCES_LISTED]:
        yield _render_resource_row(each)
    yield "</tbody></table></div>\n"
    yield _left_out_words(len(resources), min(len(resources), MAX_RESOURCES_LISTED))


def _render_resource_row(resource: CertifiedResource) -> str:
    name = f'<span class="key {resource.verdict.value}">{VERDICT_WORDS[resource.verdict][0]}</span>'
    versions = resource.versions
    looks = (format_instant(versions[0].first), format_instant(versions[-1].last)) if versions else ("", "")
    digests = "<br>".join(
        f"<code>{escape_visible(str(each.digest))}</code>" for each in versions if each.digest is not None
    )
    caveats = f"<br><small>{', '.join(resource.caveats)}</small>" if resource.caveats else ""
    return render_row(
        name, *looks, escape_visible(verdict_reason(resource)) + caveats, f"{escape_visible(resource.url)}<br>{digests}"
    )


def _left_out_words(count: int, listed: int) -> str:
    return (
        f"<p>{listed:,} of {count:,} are listed; the certificate as JSON has them all.</p>\n" if listed < count else ""
    )


def _render_ending(summary: CertificateSummary) -> str:
    command = f"webkeep certify ARCHIVE --capture {escape_visible(summary.capture)}"
    return f"<footer><p>To derive it again: <code>{command}</code></p></footer>\n</body></html>\n"
