"""A certificate as an HTML page for people: one file, nothing from outside, readable in light and in the dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.coherence.certificate import Certificate, Figures, Resource, Summary, Verdict
from webkeep.quality.markup import row, shown
from webkeep.quality.page_style import STYLE
from webkeep.quality.page_text import DIGESTS, FIGURES, HOW
from webkeep.quality.picture import MOST_ROWS, timeline
from webkeep.quality.wording import (
    CAVEATS,
    VERDICTS,
    clock,
    dated_words,
    headline,
    reference_words,
    verification_words,
    why,
)

MOST_LISTED = 1000
MOST_SUBSITES = 200
_UNSETTLED = frozenset({Verdict.CHANGED, Verdict.VANISHED, Verdict.APPEARED, Verdict.UNDECIDED})


def certificate_page(certificate: Certificate, verified: Mapping[str, int] | None = None) -> Iterator[bytes]:
    """The page, piece by piece; it says whether bytes were verified, by numbers of records and findings."""
    for text in _pieces(certificate, verified):
        yield text.encode("utf-8")


def _pieces(certificate: Certificate, verified: Mapping[str, int] | None) -> Iterator[str]:
    summary = certificate.summary
    yield _beginning(summary, verified)
    yield from _picture(certificate)
    yield from _figures(summary)
    yield from _caveats(summary)
    unsettled = [each for each in certificate.resources if each.verdict in _UNSETTLED]
    yield from _list("Not coherent, or not decided", unsettled)
    yield from _subsites(summary)
    yield HOW
    yield from _list("All resources", certificate.resources)
    yield _ending(summary)


def _beginning(summary: Summary, verified: Mapping[str, int] | None) -> str:
    facts = [
        ("capture", summary.capture),
        (
            "of",
            ", ".join(summary.seeds[:5]) + (f" and {len(summary.seeds) - 5:,} more" if len(summary.seeds) > 5 else ""),
        ),
        (
            "seen",
            f"{clock(summary.began)} to {clock(summary.ended)} UTC" if summary.began and summary.ended else "nothing",
        ),
        ("reference moment", reference_words(summary)),
        ("known at that moment", f"{summary.at_reference:,} resources" if summary.reference else ""),
        ("strategy", _strategy(summary)),
        ("by the servers' dates", dated_words(summary)),
        ("bytes", verification_words(verified)),
    ]
    lines = "".join(f"<dt>{name}</dt><dd>{shown(value)}</dd>\n" for name, value in facts if value)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Coherence certificate {shown(summary.capture[:8])}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f'<h1>Coherence certificate</h1>\n<p class="headline">{shown(headline(summary))}</p>\n<dl>\n{lines}</dl>\n'
    )


def _strategy(summary: Summary) -> str:
    if not summary.strategy:
        return ""
    return summary.strategy + (f", {summary.delay_seconds:.3g} s between requests" if summary.delay_seconds else "")


def _picture(certificate: Certificate) -> Iterator[str]:
    if certificate.summary.began is None:
        return
    yield "<h2>What was seen when</h2>\n<figure>\n"
    yield from timeline(certificate)
    drawn = len([each for each in certificate.resources if each.versions])
    kept = f"; {MOST_ROWS} of {drawn:,} are drawn, evenly chosen" if drawn > MOST_ROWS else ""
    yield f"<figcaption>Each line is a resource, from its first look to its last, in the order of the first{kept}.<br>"
    for verdict in certificate.summary.all.verdicts:
        name, meaning = VERDICTS[verdict]
        yield f'<span class="key {verdict.value}">{name}</span> {meaning}<br>'
    yield "</figcaption>\n</figure>\n"


def _figures(summary: Summary) -> Iterator[str]:
    named = (("pages", summary.pages), ("embeds", summary.embeds), ("others", summary.others), ("all", summary.all))
    yield "<h2>Figures</h2>\n<div class=wide><table><thead>"
    yield row(
        "", "resources", "judged", "coherent", "share", "firm", "together", "expected", "of rated", "blur", tag="th"
    )
    yield "</thead><tbody>\n"
    for name, figures in named:
        yield row(name, *_cells(figures))
    yield "</tbody></table></div>\n" + FIGURES


def _cells(figures: Figures) -> list[str]:
    share = "" if figures.coherence is None else f"{figures.coherence:.1%}"
    expected = "unknown" if figures.expected_coherent is None else f"{figures.expected_coherent:,.1f}"
    rated = "" if figures.expected_coherent is None else f"{figures.rated_coherent:,} of {figures.rated:,}"
    blur = "unknown" if figures.expected_blur is None else _small(figures.expected_blur)
    numbers = (figures.resources, figures.judged, figures.coherent)
    return [
        *(f"{each:,}" for each in numbers),
        share,
        f"{figures.firm:,}",
        f"{figures.agreeing:,}",
        expected,
        rated,
        blur,
    ]


def _small(number: float) -> str:
    return "under 0.001" if 0 < number < 0.001 else f"{number:,.3g}"


def _caveats(summary: Summary) -> Iterator[str]:
    yield "<h2>What has to be known</h2>\n<ul>\n"
    if not summary.is_revisited:
        yield "<li>Nothing was looked at twice, so nothing is certified beyond the instant of each look.</li>\n"
    if summary.setback >= 60:
        yield (
            f"<li>In the order in which records were stored, their moments run back by up to {summary.setback:,.0f} "
            "seconds: a download took that long, or the clock was set back.</li>\n"
        )
    for caveat, count in summary.caveats.items():
        yield f"<li>{CAVEATS[caveat]} <span class=count>{count:,} of {summary.all.resources:,} resources</span></li>\n"
    if Verdict.APEX in summary.all.verdicts:
        yield f"<li>Apex: {VERDICTS[Verdict.APEX][1]}. It is known for its one instant and counts as coherent.</li>\n"
    yield f"<li>{DIGESTS}</li>\n</ul>\n"


def _subsites(summary: Summary) -> Iterator[str]:
    if len(summary.subsites) < 2:
        return
    largest = sorted(summary.subsites, key=lambda each: (-each.figures.resources, each.name))[:MOST_SUBSITES]
    yield "<h2>Parts of the site</h2>\n<div class=wide><table><thead>"
    yield row("part", "resources", "judged", "coherent", "share", "together", "from", "to", tag="th")
    yield "</thead><tbody>\n"
    for each in largest:
        accord = each.accord
        when = (clock(accord.start), clock(accord.end)) if accord else ("", "")
        fit = f"{accord.resources:,}" if accord else ""
        yield row(shown(each.name), *_cells(each.figures)[:4], fit, *when)
    yield "</tbody></table></div>\n"
    yield _left_out(len(summary.subsites), len(largest))


def _list(title: str, resources: list[Resource] | tuple[Resource, ...]) -> Iterator[str]:
    if not resources:
        return
    yield f"<h2>{title}</h2>\n<div class=wide><table class=list><thead>"
    yield row("verdict", "first look", "last look", "what was found", "URL and digest", tag="th")
    yield "</thead><tbody>\n"
    for each in resources[:MOST_LISTED]:
        yield _resource_row(each)
    yield "</tbody></table></div>\n"
    yield _left_out(len(resources), min(len(resources), MOST_LISTED))


def _resource_row(resource: Resource) -> str:
    name = f'<span class="key {resource.verdict.value}">{VERDICTS[resource.verdict][0]}</span>'
    versions = resource.versions
    looks = (clock(versions[0].first), clock(versions[-1].last)) if versions else ("", "")
    digests = "<br>".join(f"<code>{shown(str(each.digest))}</code>" for each in versions if each.digest is not None)
    caveats = f"<br><small>{', '.join(resource.caveats)}</small>" if resource.caveats else ""
    return row(name, *looks, shown(why(resource)) + caveats, f"{shown(resource.url)}<br>{digests}")


def _left_out(count: int, listed: int) -> str:
    return (
        f"<p>{listed:,} of {count:,} are listed; the certificate as JSON has them all.</p>\n" if listed < count else ""
    )


def _ending(summary: Summary) -> str:
    command = f"webkeep certify ARCHIVE --capture {shown(summary.capture)}"
    return f"<footer><p>To derive it again: <code>{command}</code></p></footer>\n</body></html>\n"
