"""The report of the laboratory: one HTML page with all tables and plots, which needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from webkeep.lab.coherence.cell import Agreement, Block, Cell, counted, near_published
from webkeep.lab.coherence.comparison import Duel, tally
from webkeep.lab.coherence.plot import Line, legend, plot
from webkeep.lab.coherence.simulated import SIMULATED

_CLASSES = {Agreement.AGREES: "agrees", Agreement.DIFFERS: "differs", Agreement.EXPLAINED: "known"}
_COLOURS = 8
_DASHES = ("", "dashed", "dotted")
_SAME_FOR_ALL = "hottest-first-fifo"
"""With FIFO revisits the order of visits makes no difference, so that one line stands for all."""


@dataclass(frozen=True, slots=True)
class Report:
    """What goes into the page."""

    blocks: Sequence[Block]
    duels: Sequence[Duel] = ()
    frontier: str = ""
    """A sentence on the crawls that went through the frontier."""


def page(report: Report) -> str:
    """The whole page."""
    style = (files("webkeep.lab.coherence") / "report.css").read_text(encoding="utf-8")
    body = "".join(_body(report))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Laboratory: blur and coherence</title>\n<style>\n{style}</style></head>\n<body>{body}</body></html>\n"
    )


def _body(report: Report) -> Iterable[str]:
    yield "<h1>Blur and coherence in the laboratory</h1>"
    yield (
        '<p class="faint">Each cell is the value expected by the model; below it, where there are such figures, '
        "<b>R</b>, recomputed from the published formulas, and <b>P</b>, as published from one simulated crawl.</p>"
    )
    yield _sums(report)
    if report.frontier:
        yield f"<p>{escape(report.frontier)}</p>"
    anchors = {block.table: None for block in report.blocks}
    yield "<nav>" + "".join(f'<a href="#t{escape(table)}">{escape(_name(table))}</a>' for table in anchors)
    yield ('<a href="#scouting">Scouting</a>' if report.duels else "") + "</nav>"
    for block in report.blocks:
        anchor = f' id="t{escape(block.table)}"' if anchors.pop(block.table, 0) is None else ""
        yield f"<section{anchor}><h2>{escape(_name(block.table))}: {escape(block.title)}</h2>"
        yield _table(block) + _figure(block)
        yield "".join(f"<p><span class='faint'>*</span> {escape(note)}</p>" for note in block.notes) + "</section>"
    if report.duels:
        yield _duels(report.duels)


def _name(table: str) -> str:
    return f"Table {table}" if table[0].isdigit() else table.capitalize()


def _sums(report: Report) -> str:
    counts = counted([block for block in report.blocks if block.table != SIMULATED])
    near, compared = near_published(report.blocks)
    held = sum(counts.values()) - counts[Agreement.UNTOLD]
    facts = [(f"{counts[Agreement.AGREES]:,} of {held:,}", "cells agree with the recomputed figure")]
    facts += [(f"{counts[kind]:,}", kind.value) for kind in (Agreement.EXPLAINED, Agreement.DIFFERS)]
    if compared:
        facts.append((f"{near:,} of {compared:,}", "published counts within three standard deviations"))
    return '<ul class="sums">' + "".join(f"<li><b>{number}</b>{words}</li>" for number, words in facts) + "</ul>"


def _table(block: Block) -> str:
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in block.columns)
    rows = "".join(
        f"<tr><th>{escape(row.label)}</th>{''.join(_cell(cell, block.digits) for cell in row.cells)}</tr>"
        for row in block.rows
    )
    top = f"<caption>{escape(block.measure)}</caption><thead><tr><th>{escape(block.axis)}</th>{head}</tr></thead>"
    return f'<div class="wide"><table>{top}{rows}</table></div>'


def _cell(cell: Cell, digits: int) -> str:
    if cell.value is None:
        return "<td>–</td>"
    mark = "*" if cell.agreement is Agreement.EXPLAINED else ""
    lines = []
    if cell.expected is not None:
        told = escape(cell.agreement.value)
        lines.append(
            f'<span class="{_CLASSES[cell.agreement]}" title="{told}">R {cell.expected.value:,.{digits}f}</span>'
        )
    if cell.published is not None:
        lines.append(f"P {cell.published:,.{min(digits, 2)}f}")
    return f"<td>{cell.value:,.{digits}f}{mark}<small>{'<br>'.join(lines)}</small></td>"


def _figure(block: Block) -> str:
    lines = list(_lines(block))
    is_scaled = block.axis not in {"site", "leaves"}
    if not is_scaled or max((len(line.points) for line in lines), default=0) < 2:
        return ""
    across = "parameter" if block.is_line_a_row else block.axis
    drawn = plot(lines, across, block.measure, is_log=block.axis == "pages")
    return f"<figure>{drawn}<figcaption>{escape(block.measure)}</figcaption>{legend(lines)}</figure>"


def _lines(block: Block) -> Iterable[Line]:
    if block.is_line_a_row:
        for number, row in enumerate(block.rows):
            points = [(float(column.name), cell.value) for column, cell in zip(block.columns, row.cells, strict=True)]
            yield Line(row.label, _known(points), _style(number // 2, number % 2))
        return
    number = 0
    for place, column in enumerate(block.columns):
        if column.name == "sharc-revisits" or (column.name.endswith("-fifo") and column.name != _SAME_FOR_ALL):
            continue
        heading = "Revisits, and FIFO in any order" if column.name == _SAME_FOR_ALL else column.heading
        yield Line(
            heading,
            _known([(row.place, row.cells[place].value) for row in block.rows]),
            _style(number, number // 3 % 3),
        )
        number += 1


def _known(points: Iterable[tuple[float, float | None]]) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in points if y is not None)


def _style(colour: int, dash: int) -> str:
    return f"l{colour % _COLOURS} {_DASHES[dash % len(_DASHES)]}".strip()


def _told(tallied: dict[str, int]) -> str:
    return ", ".join(f"{verdict} {count}" for verdict, count in tallied.items())


def _duels(duels: Sequence[Duel]) -> str:
    rows = "".join(
        f'<tr><td class="word">{escape(_name(duel.table))}</td><td class="word">{escape(duel.setting)}</td>'
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
    published = tally([duel for duel in duels if duel.is_published])
    elsewhere = tally([duel for duel in duels if not duel.is_published])
    summary = f"In published settings: {_told(published)}. In others: {_told(elsewhere)}"
    return (
        '<section id="scouting"><h2>Scouting beside the best published online strategy</h2>'
        f"<p>{summary} (level is within half a per cent). Incoherent pages expected; <i>all known</i> is "
        f'SHARC-Selective that knows every page beforehand.</p><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"{rows}</table></div></section>"
    )
