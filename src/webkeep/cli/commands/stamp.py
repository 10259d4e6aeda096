"""`webkeep stamp`: time stamps for a package that is signed already."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import StampSummary, run_stamp
from webkeep.cli.options.stamp_options import add_stamp_options, stamp_request_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_count, format_duration, format_instant


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument(
        "package", type=Path, metavar="FOLDER|FILE", help="a signed WACZ, or a folder with evidence.wacz"
    )
    add_stamp_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask every authority; one that gives nothing makes the exit code 1, none that does makes it 3."""
    done = run_stamp(stamp_request_from_arguments(args, args.package), WorkView(out))
    for each in done.result.answers:
        out.note(f"{each.stamp.authority} vouches for {format_instant(each.stamp.moment)} UTC")
    out.summary(done.to_dict(), _describe(done))
    if not done.result.answers:
        return UNFINISHED
    return FINDINGS if done.result.failures else DONE


def _describe(done: StampSummary) -> str:
    count, gap = len(done.result.answers), done.result.gap_seconds
    if not count:
        return "nobody gave a time stamp; the package is as it was"
    told = f"{format_count(count, 'time stamp')} put into {done.package.name}"
    if gap is None:
        return told
    if gap < 0:
        return f"{told}, {format_duration(-gap)} before the time of signing that it states: its clock was ahead"
    return f"{told}, {format_duration(gap)} after the time of signing that it states"
