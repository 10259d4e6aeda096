"""A certificate as an HTML page for people: its sections, explanations, tables and caveats, and how many resources and
parts of the site are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from webkeep.change.detection import ChangeVerdict
from webkeep.coherence.certificates import (
    CertificateFigures,
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    CoherenceVerdict,
    Subsite,
)
from webkeep.presentation import format_count, format_duration, format_instant, format_share
from webkeep.presentation.drawings import render_figure
from webkeep.presentation.pages import Markup, element, render_facts, render_table, stream_report
from webkeep.quality.certificates.certificate_words import (
    CAVEAT_WORDS,
    VERDICT_WORDS,
    describe_dating,
    describe_reference,
    describe_verification,
    describe_weights,
    headline,
    verdict_reason,
)
from webkeep.quality.certificates.change_categories import ChangeVerdicts
from webkeep.quality.certificates.timeline_chart import MAX_CHART_ROWS, render_timeline_chart

# What the page of a certificate explains, whatever the certificate says.

_VERIFICATION_TEXT = Markup("""
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
""")

_FIGURES_TEXT = Markup("""<p>Pages are HTML documents; embeds are what else was there; others are redirects and what was
missing.
<em>Judged</em> are resources seen at least twice, and apexes. <em>Together</em> is how many of the resources stood on
the site at the one moment named above, as they are held. <em>Expected</em> is how many of those with a known
change rate were likely to stay the same, beside how many did; <em>blur</em> is how many changes are to be expected,
on average, between what is held of a resource and what there was at a moment of the capture.</p>
""")

_DIGESTS_TEXT = "Digests are those that the records state; whether they were held against the bytes is said above."


_MAX_SEEDS = 5
"""Seeds that are named at the beginning."""
_MIN_SETBACK_SECONDS = 60
"""By how much moments run back before it is told."""
MAX_RESOURCES_LISTED = 1000
"""Resources listed of each kind; a page of a hundred thousand rows opens in no browser."""
MAX_SUBSITES_LISTED = 200
"""The largest parts of a site that are listed; a browser shows so many at once."""
_INCOHERENT_VERDICTS = frozenset(
    {CoherenceVerdict.CHANGED, CoherenceVerdict.VANISHED, CoherenceVerdict.APPEARED, CoherenceVerdict.UNDECIDED}
)


def render_certificate_page(
    certificate: CoherenceCertificate,
    verified: Mapping[str, int] | None = None,
    changes: ChangeVerdicts | None = None,
) -> Iterator[bytes]:
    """The page, piece by piece; it says whether bytes were verified, by numbers of records and findings.

    Beside the verdict on what changed it names the category of the change.
    """
    title = f"Coherence certificate {certificate.summary.capture[:8]}"
    return stream_report(title, _render_pieces(certificate, verified, changes or {}))


def _render_pieces(
    certificate: CoherenceCertificate, verified: Mapping[str, int] | None, changes: ChangeVerdicts
) -> Iterator[object]:
    summary = certificate.summary
    yield element("h1", "Coherence certificate")
    yield element("p", headline(summary), class_="headline")
    yield render_facts(_certificate_facts(summary, verified))
    yield _render_timeline(certificate)
    yield from _render_figures(summary)
    yield element("h2", "What has to be known")
    yield element("ul", _render_caveats(summary))
    unsettled = [each for each in certificate.resources if each.verdict in _INCOHERENT_VERDICTS]
    yield from _render_resources("Not coherent, or not decided", unsettled, changes)
    yield from _render_subsites(summary)
    yield element("h2", "How it was verified")
    yield _VERIFICATION_TEXT
    yield from _render_resources("All resources", certificate.resources, changes)
    command = element("code", f"webkeep certify ARCHIVE --capture {summary.capture}")
    yield element("footer", element("p", "To derive it again: ", command))


def _certificate_facts(summary: CertificateSummary, verified: Mapping[str, int] | None) -> Iterator[tuple[str, str]]:
    more = f" and {len(summary.seeds) - _MAX_SEEDS:,} more" if len(summary.seeds) > _MAX_SEEDS else ""
    yield "capture", summary.capture
    yield "of", ", ".join(summary.seeds[:_MAX_SEEDS]) + more
    if summary.began and summary.ended:
        yield "seen", f"{format_instant(summary.began)} to {format_instant(summary.ended)} UTC"
    else:
        yield "seen", "nothing"
    yield "reference moment", describe_reference(summary)
    yield "known at that moment", format_count(summary.at_reference, "resource") if summary.reference else ""
    yield "strategy", _strategy_words(summary)
    yield "by the servers' dates", describe_dating(summary)
    yield "bytes", describe_verification(verified)


def _strategy_words(summary: CertificateSummary) -> str:
    delay = summary.delay_seconds
    return summary.strategy + (f", {format_duration(delay)} between requests" if summary.strategy and delay else "")


def _render_timeline(certificate: CoherenceCertificate) -> object:
    if certificate.summary.began is None:
        return None
    drawn = len([each for each in certificate.resources if each.versions])
    kept = f"; {MAX_CHART_ROWS} of {drawn:,} are drawn, evenly chosen" if drawn > MAX_CHART_ROWS else ""
    words = f"Each line is a resource, from its first look to its last, in the order of the first{kept}."
    keys = (
        (element("br"), _render_verdict(verdict), f" {VERDICT_WORDS[verdict][1]}")
        for verdict in certificate.summary.all.verdicts
    )
    figure = render_figure(render_timeline_chart(certificate), words, keys, class_="full")
    return element("h2", "What was seen when"), figure


def _render_verdict(verdict: CoherenceVerdict) -> Markup:
    return element("span", VERDICT_WORDS[verdict][0], class_=f"key {verdict.value}")


def _render_figures(summary: CertificateSummary) -> Iterator[object]:
    named = (("pages", summary.pages), ("embeds", summary.embeds), ("others", summary.others), ("all", summary.all))
    head = ("", "resources", "judged", "coherent", "share", "firm", "together", "expected", "of rated", "blur")
    yield element("h2", "Figures")
    yield from render_table(head, ((name, *_figure_cells(figures)) for name, figures in named))
    yield _FIGURES_TEXT
    if words := describe_weights(summary):
        yield element("p", f"{words[0].upper()}{words[1:]}.")


def _figure_cells(figures: CertificateFigures) -> list[str]:
    numbers = (figures.resources, figures.judged_count, figures.coherent_count)
    return [
        *(f"{each:,}" for each in numbers),
        "" if figures.coherence is None else format_share(figures.coherence),
        f"{figures.firm:,}",
        f"{figures.agreeing:,}",
        "unknown" if figures.expected_coherent is None else f"{figures.expected_coherent:,.1f}",
        "" if figures.expected_coherent is None else f"{figures.rated_coherent:,} of {figures.rated:,}",
        "unknown" if figures.expected_blur is None else _format_figure(figures.expected_blur),
    ]


def _format_figure(number: float) -> str:
    return "under 0.001" if 0 < number < 0.001 else f"{number:,.3g}"


def _render_caveats(summary: CertificateSummary) -> Iterator[Markup]:
    if not summary.is_revisited:
        yield element("li", "Nothing was looked at twice, so nothing is certified beyond the instant of each look.")
    if summary.setback >= _MIN_SETBACK_SECONDS:
        yield element(
            "li",
            f"In the order in which records were stored, their moments run back by up to "
            f"{format_duration(summary.setback)}: a download took that long, or the clock was set back.",
        )
    for caveat, count in summary.caveats.items():
        share = f"{count:,} of {format_count(summary.all.resources, 'resource')}"
        yield element("li", f"{CAVEAT_WORDS[caveat]} ", element("span", share, class_="soft"))
    if CoherenceVerdict.APEX in summary.all.verdicts:
        meaning = VERDICT_WORDS[CoherenceVerdict.APEX][1]
        yield element("li", f"Apex: {meaning}. It is known for its one instant and counts as coherent.")
    yield element("li", _DIGESTS_TEXT)


def _render_subsites(summary: CertificateSummary) -> Iterator[object]:
    if len(summary.subsites) < 2:
        return
    largest = sorted(summary.subsites, key=lambda each: (-each.figures.resources, each.name))[:MAX_SUBSITES_LISTED]
    head = ("part", "resources", "judged", "coherent", "share", "together", "from", "to")
    yield element("h2", "Parts of the site")
    yield from render_table(head, map(_subsite_cells, largest))
    yield _left_out_words(len(summary.subsites), len(largest))


def _subsite_cells(subsite: Subsite) -> list[str]:
    found = subsite.coherent_set
    together = [f"{found.resources:,}", format_instant(found.start), format_instant(found.end)] if found else []
    return [subsite.name, *_figure_cells(subsite.figures)[:4], *(together or ["", "", ""])]


def _render_resources(title: str, resources: Sequence[CertifiedResource], changes: ChangeVerdicts) -> Iterator[object]:
    if not resources:
        return
    yield element("h2", title)
    listed = resources[:MAX_RESOURCES_LISTED]
    head = ("verdict", "first look", "last look", "what was found", "URL and digest")
    yield from render_table(
        head, (_resource_cells(each, changes.get(each.url)) for each in listed), class_="list looks"
    )
    yield _left_out_words(len(resources), len(listed))


def _resource_cells(resource: CertifiedResource, change: ChangeVerdict | None) -> list[object]:
    versions = resource.versions
    looks = [format_instant(versions[0].first), format_instant(versions[-1].last)] if versions else ["", ""]
    digests = [(element("br"), element("code", str(each.digest))) for each in versions if each.digest is not None]
    caveats = (element("br"), element("small", ", ".join(resource.caveats))) if resource.caveats else None
    how = (element("br"), element("small", change.describe())) if change is not None else None
    return [
        _render_verdict(resource.verdict),
        *looks,
        (verdict_reason(resource), how, caveats),
        (resource.url, digests),
    ]


def _left_out_words(count: int, listed: int) -> Markup | None:
    words = f"{listed:,} of {count:,} are listed; the certificate as JSON has them all."
    return element("p", words) if listed < count else None
