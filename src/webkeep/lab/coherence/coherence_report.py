"""The report of the laboratory: one HTML page with all tables and plots, which needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from webkeep.lab.coherence.line_plot import PlotLine, render_legend, render_plot
from webkeep.lab.coherence.simulated_tables import SIMULATED_TABLE
from webkeep.lab.coherence.strategy_duels import StrategyDuel, count_verdicts
from webkeep.lab.coherence.table_block import (
    TableAgreement,
    TableBlock,
    TableCell,
    count_agreements,
    count_near_published,
)

_AGREEMENT_CLASSES = {
    TableAgreement.AGREES: "agrees",
    TableAgreement.DIFFERS: "differs",
    TableAgreement.EXPLAINED: "known",
}
_LINE_COLOURS = 8
"""Classes l0 to l7 of report.css."""
_LINE_DASHES = ("", "dashed", "dotted")
_FIFO_STRATEGY = "hottest-first-fifo"
"""With FIFO revisits the order of visits makes no difference, so that one line stands for all."""


@dataclass(frozen=True, slots=True)
class CoherenceReport:
    """What goes into the page."""

    blocks: Sequence[TableBlock]
    duels: Sequence[StrategyDuel] = ()
    frontier: str = ""
    """A sentence on the crawls that went through the frontier."""


def render_report(report: CoherenceReport) -> str:
    """The whole page."""
    style = (files("webkeep.lab.coherence") / "report.css").read_text(encoding="utf-8")
    body = "".join(_render_body(report))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Laboratory: blur and coherence</title>\n<style>\n{style}</style></head>\n<body>{body}</body></html>\n"
    )


def _render_body(report: CoherenceReport) -> Iterable[str]:
    yield "<h1>Blur and coherence in the laboratory</h1>"
    yield (
        '<p class="faint">Each cell is the value expected by the model; below it, where there are such figures, '
        "<b>R</b>, recomputed from the published formulas, and <b>P</b>, as published from one simulated crawl.</p>"
    )
    yield _render_sums(report)
    if report.frontier:
        yield f"<p>{escape(report.frontier)}</p>"
    anchors = {block.table: None for block in report.blocks}
    yield "<nav>" + "".join(f'<a href="#t{escape(table)}">{escape(_table_name(table))}</a>' for table in anchors)
    yield ('<a href="#scouting">Scouting</a>' if report.duels else "") + "</nav>"
    for block in report.blocks:
        anchor = f' id="t{escape(block.table)}"' if anchors.pop(block.table, 0) is None else ""
        yield f"<section{anchor}><h2>{escape(_table_name(block.table))}: {escape(block.title)}</h2>"
        yield _render_table(block) + _render_figure(block)
        yield "".join(f"<p><span class='faint'>*</span> {escape(note)}</p>" for note in block.notes) + "</section>"
    if report.duels:
        yield _render_duels(report.duels)


def _table_name(table: str) -> str:
    return f"Table {table}" if table[0].isdigit() else table.capitalize()


def _render_sums(report: CoherenceReport) -> str:
    counts = count_agreements([block for block in report.blocks if block.table != SIMULATED_TABLE])
    near, compared = count_near_published(report.blocks)
    held = sum(counts.values()) - counts[TableAgreement.UNTOLD]
    facts = [(f"{counts[TableAgreement.AGREES]:,} of {held:,}", "cells agree with the recomputed figure")]
    facts += [(f"{counts[kind]:,}", kind.value) for kind in (TableAgreement.EXPLAINED, TableAgreement.DIFFERS)]
    if compared:
        facts.append((f"{near:,} of {compared:,}", "published counts within three standard deviations"))
    return '<ul class="sums">' + "".join(f"<li><b>{number}</b>{words}</li>" for number, words in facts) + "</ul>"


def _render_table(block: TableBlock) -> str:
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in block.columns)
    rows = "".join(
        f"<tr><th>{escape(row.label)}</th>{''.join(_render_cell(cell, block.digits) for cell in row.cells)}</tr>"
        for row in block.rows
    )
    top = f"<caption>{escape(block.measure)}</caption><thead><tr><th>{escape(block.axis)}</th>{head}</tr></thead>"
    return f'<div class="wide"><table>{top}{rows}</table></div>'


def _render_cell(cell: TableCell, digits: int) -> str:
    if cell.value is None:
        return "<td>–</td>"
    mark = "*" if cell.agreement is TableAgreement.EXPLAINED else ""
    lines = []
    if cell.expected is not None:
        told = escape(cell.agreement.value)
        lines.append(
            f'<span class="{_AGREEMENT_CLASSES[cell.agreement]}" title="{told}">R '
            f"{cell.expected.value:,.{digits}f}</span>"
        )
    if cell.published is not None:
        lines.append(f"P {cell.published:,.{min(digits, 2)}f}")
    return f"<td>{cell.value:,.{digits}f}{mark}<small>{'<br>'.join(lines)}</small></td>"


def _render_figure(block: TableBlock) -> str:
    lines = list(_plot_lines(block))
    is_scaled = block.axis not in {"site", "leaves"}
    if not is_scaled or max((len(line.points) for line in lines), default=0) < 2:
        return ""
    across = "parameter" if block.is_line_a_row else block.axis
    drawn = render_plot(lines, across, block.measure, is_log=block.axis == "pages")
    return f"<figure>{drawn}<figcaption>{escape(block.measure)}</figcaption>{render_legend(lines)}</figure>"


def _plot_lines(block: TableBlock) -> Iterable[PlotLine]:
    if block.is_line_a_row:
        for number, row in enumerate(block.rows):
            points = [(float(column.name), cell.value) for column, cell in zip(block.columns, row.cells, strict=True)]
            yield PlotLine(row.label, _known_points(points), _line_style(number // 2, number % 2))
        return
    number = 0
    for place, column in enumerate(block.columns):
        if column.name == "sharc-revisits" or (column.name.endswith("-fifo") and column.name != _FIFO_STRATEGY):
            continue
        heading = "Revisits, and FIFO in any order" if column.name == _FIFO_STRATEGY else column.heading
        yield PlotLine(
            heading,
            _known_points([(row.place, row.cells[place].value) for row in block.rows]),
            _line_style(number, number // 3 % 3),
        )
        number += 1


def _known_points(points: Iterable[tuple[float, float | None]]) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in points if y is not None)


def _line_style(colour: int, dash: int) -> str:
    return f"l{colour % _LINE_COLOURS} {_LINE_DASHES[dash % len(_LINE_DASHES)]}".strip()


def _tally_words(tallied: dict[str, int]) -> str:
    return ", ".join(f"{verdict} {count}" for verdict, count in tallied.items())


def _render_duels(duels: Sequence[StrategyDuel]) -> str:
    rows = "".join(
        f'<tr><td class="word">{escape(_table_name(duel.table))}</td><td class="word">{escape(duel.setting)}</td>'
        f'<td class="word">{escape(duel.best)}</td><td>{duel.published:,.1f}</td><td>{duel.ours:,.1f}</td>'
        f'<td class="{duel.verdict}">{duel.difference:+.2%}</td><td class="word">{duel.verdict}</td>'
        f"<td>{duel.knowing_all:,.1f}</td></tr>"
        for duel in duels
    )
    head = "".join(
        f'<th class="word">{words}</th>'
        for words in (
            "table",
            "setting",
            "best published online",
            "its pages",
            "Scouting",
            "difference",
            "",
            "all known",
        )
    )
    published = count_verdicts([duel for duel in duels if duel.is_published])
    elsewhere = count_verdicts([duel for duel in duels if not duel.is_published])
    summary = f"In published settings: {_tally_words(published)}. In others: {_tally_words(elsewhere)}"
    return (
        '<section id="scouting"><h2>Scouting beside the best published online strategy</h2>'
        f"<p>{summary} (level is within half a per cent). Incoherent pages expected; <i>all known</i> is "
        f'SHARC-Selective that knows every page beforehand.</p><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"{rows}</table></div></section>"
    )
