"""`webkeep cluster capture`: turn websites into archives, with as many workers as there is work for."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import DEFAULT_WORKER_HOSTS, PoolRequest, run_pooled_capture
from webkeep.cli.capture_run import describe_capture, describe_coherence, report_capture
from webkeep.cli.options.capture_options import ALONE_HELP, add_capture_options, capture_plan_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument(
        "--on",
        required=True,
        metavar="DATABASE",
        help="of the capture: postgresql://USER@HOST/NAME, the password elsewhere",
    )
    parser.add_argument(
        "--into",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="where its archives go: main, worker-1, worker-2; shared by all machines",
    )
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    parser.add_argument(
        "--whole",
        type=Path,
        metavar="ARCHIVE",
        help="bring what workers got into one archive, at the end and at stops",
    )
    parser.add_argument(
        "--replace", action="store_true", help="give up what else the database has under way; go on with what is this"
    )
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="a Ray cluster; without it Ray runs here alone")
    parser.add_argument(
        "--workers",
        default="",
        metavar="N|MIN-MAX",
        help="how many workers, or between which numbers (1 to as many as there are processors)",
    )
    parser.add_argument(
        "--hosts",
        dest="worker_hosts",
        type=int,
        default=DEFAULT_WORKER_HOSTS,
        metavar="N",
        help=f"how many hosts each has at once ({DEFAULT_WORKER_HOSTS})",
    )
    parser.add_argument("--alone", action="store_true", help=ALONE_HELP)
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, or go on with an unfinished capture of the same plan."""
    plan = capture_plan_from_arguments(args, out.note)
    view = CaptureProgressView(out, plan.retries > 0)
    request = PoolRequest(
        args.on, args.into, args.ray, args.workers, args.worker_hosts, args.whole, args.replace, args.alone
    )
    captured = run_pooled_capture(plan, request, view, WorkView(out), args.new)
    out.status("")
    code = report_capture(plan, captured, view, out)
    out.summary(captured.to_dict(), describe_capture(captured) + describe_coherence(captured.coherence))
    return FINDINGS if code == DONE and captured.flaws else code
