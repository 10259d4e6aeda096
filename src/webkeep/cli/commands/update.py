"""`webkeep update`: bring an archive up to date, and say what changed: its options, and its changes by their kind."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import UpdateRequest, UpdateSummary, run_update
from webkeep.cli.capture_run import describe_coherence, report_capture
from webkeep.cli.options.capture_options import add_capture_options, plan_values_from_arguments
from webkeep.cli.output.change_lines import ChangePrinter, describe_change_counts
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.crawl.plan import CapturePlan
from webkeep.presentation import format_elapsed, format_size


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "--capture", metavar="ID", help="bring this capture up to date (default: the last that came to its end)"
    )
    parser.add_argument("--changes", action="store_true", help="list every change, with the text that came and went")
    parser.add_argument("--new", action="store_true", help="begin anew, even where an update could be gone on with")
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture once more, asking only for what has changed, and compare."""
    views: list[tuple[CapturePlan, CaptureProgressView]] = []

    def observe(plan: CapturePlan) -> CaptureProgressView:
        views.append((plan, CaptureProgressView(out, plan.retries > 0)))
        return views[0][1]

    request = UpdateRequest(args.archive, args.capture or "", plan_values_from_arguments(args), args.new)
    done = run_update(request, observe, WorkView(out), ChangePrinter(out, args.changes).print_change)
    out.status("")
    code = report_capture(views[0][0], done, views[0][1], out)
    out.summary(done.to_dict(), _update_words(done) + describe_coherence(done.coherence))
    return code


def _update_words(done: UpdateSummary) -> str:
    pace = f"{format_size(done.bytes)} in {format_elapsed(done.seconds)}"
    end = "" if done.finished else "; stopped before the end: the same command goes on"
    return f"{describe_change_counts(done.changes)} ({pace}){end}"
