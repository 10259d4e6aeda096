"""The home page: archives with their sites and captures."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.certificate import Summary
from webkeep.model import Moment
from webkeep.url import surt
from webkeep.web.figures import FRONTS, ArchiveFigures, CaptureFigures, SiteFigures
from webkeep.web.frame import document
from webkeep.web.history import view_address
from webkeep.web.markup import Markup, element, together
from webkeep.web.numbers import counted, date, instant, size, times

_NUMBERS = {"Times seen", "Addresses", "Size"}


def home_page(archives: Sequence[ArchiveFigures]) -> bytes:
    """The page."""
    title = archives[0].name if len(archives) == 1 else counted(len(archives), "archive")
    return document(title, *[_archive(each) for each in archives])


def _archive(archive: ArchiveFigures) -> Markup:
    total = archive.overview
    facts = [
        counted(total.urls, "address", "addresses"),
        f"seen {times(total.observations)}",
        size(total.disk_size),
    ]
    if total.first is not None and total.last is not None:
        facts.append(_dates(total.first, total.last))
    listed = element("ul", *[element("li", each) for each in facts], class_="facts")
    return element(
        "section", element("h1", archive.name), listed, _sites(archive), _captures(archive.captures),
    )  # fmt: skip


def _sites(archive: ArchiveFigures) -> Markup | None:
    if not archive.sites:
        return element("p", "Nothing has been captured yet.", class_="soft")
    rows = [_site(each) for each in archive.sites]
    more = element("p", "There are more sites; search for them.", class_="soft") if archive.has_more_sites else None
    return element("div", element("h2", "Sites"), _table(("Site", "Times seen", "From", "To"), rows), more)


def _site(site: SiteFigures) -> Markup:
    versions = f"{site.versions:,}{'+' if site.is_more else ''}"
    search = f"/search?q={site.host}"
    front = view_address(site.front.url, site.front.moment) if site.front else search
    beside = element("a", "search", href=search, aria_label=f"Search {site.host}", class_="beside")
    return element(
        "tr",
        element("td", element("a", site.host, href=front, class_="address"), " ", beside, class_="first"),
        _cell("Times seen", versions, "number"),
        _cell("From", date(site.first), "when"),
        _cell("To", date(site.last), "when"),
    )


def _captures(captures: Sequence[CaptureFigures]) -> Markup | None:
    if not captures:
        return None
    head = ("Captured", "What", "Addresses", "Size", "Coherence")
    return element("div", element("h2", "Captures"), _table(head, [_capture(each) for each in captures]))


def _capture(figures: CaptureFigures) -> Markup:
    capture = figures.capture
    state = None if capture.finished else element("span", " · not finished", class_="warn")
    return element(
        "tr",
        element("td", _when(figures), class_="when first"),
        element("td", capture.kind, _seeds(figures), state),
        _cell("Addresses", f"{figures.totals.urls:,}", "number"),
        _cell("Size", size(figures.totals.size), "number"),
        _cell("Coherence", "partly closed" if figures.is_partial else coherence_words(figures.certificate)),
    )


def _when(figures: CaptureFigures) -> object:
    """When a capture began, and the way to what it began with."""
    words = instant(figures.capture.started)
    if not figures.fronts:
        return words
    return element("a", words, href=view_address(figures.fronts[0].url, figures.fronts[0].moment))


def _seeds(figures: CaptureFigures) -> Markup | None:
    """What was captured; a seed that is held is a link."""
    seeds = figures.capture.seeds
    if not seeds:
        return None
    held = {surt(each.url): view_address(each.url, each.moment) for each in figures.fronts}
    told: list[object] = []
    for seed in seeds[:FRONTS]:
        address = held.get(surt(seed))
        told += [", " if told else " of ", element("a" if address else "span", seed, href=address, class_="address")]
    return together((*told, " …" if len(seeds) > FRONTS else None))


def coherence_words(summary: Summary | None) -> str:
    """What a certificate says, in a few words."""
    if summary is None:
        return "not certified"
    accord = summary.accord
    return (
        "certified; no common moment"
        if accord is None
        else f"{accord.resources:,} of {summary.all.resources:,} stood together on {date(accord.start)}"
    )


def _cell(label: str, content: str, kind: str | None = None) -> Markup:
    """A cell that says what it is where there is no room for a head."""
    return element("td", content, class_=kind, data_label=label)


def _table(head: Sequence[str], rows: Sequence[Markup]) -> Markup:
    cells = [element("th", each, scope="col", class_="number" if each in _NUMBERS else None) for each in head]
    table = element("table", element("thead", element("tr", *cells)), element("tbody", *rows), class_="cards")
    return element("div", table, class_="scroll")


def _dates(first: Moment, last: Moment) -> str:
    return date(first) if date(first) == date(last) else f"{date(first)} to {date(last)}"
