"""`webkeep worker`: take part in a capture that many machines carry out."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import DEFAULT_WORKER_HOSTS, WorkerRequest, WorkerSummary, run_worker
from webkeep.cli.output.console import Output
from webkeep.cli.output.outcome_words import describe_outcome_counts
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_size


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument(
        "--join", required=True, metavar="DATABASE", help="where the capture was begun: postgresql://USER@HOST/NAME"
    )
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="an archive for this worker alone; made if needed"
    )
    parser.add_argument(
        "--hosts",
        type=int,
        default=DEFAULT_WORKER_HOSTS,
        metavar="N",
        help=f"how many hosts it has at once ({DEFAULT_WORKER_HOSTS})",
    )
    parser.add_argument("--name", default="", help="by which name it is known (this machine's, and the archive's)")
    parser.add_argument(
        "--store", type=Path, metavar="FOLDER", help="a folder that machines share: WARC files that are full move there"
    )
    parser.add_argument("--wait", action="store_true", help="wait for a capture, where none is under way")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take part until the capture is over."""
    if args.hosts < 1:
        raise UsageError(f"--hosts cannot be {args.hosts}; give it one at least")
    request = WorkerRequest(args.join, args.into, args.name, args.hosts, args.wait, args.store)
    done = run_worker(request, CaptureProgressView(out), WorkView(out))
    out.status("")
    out.summary(done.to_dict(), _describe(done))
    if not done.finished:
        return UNFINISHED
    return FINDINGS if done.files_left else DONE


def _describe(done: WorkerSummary) -> str:
    told = ", ".join(describe_outcome_counts(dict(done.fates))) or "nothing was left to do"
    lost = f"; not heard of for too long {format_count(done.lost_sessions, 'time')}" if done.lost_sessions else ""
    end = "" if done.finished else "; stopped before the end: the same command takes part again"
    left = (
        f"; {format_count(done.files_left, 'file')} not taken by the shared folder: copy what is no link in "
        f"{done.archive}/warcs there"
        if done.files_left
        else ""
    )
    return f"{told} ({format_size(done.bytes)}){lost}{left}{end}"
