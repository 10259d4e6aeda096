"""`webkeep capture`: turn a website into an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_capture
from webkeep.cli.capture_run import describe_capture, describe_coherence, report_capture
from webkeep.cli.options.capture_options import ALONE_HELP, add_capture_options, capture_plan_from_arguments
from webkeep.cli.options.log_options import add_log_option
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.errors import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    parser.add_argument(
        "--on",
        metavar="DATABASE",
        default="",
        help="have workers on many machines carry it out: postgresql://USER@HOST/NAME, the password elsewhere",
    )
    parser.add_argument("--alone", action="store_true", help=ALONE_HELP)
    add_log_option(parser)
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, or go on with an unfinished capture of the same plan."""
    plan = capture_plan_from_arguments(args, out.note)
    view = CaptureProgressView(out, plan.retries > 0)
    if args.alone and not args.on:
        raise UsageError("--alone is for captures by many workers (--on); the archive of one machine needs no other")
    if args.on:
        if args.log:
            raise UsageError(
                "--log is for captures on one machine: the records of workers are in archives of their own"
            )
        from webkeep.api import ClusterRequest, run_cluster_capture

        request = ClusterRequest(args.on, args.into, args.new, readable_alone=args.alone)
        captured = run_cluster_capture(plan, request, view, WorkView(out))
    else:
        captured = run_capture(plan, args.into, view, WorkView(out), args.new, args.log)
    out.status("")
    code = report_capture(plan, captured, view, out)
    out.summary(captured.to_dict(), describe_capture(captured) + describe_coherence(captured.coherence))
    return code
