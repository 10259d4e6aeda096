"""Progress: a line that is redrawn on a terminal, events for programs, and nothing left behind."""

import io
import json
import os
import pty
import termios
from collections.abc import Iterator
from contextlib import suppress

import pytest

from webkeep.cli.output.console import Output
from webkeep.cli.progress.meter import ProgressMeter, format_progress
from webkeep.cli.progress.progress_printer import ProgressPrinter, RateMeter


@pytest.mark.parametrize(
    ("counted", "seconds", "line"),
    [
        ({"records": 1, "files": 0}, 0.2, "working: 1 record, 0 files"),
        ({"records": 3000, "files": 2}, 2.0, "working: 3,000 records, 2 files, 1,500 records a second, 2 s"),
        ({"files": 1, "bytes": 4_000_000}, 4.0, "working: 1 file, 4.0 MB, 1.0 MB a second, 4 s"),
        ({"index_lines": 1}, 1.0, "working: 1 index line, 1 index line a second, 1 s"),
        ({"bytes": 0}, 5.0, "working: 0 bytes, 5 s"),
        ({}, 130.0, "working: 2.17 min"),
    ],
)
def test_the_line(counted: dict[str, int], seconds: float, line: str) -> None:
    assert format_progress("working", counted, seconds) == line


def test_programs_get_events() -> None:
    out, err = io.StringIO(), io.StringIO()
    with ProgressMeter(Output(as_json=True, out=out, err=err), "working", lambda: {"records": 7}) as progress:
        progress.print_progress()
    event = json.loads(out.getvalue())
    assert (event["event"], event["doing"], event["records"]) == ("progress", "working", 7)
    assert err.getvalue() == ""


def test_it_is_said_no_more_often_than_somebody_wants_to_know() -> None:
    out = Output(as_json=False, out=io.StringIO(), err=io.StringIO())
    assert not ProgressPrinter(out, interval_seconds=3600).is_due()
    at_once = ProgressPrinter(out, interval_seconds=3600, begins_due=True)
    assert at_once.is_due()
    assert not at_once.is_due()
    always = ProgressPrinter(out, interval_seconds=0)
    assert always.is_due()
    assert always.is_due()


def test_a_log_gets_the_first_line_alone() -> None:
    err = io.StringIO()
    ProgressPrinter(Output(as_json=False, out=io.StringIO(), err=err)).print_progress(dict, lambda: ["first", "second"])
    assert err.getvalue() == "first\n"


def test_a_rate_needs_two_samples() -> None:
    rate = RateMeter()
    rate.add(5)
    assert (rate.per_second, rate.seconds_for(100)) == (0.0, 0.0)
    rate.add(5)
    assert (rate.per_second, rate.seconds_for(100)) == (0.0, 0.0)
    rate.add(50)
    assert rate.per_second > 0
    assert rate.seconds_for(0) == 0


def test_a_rate_is_of_what_is_counted_now() -> None:
    rate = RateMeter()
    for count in (50, 60, 1):
        rate.add(count)
    assert rate.per_second == 0.0, "another capture began; nothing came undone"


def test_a_log_gets_plain_lines() -> None:
    out, err = io.StringIO(), io.StringIO()
    with ProgressMeter(Output(as_json=False, out=out, err=err), "working", lambda: {"records": 7}) as progress:
        progress.print_progress()
    assert out.getvalue() == ""
    assert err.getvalue().startswith("working: 7 records")
    assert err.getvalue().endswith("\n")


@pytest.fixture
def terminal() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """A terminal of 20 columns: what it shows, and the end a program writes to."""
    shown, written = pty.openpty()
    termios.tcsetwinsize(written, (24, 20))
    with os.fdopen(written, "w", encoding="utf-8") as stream:
        yield shown, stream
    os.close(shown)


def all_of(shown: int, stream: io.TextIOWrapper) -> str:
    """All that was written to a terminal, which is closed."""
    stream.close()
    text = b""
    with suppress(OSError):  # the end of what a terminal shows is an error
        while piece := os.read(shown, 1000):
            text += piece
    return text.decode()


def on_screen(text: str) -> list[str]:
    """What a terminal shows in the end, where a carriage return leads back to the start of a line."""
    lines = []
    for line in text.split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return lines


def test_a_terminal_gets_one_line_that_fits_and_is_wiped(terminal: tuple[int, io.TextIOWrapper]) -> None:
    shown, stream = terminal
    out = Output(as_json=False, out=io.StringIO(), err=stream)
    with ProgressMeter(out, "working", lambda: {"records": 7_000_000}) as progress:
        progress.print_progress()
        out.note("a finding")
        progress.print_progress()
    text = all_of(shown, stream)
    assert text.startswith("working: 7,000,000 \r")
    assert on_screen(text) == ["a finding", ""]


def test_a_result_on_the_same_terminal_has_its_line_to_itself(terminal: tuple[int, io.TextIOWrapper]) -> None:
    shown, stream = terminal
    out = Output(as_json=False, out=stream, err=stream)
    with ProgressMeter(out, "working", lambda: {"records": 7}) as progress:
        progress.print_progress()
        out.line("one")
        out.line("two")
    assert on_screen(all_of(shown, stream)) == ["one", "two", ""]
