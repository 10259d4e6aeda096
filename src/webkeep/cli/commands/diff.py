"""`webkeep diff`: what changed on a site between two captures or two moments: its options, and what is said of it and
of takedowns.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import DiffRequest, DiffSummary, run_diff
from webkeep.cli.output.change_lines import ChangePrinter, describe_change_counts
from webkeep.cli.output.console import Output
from webkeep.cli.output.takedowns import describe_takedowns
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count

_TOMBSTONES_ADVICE = "webkeep list {} --tombstones shows when and why"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "url", nargs="?", metavar="URL", help="this page alone, with all of its text around the changes"
    )
    parser.add_argument(
        "--from",
        dest="before",
        metavar="A",
        help="a capture (the start of its id) or a moment (default: the last but one)",
    )
    parser.add_argument("--to", dest="after", metavar="B", help="the same (default: the last capture)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it there as a page, side by side")


def run(args: argparse.Namespace, out: Output) -> int:
    """Compare; 1 says that something changed that matters."""
    lines = ChangePrinter(out, in_full=True, whole=args.url is not None)
    request = DiffRequest(args.archive, args.url, args.before, args.after, args.html)
    done = run_diff(request, WorkView(out), lines.print_change)
    if done.tombstones:
        out.note(describe_takedowns(done.tombstones, is_all=not any(done.changes.values())))
    elif done.taken_down:
        out.note(_left_out_words(done))
    told = f"{args.archive}: {done.before} and {done.after}: {describe_change_counts(done.changes)}"
    out.summary(done.to_dict(), told + ("" if args.html is None else f"; see {args.html}"))
    return DONE if done.is_same and (any(done.changes.values()) or args.url is None) else FINDINGS


def _left_out_words(done: DiffSummary) -> str:
    what, be = format_count(done.taken_down, "URL"), "is" if done.taken_down == 1 else "are"
    return f"{what} taken down since {be} left out; {_TOMBSTONES_ADVICE.format(done.archive)}"
