"""`webkeep remove`: a takedown; without `--yes` it only says what would go. Here are decided what is said, and the exit
code.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import RemovalRequest, preview_removal, run_removal
from webkeep.cli.options.selection_options import add_selection_arguments, selection_request_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.model import Observation
from webkeep.presentation import format_count, format_size
from webkeep.url import UrlMatch


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    add_selection_arguments(parser, UrlMatch.EXACT)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the tombstone")
    parser.add_argument("--yes", action="store_true", help="really remove; without it, only say what would be")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what is selected, or say what that would be."""
    request = RemovalRequest(args.archive, selection_request_from_arguments(args), args.reason)
    return _remove_records(request, out) if args.yes else _preview_removal(request, out)


def _preview_removal(request: RemovalRequest, out: Output) -> int:
    def print_observation(observation: Observation) -> None:
        out.line(f"{observation.moment}  {observation.url}")
        out.event("would-remove", url=observation.url, moment=observation.moment.iso())

    done = preview_removal(request, WorkView(out), print_observation)
    count = done.would_remove or 0
    what = f"{format_count(count, 'record')} ({format_size(done.bytes or 0)}) would be removed; give --yes to do it"
    out.summary(done.to_dict(), what if count else _nothing_words(request))
    return DONE if count else FINDINGS


def _remove_records(request: RemovalRequest, out: Output) -> int:
    done = run_removal(request, WorkView(out))
    mended = f", mended {format_count(done.repaired, 'revisit')} of what they held" if done.repaired else ""
    words = (
        f"removed {format_count(done.removed or 0, 'record')}{mended}; "
        "reports and the words for searching, in which they may have stood, are cleared and made again when needed"
    )
    out.summary(done.to_dict(), words if done.removed else _nothing_words(request))
    return DONE if done.removed and not done.findings else FINDINGS


def _nothing_words(request: RemovalRequest) -> str:
    return f"nothing is selected and nothing removed; webkeep list {request.archive} shows what is there"
