"""The report of the laboratory: one page that needs nothing from outside, in light and dark."""

import re
from html.parser import HTMLParser

from webkeep.lab.coherence import CoherenceReport, StrategyDuel, render_report
from webkeep.lab.coherence.coherence_table import CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.reference_figures import ExpectedFigure
from webkeep.lab.results import ResultColumn, ResultRow

COLUMNS = (ResultColumn("sharc-selective", "Selective <online>"), ResultColumn("hottest-first-fifo", "HF FIFO"))


def report() -> str:
    expected = ExpectedFigure(9, 0.5)
    rows = tuple(
        ResultRow(
            label,
            (CrawlFigure(value).beside(ExpectedFigure(value, 0.5), 17), CrawlFigure(None).beside()),
            float(label),
        )
        for label, value in (("10", 3.0), ("100", 1234.0))
    )
    odd = ResultRow("1000", (CrawlFigure(5.0).beside(expected, reason="<why>"), CrawlFigure(5.0).beside(expected)), 1e3)
    subject = TableSubject("5.9", "Sizes & <b>", "pages", "incoherent pages")
    table = build_table(subject, COLUMNS, (*rows, odd), ("<why>",))
    duel = StrategyDuel("5.9", "cold leaves", "HF", 100, 90, 80)
    return render_report(CoherenceReport([table], [duel], "36 of 36 crawls")).decode()


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
    assert "<h2>Table 5.9: Sizes" in text
    assert "<b>2 of 4</b>cells agree" in text
    assert "36 of 36 crawls" in text
    assert "-10.00%" in text
