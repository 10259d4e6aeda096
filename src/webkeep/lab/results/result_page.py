"""The report of a laboratory: one HTML page with all tables and plots, which needs nothing from outside; how a figure
stands there beside what it is held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.lab.results.result_table import ResultAgreement, ResultCell, ResultColumn, ResultRow, ResultTable
from webkeep.presentation.drawings import render_figure, render_legend, render_line_plot
from webkeep.presentation.pages import Markup, element, join_markup, render_table, stream_report

_AGREEMENT_CLASSES = {
    ResultAgreement.AGREES: "agrees",
    ResultAgreement.DIFFERS: "differs",
    ResultAgreement.EXPLAINED: "known",
}


@dataclass(frozen=True, slots=True)
class ResultSection:
    """A section that is no table of figures, and what leads to it."""

    anchor: str
    name: str
    heading: str
    content: Markup


@dataclass(frozen=True, slots=True)
class ResultReport:
    """What goes into the page."""

    title: str
    heading: str
    introduction: Markup
    sums: Sequence[tuple[str, str]]
    """Numbers that it comes to, each with its words."""
    tables: Sequence[ResultTable]
    remark: str = ""
    sections: Sequence[ResultSection] = ()


def render_result_page(report: ResultReport) -> bytes:
    """The whole page."""
    return b"".join(stream_report(report.title, _render_body(report)))


def _render_body(report: ResultReport) -> Iterator[object]:
    yield element("h1", report.heading)
    yield element("p", report.introduction, class_="soft")
    yield element("ul", [element("li", element("b", number), words) for number, words in report.sums], class_="sums")
    yield element("p", report.remark) if report.remark else None
    first = {table.name: table for table in reversed(report.tables)}
    yield element("nav", [_render_link(*each) for each in _list_anchors(report, first)])
    for table in report.tables:
        anchor = f"t{table.name}" if first[table.name] is table else None
        yield element("section", *_render_result(table), id=anchor)
    for each in report.sections:
        yield element("section", element("h2", each.heading), each.content, id=each.anchor)


def _list_anchors(report: ResultReport, first: dict[str, ResultTable]) -> Iterator[tuple[str, str]]:
    yield from ((f"t{name}", first[name].label or name) for name in dict.fromkeys(each.name for each in report.tables))
    yield from ((each.anchor, each.name) for each in report.sections)


def _render_link(anchor: str, name: str) -> Markup:
    return element("a", name, href=f"#{anchor}")


def _render_result(table: ResultTable) -> Iterator[object]:
    yield element("h2", f"{table.label or table.name}: {table.title}")
    head = (table.axis, *(column.heading for column in table.columns))
    rows = (_row_cells(table, row) for row in table.rows)
    yield from render_table(head, rows, class_="figures", caption=table.measure or None)
    plot = render_line_plot(table.lines, table.across, table.upward, table.is_log)
    yield render_figure(join_markup((plot, render_legend(table.lines))) if plot else plot, table.upward)
    yield [element("p", note, class_="soft") for note in table.notes]


def _row_cells(table: ResultTable, row: ResultRow) -> Iterator[object]:
    yield element("th", row.label)
    for cell, column in zip(row.cells, table.columns, strict=True):
        yield _cell_content(cell, column, table.reference[:1].upper())


def _cell_content(cell: ResultCell, column: ResultColumn, letter: str) -> object:
    """A figure, and below it what it is held against, in the colour of how it stands to that."""
    if cell.value is None:
        return "–"
    mark = "*" if cell.agreement is ResultAgreement.EXPLAINED else ""
    beside = [f"{letter} {column.format_value(cell.reference)}"] if cell.reference is not None else []
    beside += [f"P {column.format_published(cell.published)}"] if cell.published is not None else []
    if not beside:
        return f"{column.format_value(cell.value)}{mark}"
    held = element(
        "span",
        beside[0],
        class_=_AGREEMENT_CLASSES.get(cell.agreement),
        title=cell.reason or cell.agreement.value if cell.agreement in _AGREEMENT_CLASSES else None,
    )
    lines = (held, [(element("br"), each) for each in beside[1:]])
    return f"{column.format_value(cell.value)}{mark}", element("small", lines)


def sum_agreements(counts: dict[ResultAgreement, int], words: str) -> list[tuple[str, str]]:
    """The numbers of figures that agree and that differ, as a report begins with them."""
    held = sum(counts.values()) - counts[ResultAgreement.UNTOLD]
    differing = (ResultAgreement.EXPLAINED, ResultAgreement.DIFFERS)
    return [
        (f"{counts[ResultAgreement.AGREES]:,} of {held:,}", words),
        *((f"{counts[kind]:,}", kind.value) for kind in differing),
    ]
