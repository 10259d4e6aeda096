"""The section of a report on damage: what pages lost with their missing parts, the worst of them, walls stored as
pages, and scripts that wanted more.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.presentation import format_count, format_share
from webkeep.presentation.drawings import render_bar_chart, render_figure
from webkeep.presentation.pages import element, render_table
from webkeep.quality.damage import DamagedPage
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.report_parts import count_cell, render_folded, render_numbers, shorten_url


def render_damage_section(report: ArchiveReport) -> Iterator[object]:
    """What is lost of the pages of the capture."""
    figures = report.damage
    yield element(
        "p",
        f"{format_count(figures.looked_at, 'page')} of {figures.pages:,} looked at; "
        + (f"{figures.damaged:,} of them miss" if figures.damaged else "none of them misses")
        + " anything that a reader would see"
        + (f"; {figures.unreadable:,} could not be read." if figures.unreadable else "."),
    )
    kinds = [(str(kind), float(count), count_cell(count)) for kind, count in figures.missing_by_kind.items()]
    if kinds:
        yield render_figure(render_bar_chart("Missing parts by kind", kinds), "Missing parts of the pages looked at.")
        yield render_folded("The numbers", render_numbers(("kind", "missing"), [(row[0], row[2]) for row in kinds]))
    if figures.worst:
        yield element("h3", "Pages that lost most")
        rows = ((shorten_url(each.url), format_share(each.damage), _missing_words(each)) for each in figures.worst)
        yield from render_table(("page", "damage", "missing, what matters most first"), rows, class_="list worst")
    if figures.placeholders:
        yield element("h3", "Stored as pages, and none")
        shown = ((shorten_url(each.url), each.suspicion.value) for each in figures.placeholders)
        yield from render_table(("URL", "what it shows"), shown, class_="list")
    if figures.hungry:
        yield element("h3", "Scripts that wanted more")
        yield element("p", "These pages show little until their scripts have run, and no browser ran them; ",
                      element("code", "--browser always"), " has them run.")  # fmt: skip
        yield element("ul", [element("li", shorten_url(each)) for each in figures.hungry], class_="list")


def _missing_words(page: DamagedPage) -> object:
    told = [element("div", f"{each.kind}, {format_share(each.loss)}: {shorten_url(each.url)}") for each in page.worst]
    more = page.missing - len(page.worst)
    return [*told, element("div", f"and {more:,} more") if more > 0 else None]
