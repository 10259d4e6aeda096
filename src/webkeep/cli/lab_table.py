"""Tables of the laboratory for people and programs."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.cli.output import Output
from webkeep.cli.table import Column, Table
from webkeep.lab.coherence import Agreement, Block, Cell, Duel, Row

_MARKS = {Agreement.EXPLAINED: "*", Agreement.DIFFERS: "!"}


def print_block(block: Block, out: Output) -> None:
    """The block: under each row, where there are such figures, what was recomputed and what was published."""
    for row in block.rows:
        for column, cell in zip(block.columns, row.cells, strict=True):
            out.event("cell", table=block.table, title=block.title, row=row.label, column=column.name, **_facts(cell))
    out.line(f"Table {block.table}. {block.title} ({block.measure})")
    headings = [Column(block.axis), *(Column(column.heading, right=True) for column in block.columns)]
    table = Table(headings, lambda text: out.line(f"  {text}"))
    for row in block.rows:
        for cells in _lines(row, block.digits):
            table.row(*cells)
    table.end()
    for note in block.notes:
        out.line(f"  * {note}")
    out.line()


def print_duels(duels: Sequence[Duel], out: Output) -> None:
    """Scouting beside the best published strategy, setting by setting."""
    out.line("Scouting beside the best published online strategy (incoherent pages expected)")
    table = Table(
        [Column("table"), Column("setting"), Column("best published"), Column("its pages", right=True),
         Column("scouting", right=True), Column("difference", right=True), Column(""), Column("all known", right=True)],
        lambda text: out.line(f"  {text}"),
    )  # fmt: skip
    for duel in duels:
        out.event(
            "duel", table=duel.table, setting=duel.setting, best=duel.best, published=round(duel.published, 2),
            scouting=round(duel.ours, 2), difference=round(duel.difference, 6), verdict=duel.verdict,
            all_known=round(duel.knowing_all, 2),
        )  # fmt: skip
        numbers = (f"{duel.published:,.1f}", f"{duel.ours:,.1f}", f"{duel.difference:+.2%}")
        table.row(duel.table, duel.setting, duel.best, *numbers, duel.verdict, f"{duel.knowing_all:,.1f}")
    table.end()
    out.line()


def _facts(cell: Cell) -> dict[str, object]:
    return {
        "value": None if cell.value is None else round(cell.value, 6),
        "spread": round(cell.spread, 6),
        "deviation": round(cell.deviation, 3),
        "recomputed": None if cell.expected is None else cell.expected.value,
        "published": cell.published,
        "agreement": cell.agreement.name.lower(),
    }


def _lines(row: Row, digits: int) -> list[tuple[str, ...]]:
    lines = [(row.label, *(_value(cell, digits) for cell in row.cells))]
    if any(cell.expected for cell in row.cells):
        figures = (f"{cell.expected.value:,.{digits}f}" if cell.expected else "" for cell in row.cells)
        lines.append(("  recomputed", *figures))
    if any(cell.published is not None for cell in row.cells):
        printed = ("" if cell.published is None else f"{cell.published:,.{min(digits, 2)}f}" for cell in row.cells)
        lines.append(("  published", *printed))
    return lines


def _value(cell: Cell, digits: int) -> str:
    return "–" if cell.value is None else f"{cell.value:,.{digits}f}{_MARKS.get(cell.agreement, '')}"
