"""The report of the laboratory of recovery: one HTML page with tables and plots, which needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from webkeep.lab.coherence.plot import legend, plot
from webkeep.lab.recovery.figure import Agreement, Block, Cell, Column, counted, near_published

_CLASSES = {Agreement.AGREES: "agrees", Agreement.DIFFERS: "differs", Agreement.EXPLAINED: "known"}


def page(blocks: Sequence[Block]) -> str:
    """The whole page."""
    style = (files("webkeep.lab.coherence") / "report.css").read_text(encoding="utf-8")
    body = "".join(_body(blocks))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Laboratory: recovery</title>\n<style>\n{style}</style></head>\n<body>{body}</body></html>\n"
    )


def _body(blocks: Sequence[Block]) -> Iterable[str]:
    yield "<h1>Recovery in the laboratory</h1>"
    yield (
        '<p class="faint">Each figure comes from simulated sites and repositories; below it, where there are such '
        "figures, <b>C</b>, of check runs with the same parameters, and <b>P</b>, as published in 2007.</p>"
    )
    yield _sums(blocks)
    names = list(dict.fromkeys(block.experiment for block in blocks))
    yield "<nav>" + "".join(f'<a href="#x{escape(name)}">{escape(name)}</a>' for name in names) + "</nav>"
    for block in blocks:
        anchor = ""
        if block.experiment in names:
            names.remove(block.experiment)
            anchor = f' id="x{escape(block.experiment)}"'
        yield f"<section{anchor}><h2>{escape(block.experiment)}: {escape(block.title)}</h2>"
        yield _table(block) + _figure(block)
        yield "".join(f"<p class='faint'>{escape(note)}</p>" for note in block.notes) + "</section>"


def _sums(blocks: Sequence[Block]) -> str:
    counts = counted(blocks)
    near, compared = near_published(blocks)
    held = sum(counts.values()) - counts[Agreement.UNTOLD]
    facts = [(f"{counts[Agreement.AGREES]:,} of {held:,}", "figures agree with what they are held against")]
    facts += [(f"{counts[kind]:,}", kind.value) for kind in (Agreement.EXPLAINED, Agreement.DIFFERS)]
    facts.append((f"{near:,} of {compared:,}", "published figures within the band"))
    return '<ul class="sums">' + "".join(f"<li><b>{number}</b>{words}</li>" for number, words in facts) + "</ul>"


def _table(block: Block) -> str:
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in block.columns)
    rows = "".join(
        f"<tr><th>{escape(each.label)}</th>"
        + "".join(_cell(cell, column) for cell, column in zip(each.cells, block.columns, strict=True))
        + "</tr>"
        for each in block.rows
    )
    return f'<div class="wide"><table><thead><tr><th>{escape(block.axis)}</th>{head}</tr></thead>{rows}</table></div>'


def _cell(cell: Cell, column: Column) -> str:
    if cell.value is None:
        return "<td>–</td>"
    agreement = cell.agreement(column)
    mark = (
        f'<span class="{_CLASSES[agreement]}" title="{escape(cell.reason or agreement.value)}">'
        if agreement in _CLASSES
        else "<span>"
    )
    lines = [f"C {column.text(cell.calibrated)}"] if cell.calibrated is not None else []
    lines += [f"P {column.text(cell.published)}"] if cell.published is not None else []
    beside = f"<small>{mark}{'<br>'.join(lines)}</span></small>" if lines else ""
    return f"<td>{column.text(cell.value)}{beside}</td>"


def _figure(block: Block) -> str:
    if not block.lines:
        return ""
    drawn = plot(block.lines, block.across, block.upward)
    return f"<figure>{drawn}<figcaption>{escape(block.upward)}</figcaption>{legend(block.lines)}</figure>"
