"""`webkeep export`: hand on an archive, or a part of it, as WACZ, WARC, CDXJ or client-side states: when standard
output will do, and what is said.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from webkeep.api import STANDARD_OUTPUT, ExportFormat, ExportRequest, make_signing_request, run_export
from webkeep.cli.options.selection_options import add_selection_arguments, selection_request_from_arguments
from webkeep.cli.options.signing_options import add_signing_options, signing_request_from_arguments
from webkeep.cli.options.stamp_options import add_stamp_options, stamp_request_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.presentation import format_count

_COUNTED_THINGS = {"records": "record", "index_lines": "index line", "pages": "page", "states": "state"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--wacz", metavar="FILE", help="records, index and pages in one file (- for standard output)")
    target.add_argument("--warc", metavar="FILE", help="records only (- for standard output)")
    target.add_argument("--cdxj", metavar="FILE", help="index only (- for standard output)")
    target.add_argument(
        "--states", metavar="FILE", help="client-side states: .json with all that is known, or .graphml"
    )
    parser.add_argument("--post", action="store_true", help="with --cdxj: keys for requests with a body")
    parser.add_argument("--title", default="", metavar="TEXT", help="with --wacz: its title")
    parser.add_argument("--dumps", action="store_true", help="take dumps of databases along, which are left out else")
    parser.add_argument("--replace", action="store_true", help="write over FILE if it is there")
    add_selection_arguments(parser)
    add_signing_options(parser, is_always_signed=False)
    add_stamp_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the export; nothing is left behind where it fails."""
    kind = next(each for each in ExportFormat if getattr(args, each) is not None)
    wanted = selection_request_from_arguments(args)
    request = ExportRequest(
        args.archive,
        kind,
        getattr(args, kind),
        wanted,
        args.title,
        args.post,
        args.replace,
        args.dumps,
        make_signing_request(args.sign, signing_request_from_arguments(args)),
        stamp_request_from_arguments(args, Path(getattr(args, kind))) if args.tsa else None,
    )
    stream = None
    if request.is_to_stream:
        _check_standard_output(out, is_text=kind in (ExportFormat.CDXJ, ExportFormat.STATES))
        stream = sys.stdout.buffer
    done = run_export(request, WorkView(out), stream, out.line if stream is not None and out.is_terminal else None)
    told = " and ".join(format_count(number, _COUNTED_THINGS[key]) for key, number in done.counts.items())
    place = "standard output" if done.file == STANDARD_OUTPUT else done.file
    for each in done.unstamped or ():
        out.line(f"No time stamp came: {each}; webkeep stamp asks again later.")
    signed = f", signed by {done.key}" if done.key else ""
    out.summary(done.to_dict(), f"wrote {told} to {place}{signed}")
    return FINDINGS if done.unstamped else DONE


def _check_standard_output(out: Output, is_text: bool) -> None:
    if out.as_json:
        raise UsageError("the export and --json would mix on standard output; name a file instead of -")
    if out.is_terminal and not is_text:
        raise UsageError(
            "this is not plain text and could disturb the terminal; name a file instead of -, or use a pipe"
        )
