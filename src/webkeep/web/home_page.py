"""The home page: archives with their sites and captures; their columns, where they link to, and the words for what a
certificate says of coherence.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.certificates import CertificateSummary
from webkeep.model import Moment
from webkeep.presentation import format_count, format_date, format_moment, format_size
from webkeep.presentation.pages import Markup, element, join_markup, render_table
from webkeep.url import surt
from webkeep.web.archive_figures import MAX_FRONT_PAGES, ArchiveFigures, CaptureFigures, SiteFigures
from webkeep.web.page_frame import render_document
from webkeep.web.version_calendar import view_url

_NUMBER_COLUMNS = {"Observations", "URLs", "Size"}


def render_home_page(archives: Sequence[ArchiveFigures]) -> bytes:
    """The page."""
    title = archives[0].name if len(archives) == 1 else format_count(len(archives), "archive")
    return render_document(title, *[_render_archive(*each) for each in enumerate(archives)])


def _render_archive(number: int, archive: ArchiveFigures) -> Markup:
    total = archive.overview
    facts = [
        format_count(total.urls, "URL"),
        format_count(total.observations, "observation"),
        format_size(total.disk_size),
    ]
    if total.first is not None and total.last is not None:
        facts.append(_date_range_words(total.first, total.last))
    report = element("li", element("a", "What it is worth", href=f"/report/{number}")) if archive.has_report else None
    listed = element("ul", *[element("li", each) for each in facts], report, class_="facts")
    return element(
        "section", element("h1", archive.name), listed, _render_sites(archive), _render_captures(archive.captures),
    )  # fmt: skip


def _render_sites(archive: ArchiveFigures) -> Markup | None:
    if not archive.sites:
        return element("p", "Nothing has been captured yet.", class_="soft")
    rows = [_render_site(each) for each in archive.sites]
    more = element("p", "There are more sites; search for them.", class_="soft") if archive.has_more_sites else None
    return element("div", element("h2", "Sites"), _render_table(("Site", "Observations", "From", "To"), rows), more)


def _render_site(site: SiteFigures) -> Markup:
    versions = f"{site.versions:,}{'+' if site.is_more else ''}"
    search = f"/search?q={site.host}"
    front = view_url(site.front.url, site.front.moment) if site.front else search
    beside = element("a", "search", href=search, aria_label=f"Search {site.host}", class_="beside")
    return element(
        "tr",
        element("td", element("a", site.host, href=front, class_="address"), " ", beside, class_="first"),
        _render_cell("Observations", versions, "number"),
        _render_cell("From", format_date(site.first), "when"),
        _render_cell("To", format_date(site.last), "when"),
    )


def _render_captures(captures: Sequence[CaptureFigures]) -> Markup | None:
    if not captures:
        return None
    head = ("Captured", "What", "URLs", "New content", "Coherence")
    return element("div", element("h2", "Captures"), _render_table(head, [_render_capture(each) for each in captures]))


def _render_capture(figures: CaptureFigures) -> Markup:
    capture = figures.capture
    state = None if capture.finished else element("span", " · not finished", class_="warn")
    return element(
        "tr",
        element("td", _render_start(figures), class_="when first"),
        element("td", capture.kind, _render_seeds(figures), state),
        _render_cell("URLs", f"{figures.totals.urls:,}", "number"),
        _render_cell("New content", format_size(figures.totals.size), "number"),
        _render_cell("Coherence", "partly closed" if figures.is_partial else describe_coherence(figures.certificate)),
    )


def _render_start(figures: CaptureFigures) -> object:
    """When a capture began, and the way to what it began with."""
    words = format_moment(figures.capture.started)
    if not figures.fronts:
        return words
    return element("a", words, href=view_url(figures.fronts[0].url, figures.fronts[0].moment))


def _render_seeds(figures: CaptureFigures) -> Markup | None:
    """What was captured; a seed that is held is a link."""
    seeds = figures.capture.seeds
    if not seeds:
        return None
    held = {surt(each.url): view_url(each.url, each.moment) for each in figures.fronts}
    told: list[object] = []
    for seed in seeds[:MAX_FRONT_PAGES]:
        address = held.get(surt(seed))
        told += [", " if told else " of ", element("a" if address else "span", seed, href=address, class_="address")]
    return join_markup((*told, " …" if len(seeds) > MAX_FRONT_PAGES else None))


def describe_coherence(summary: CertificateSummary | None) -> str:
    """What a certificate says, in a few words."""
    if summary is None:
        return "not certified"
    together = summary.coherent_set
    return (
        "certified; no common moment"
        if together is None
        else f"{together.resources:,} of {summary.all.resources:,} stood together on {format_date(together.start)}"
    )


def _render_cell(label: str, content: str, kind: str | None = None) -> Markup:
    """A cell that says what it is where there is no room for a head."""
    return element("td", content, class_=kind, data_label=label)


def _render_table(head: Sequence[str], rows: Sequence[Markup]) -> Markup:
    cells = [element("th", each, scope="col", class_="number" if each in _NUMBER_COLUMNS else None) for each in head]
    return join_markup(render_table(cells, rows, class_="cards"))


def _date_range_words(first: Moment, last: Moment) -> str:
    return (
        format_date(first)
        if format_date(first) == format_date(last)
        else f"{format_date(first)} to {format_date(last)}"
    )
