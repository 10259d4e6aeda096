"""The report of the laboratory of recovery: one HTML page with tables and plots, which needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from webkeep.lab.coherence.line_plot import render_legend, render_plot
from webkeep.lab.recovery.report.figure_block import (
    FigureAgreement,
    FigureBlock,
    FigureCell,
    FigureColumn,
    count_agreements,
    count_near_published,
)

_AGREEMENT_CLASSES = {
    FigureAgreement.AGREES: "agrees",
    FigureAgreement.DIFFERS: "differs",
    FigureAgreement.EXPLAINED: "known",
}


def render_report(blocks: Sequence[FigureBlock]) -> str:
    """The whole page."""
    style = (files("webkeep.lab.coherence") / "report.css").read_text(encoding="utf-8")
    body = "".join(_render_body(blocks))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Laboratory: recovery</title>\n<style>\n{style}</style></head>\n<body>{body}</body></html>\n"
    )


def _render_body(blocks: Sequence[FigureBlock]) -> Iterable[str]:
    yield "<h1>Recovery in the laboratory</h1>"
    yield (
        '<p class="faint">Each figure comes from simulated sites and repositories; below it, where there are such '
        "figures, <b>C</b>, of check runs with the same parameters, and <b>P</b>, as published in 2007.</p>"
    )
    yield _render_sums(blocks)
    names = list(dict.fromkeys(block.experiment for block in blocks))
    yield "<nav>" + "".join(f'<a href="#x{escape(name)}">{escape(name)}</a>' for name in names) + "</nav>"
    for block in blocks:
        anchor = ""
        if block.experiment in names:
            names.remove(block.experiment)
            anchor = f' id="x{escape(block.experiment)}"'
        yield f"<section{anchor}><h2>{escape(block.experiment)}: {escape(block.title)}</h2>"
        yield _render_table(block) + _render_figure(block)
        yield "".join(f"<p class='faint'>{escape(note)}</p>" for note in block.notes) + "</section>"


def _render_sums(blocks: Sequence[FigureBlock]) -> str:
    counts = count_agreements(blocks)
    near, compared = count_near_published(blocks)
    held = sum(counts.values()) - counts[FigureAgreement.UNTOLD]
    facts = [(f"{counts[FigureAgreement.AGREES]:,} of {held:,}", "figures agree with what they are held against")]
    facts += [(f"{counts[kind]:,}", kind.value) for kind in (FigureAgreement.EXPLAINED, FigureAgreement.DIFFERS)]
    facts.append((f"{near:,} of {compared:,}", "published figures within the band"))
    return '<ul class="sums">' + "".join(f"<li><b>{number}</b>{words}</li>" for number, words in facts) + "</ul>"


def _render_table(block: FigureBlock) -> str:
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in block.columns)
    rows = "".join(
        f"<tr><th>{escape(each.label)}</th>"
        + "".join(_render_cell(cell, column) for cell, column in zip(each.cells, block.columns, strict=True))
        + "</tr>"
        for each in block.rows
    )
    return f'<div class="wide"><table><thead><tr><th>{escape(block.axis)}</th>{head}</tr></thead>{rows}</table></div>'


def _render_cell(cell: FigureCell, column: FigureColumn) -> str:
    if cell.value is None:
        return "<td>–</td>"
    agreement = cell.agreement(column)
    mark = (
        f'<span class="{_AGREEMENT_CLASSES[agreement]}" title="{escape(cell.reason or agreement.value)}">'
        if agreement in _AGREEMENT_CLASSES
        else "<span>"
    )
    lines = [f"C {column.format_value(cell.calibrated)}"] if cell.calibrated is not None else []
    lines += [f"P {column.format_value(cell.published)}"] if cell.published is not None else []
    beside = f"<small>{mark}{'<br>'.join(lines)}</span></small>" if lines else ""
    return f"<td>{column.format_value(cell.value)}{beside}</td>"


def _render_figure(block: FigureBlock) -> str:
    if not block.lines:
        return ""
    drawn = render_plot(block.lines, block.across, block.upward)
    return f"<figure>{drawn}<figcaption>{escape(block.upward)}</figcaption>{render_legend(block.lines)}</figure>"
