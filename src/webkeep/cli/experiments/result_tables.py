"""Tables of results as `lab` commands print them: how cells that differ are marked, and what stands below a row; also
the check that a report can be written where `--out` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedColumn, PrintedTable
from webkeep.errors import UsageError
from webkeep.lab.results import ResultAgreement, ResultCell, ResultColumn, ResultRow, ResultTable
from webkeep.presentation import format_count

_AGREEMENT_MARKS = {ResultAgreement.EXPLAINED: "*", ResultAgreement.DIFFERS: "!"}


def check_report_path(path: Path | None) -> None:
    """Refuse a report that could not be written when all is done."""
    if path and not path.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {path.parent} to write {path.name} to; make it, or name another")
    if path and path.is_dir():
        raise UsageError(f"{path} is a directory; name a file in it")


def print_result_table(
    table: ResultTable, out: Output, tell_cell: Callable[[ResultRow, ResultColumn, ResultCell], None]
) -> None:
    """Print a table, under each row what it is held against and what was published; programs are told cell by cell."""
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            tell_cell(row, column, cell)
    measure = f" ({table.measure})" if table.measure else ""
    out.line(f"{table.label or table.name}. {table.title}{measure}")
    headings = [PrintedColumn(table.axis), *(PrintedColumn(column.heading, right=True) for column in table.columns)]
    printed = PrintedTable(headings, lambda text: out.line(f"  {text}"))
    for row in table.rows:
        for cells in _row_lines(table, row):
            printed.add_row(*cells)
    printed.finish()
    for note in table.notes:
        out.line(f"  {note}")
    out.line()


def round_figure(value: float | None, digits: int = 6) -> float | None:
    """A figure as programs get it."""
    return None if value is None else round(value, digits)


def difference_words(counts: dict[ResultAgreement, int]) -> list[str]:
    """How many figures differ, where some do."""
    explained, differ = counts[ResultAgreement.EXPLAINED], counts[ResultAgreement.DIFFERS]
    words = [f"{format_count(explained, 'differs', 'differ')} for a known reason"] if explained else []
    return [*words, *([format_count(differ, "differs", "differ")] if differ else [])]


def _row_lines(table: ResultTable, row: ResultRow) -> Iterator[tuple[str, ...]]:
    """The figures, and below them what they are held against."""
    pairs = list(zip(row.cells, table.columns, strict=True))
    yield row.label, *(_cell_text(cell, column) for cell, column in pairs)
    if any(cell.reference is not None for cell in row.cells):
        beside = ("" if cell.reference is None else column.format_value(cell.reference) for cell, column in pairs)
        yield f"  {table.reference}", *beside
    if any(cell.published is not None for cell in row.cells):
        printed = ("" if cell.published is None else column.format_published(cell.published) for cell, column in pairs)
        yield "  published", *printed


def _cell_text(cell: ResultCell, column: ResultColumn) -> str:
    return "–" if cell.value is None else f"{column.format_value(cell.value)}{_AGREEMENT_MARKS.get(cell.agreement, '')}"
