"""The home page: archives with their sites and captures."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.certificate import Summary
from webkeep.model import Moment
from webkeep.web.figures import ArchiveFigures, CaptureFigures, SiteFigures
from webkeep.web.frame import document
from webkeep.web.markup import Markup, element
from webkeep.web.numbers import counted, date, instant, size


def home_page(archives: Sequence[ArchiveFigures]) -> bytes:
    """The page."""
    title = archives[0].name if len(archives) == 1 else counted(len(archives), "archive")
    return document(title, *[_archive(each) for each in archives])


def _archive(archive: ArchiveFigures) -> Markup:
    total = archive.overview
    facts = [counted(total.urls, "address", "addresses"), counted(total.observations, "version"), size(total.disk_size)]
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
    return element("div", element("h2", "Sites"), _table(("Site", "Versions", "From", "To"), rows), more)


def _site(site: SiteFigures) -> Markup:
    versions = f"{site.versions:,}{'+' if site.is_more else ''}"
    return element(
        "tr",
        element("td", element("a", site.host, href=f"/search?q={site.host}")),
        element("td", versions, class_="number"),
        element("td", date(site.first), class_="less"),
        element("td", date(site.last)),
    )


def _captures(captures: Sequence[CaptureFigures]) -> Markup | None:
    if not captures:
        return None
    head = ("Captured", "What", "Addresses", "Size", "Coherence")
    return element("div", element("h2", "Captures"), _table(head, [_capture(each) for each in captures]))


def _capture(figures: CaptureFigures) -> Markup:
    capture = figures.capture
    seeds = ", ".join(capture.seeds[:3]) + (" …" if len(capture.seeds) > 3 else "")
    state = None if capture.finished else element("span", " · not finished", class_="warn")
    return element(
        "tr",
        element("td", instant(capture.started)),
        element("td", capture.kind, f" of {seeds}" if seeds else None, state),
        element("td", f"{figures.totals.urls:,}", class_="number"),
        element("td", size(figures.totals.size), class_="less"),
        element("td", coherence_words(figures.certificate)),
    )


def coherence_words(summary: Summary | None) -> str:
    """What a certificate says, in a few words."""
    if summary is None:
        return "not certified"
    accord = summary.accord
    return (
        "certified; no common moment" if accord is None else f"{accord.resources:,} fit together {date(accord.start)}"
    )


def _table(head: Sequence[str], rows: Sequence[Markup]) -> Markup:
    less = {"From", "Size"}
    numbers = {"Versions", "Addresses"}
    cells = [
        element("th", each, scope="col", class_="less" if each in less else "number" if each in numbers else None)
        for each in head
    ]
    return element(
        "div", element("table", element("thead", element("tr", *cells)), element("tbody", *rows)), class_="scroll"
    )


def _dates(first: Moment, last: Moment) -> str:
    return date(first) if date(first) == date(last) else f"{date(first)} to {date(last)}"
