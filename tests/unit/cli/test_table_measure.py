"""Numbers, dates and tables as people read them."""

import argparse
import sys

import pytest

from webkeep.cli.output import number_format as measure
from webkeep.cli.output.table import PrintedColumn, PrintedTable, cell_width, print_facts
from webkeep.model import Moment


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (1_234_567_890, "1.2 GB"),
        (5 * 10**18, "5,000 PB"),
    ],
)
def test_sizes_are_short(count: int, text: str) -> None:
    assert measure.format_size(count) == text


def test_counts_dates_and_durations() -> None:
    assert measure.format_exact_size(12_345) == "12,345 bytes (12 kB)"
    assert measure.format_exact_size(12) == "12 bytes"
    assert measure.format_count(1, "record") == "1 record"
    assert measure.format_count(2_104, "record") == "2,104 records"
    assert measure.format_count(2, "copy", "copies") == "2 copies"
    assert measure.format_moment(Moment.parse("2024-03-01T12:00:00.123456Z")) == "2024-03-01 12:00:00"
    assert measure.format_moment(None, "unfinished") == "unfinished"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00022, "220 µs"), (0.0031, "3.1 ms"), (42, "42 s"), (300, "5 min"), (9000, "2.5 h"), (259_200, "3 days")],
)
def test_durations_have_the_unit_that_fits(seconds: float, text: str) -> None:
    assert measure.format_duration(seconds) == text


def test_whole_numbers_are_read_and_never_too_large_for_a_list() -> None:
    assert measure.parse_whole_number("1,000") == 1000
    assert measure.parse_whole_number("9" * 40) == sys.maxsize
    for wrong in ("-1", "1.5", "many", "", "9" * 9999):
        with pytest.raises(argparse.ArgumentTypeError):
            measure.parse_whole_number(wrong)


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


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.01 s"), (0.3, "0.3 s"), (0.345, "0.34 s"), (9.96, "10 s"), (42.4, "42 s"), (600, "10 min")],
)
def test_what_took_no_time_took_some(seconds: float, text: str) -> None:
    assert measure.format_elapsed(seconds) == text
