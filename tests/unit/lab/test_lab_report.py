"""The report of the laboratory: one page that needs nothing from outside, in light and dark."""

import re
from html.parser import HTMLParser

import pytest

from webkeep.lab.coherence import CoherenceReport, StrategyDuel, TableBlock, TableCell, TableRow, render_report
from webkeep.lab.coherence.line_plot import PlotAxis, PlotLine, render_legend, render_plot
from webkeep.lab.coherence.reference_figures import ExpectedFigure
from webkeep.lab.coherence.table_block import TableColumn

COLUMNS = (TableColumn("sharc-selective", "Selective <online>"), TableColumn("hottest-first-fifo", "HF FIFO"))


def report() -> str:
    rows = tuple(
        TableRow(
            label, float(label), (TableCell(value, expected=ExpectedFigure(value, 0.5), published=17), TableCell(None))
        )
        for label, value in (("10", 3.0), ("100", 1234.0))
    )
    odd = TableRow(
        "1000",
        1000.0,
        (
            TableCell(5.0, expected=ExpectedFigure(9, 0.5), reason="<why>"),
            TableCell(5.0, expected=ExpectedFigure(9, 0.5)),
        ),
    )
    block = TableBlock("5.9", "Sizes & <b>", "pages", "incoherent pages", COLUMNS, (*rows, odd), notes=("<why>",))
    return render_report(
        CoherenceReport([block], [StrategyDuel("5.9", "cold leaves", "HF", 100, 90, 80)], "36 of 36 crawls")
    )


class Wellformed(HTMLParser):
    """Every element is closed in its turn."""

    EMPTY = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole() -> None:
    parser = Wellformed()
    parser.feed(report())
    assert parser.open == []
    assert {"svg", "table", "nav", "figure"} <= set(parser.seen)


def test_the_page_needs_nothing_from_outside() -> None:
    text = report()
    assert not re.search(r"https?:|src=|url\(|@import|<link|<script", text)
    assert "prefers-color-scheme: dark" in text
    assert "color-scheme: light dark" in text


def test_words_of_the_experiment_are_no_markup() -> None:
    text = report()
    assert "Selective &lt;online&gt;" in text
    assert "Sizes &amp; &lt;b&gt;" in text
    assert "&lt;why&gt;" in text


def test_cells_show_what_they_are_held_against() -> None:
    text = report()
    assert '1,234<small><span class="agrees" title="agrees">R 1,234</span><br>P 17</small>' in text
    assert '5*<small><span class="known"' in text
    assert '5<small><span class="differs"' in text
    assert "<td>–</td>" in text
    assert "<b>2 of 4</b>cells agree" in text
    assert "36 of 36 crawls" in text
    assert "-10.00%" in text


def test_lines_span_the_plot_from_the_least_to_the_most() -> None:
    drawn = render_plot([PlotLine("one", ((1.0, 0.0), (100.0, 10.0)), "l0")], "pages", "blur", is_log=True)
    assert 'd="M64.0 296.0L624.0 14.0"' in drawn
    assert "<title>one: 10</title>" in drawn
    assert render_plot([], "pages", "blur") == ""
    assert "one</li>" in render_legend([PlotLine("one", (), "l0")])


@pytest.mark.parametrize(
    ("axis", "share"), [(PlotAxis(1, 100, True), 0.5), (PlotAxis(0, 20), 0.5), (PlotAxis(10, 10), 0.5)]
)
def test_values_have_their_place_on_an_axis(axis: PlotAxis, share: float) -> None:
    assert axis.share(10) == pytest.approx(share)
