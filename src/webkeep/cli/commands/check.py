"""`webkeep check`: how well a live page can be archived, before a capture; what is said of each obstacle."""

from __future__ import annotations

import argparse

from webkeep.api import run_check
from webkeep.cli.options.capture_options import add_capture_options, capture_plan_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_share
from webkeep.quality.report import PageCheck


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs=1, metavar="URL", help="the page, such as https://example.org/")
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask for the page and all that it needs, and say what stands in the way; any obstacle makes the exit code 1."""
    plan = capture_plan_from_arguments(args, out.note)
    done = run_check(plan, CaptureProgressView(out, plan.retries > 0), WorkView(out))
    out.status("")
    told = done.check
    for each in told.obstacles:
        out.line(f"{each.words}{f'; {each.advice}' if each.advice else ''}")
    out.summary(done.to_dict(), _describe(told))
    if told.archivability is None:
        return UNFINISHED
    return FINDINGS if told.obstacles else DONE


def _describe(told: PageCheck) -> str:
    if told.archivability is None:
        return f"{told.url} gave no answer; nothing can be said of it"
    updates = "updates can ask whether it changed" if told.has_validators else "updates must have it sent each time"
    share = format_share(told.archivability)
    return f"about {share} of {told.url} can be archived ({told.parts:,} URLs asked for); {updates}"
