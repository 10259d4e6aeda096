"""Tables as people read them, and numbers as they write them."""

import argparse
import sys

import pytest

from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.table import PrintedColumn, PrintedTable, build_columns, cell_width, print_facts


def test_whole_numbers_are_read_and_never_too_large_for_a_list() -> None:
    assert parse_whole_number("1,000") == 1000
    assert parse_whole_number("9" * 40) == sys.maxsize
    for wrong in ("-1", "1.5", "many", "", "9" * 9999):
        with pytest.raises(argparse.ArgumentTypeError):
            parse_whole_number(wrong)


def table(rows: list[tuple[str, str, str]]) -> list[str]:
    lines: list[str] = []
    made = PrintedTable((PrintedColumn("name"), PrintedColumn("size", right=True), PrintedColumn("URL")), lines.append)
    for row in rows:
        made.add_row(*row)
    made.finish()
    return lines


def test_columns_are_aligned() -> None:
    assert table([("a", "1", "x"), ("long", "12345", "y")]) == ["name   size  URL", "a         1  x", "long  12345  y"]


def test_wide_letters_take_two_cells_and_marks_none() -> None:
    assert cell_width("日本") == 4
    assert cell_width("e\u0301") == 1
    assert table([("日本", "1", "x"), ("e\u0301", "2", "y")])[1:] == ["日本     1  x", "e\u0301        2  y"]


def test_a_table_without_rows_is_not_printed() -> None:
    assert table([]) == []


def test_cells_cannot_break_a_line() -> None:
    assert table([("a\nb", "\x1b[2J", "x")])[1] == r"a\nb  \x1b[2J  x"


def test_rows_are_printed_while_more_come() -> None:
    lines: list[str] = []
    made = PrintedTable((PrintedColumn("number"),), lines.append)
    for number in range(150):
        made.add_row(str(number))
    assert len(lines) == 151
    made.add_row("a cell wider than all before")
    assert lines[-1] == "a cell wider than all before"


def test_facts_without_a_value_are_left_out() -> None:
    lines: list[str] = []
    print_facts([("name", "x"), ("nothing", ""), ("a", "y")], lines.append)
    assert lines == ["name  x", "a     y"]
    print_facts([], lines.append)


def test_columns_are_named_by_their_headings_and_numbers_stand_on_the_right() -> None:
    assert build_columns("name", "size>") == (PrintedColumn("name"), PrintedColumn("size", right=True))
