"""`webkeep copy`: from the web to a copy on a disk in one step; which arguments are about the copy and not the
capture.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import (
    ARCHIVE_SUFFIX,
    CaptureSummary,
    CopyRequest,
    CopySummary,
    MirrorSummary,
    PageSummary,
    check_copy_targets,
    run_copy,
)
from webkeep.cli.capture_run import describe_capture, report_capture
from webkeep.cli.options.capture_options import add_capture_options, capture_plan_from_arguments
from webkeep.cli.options.mirror_options import (
    CONTENT_OPTIONS,
    FORM_OPTIONS,
    add_content_arguments,
    add_form_arguments,
    describe_copy,
    describe_single_file,
    form_from_arguments,
)
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.url.scope import rules_from_filters

_COPY_ARGUMENTS = frozenset({"out", "filters", *CONTENT_OPTIONS, *FORM_OPTIONS})
"""Arguments about the copy, which no capture plan knows."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs=1, metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new folder, or a copy that webkeep made")
    parser.add_argument("--into", type=Path, metavar="ARCHIVE", help=f"where the archive is kept (OUT{ARCHIVE_SUFFIX})")
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    parser.add_argument("--filters", metavar="FILTERS", help="rules as HTTrack has them: '+*.gif -*/cgi/*'")
    add_content_arguments(parser)
    add_form_arguments(parser)
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, then write the copy of what was captured."""
    form = form_from_arguments(args)
    check_copy_targets(args.out, form, args.single_file)
    plan = capture_plan_from_arguments(_capture_arguments(args), out.note)
    view, codes = CaptureProgressView(out, plan.retries > 0), []

    def report(captured: CaptureSummary) -> None:
        out.status("")
        codes.append(report_capture(plan, captured, view, out))
        if captured.finished:
            out.note(describe_capture(captured))

    request = CopyRequest(plan, args.out, args.into, form, args.new, args.with_gone, args.single_file)
    done = run_copy(request, view, WorkView(out), report)
    out.summary(done.to_dict(), _copy_words(done))
    return max(*codes, DONE if done.written is None or done.written.is_whole else FINDINGS)


def _copy_words(done: CopySummary) -> str:
    match done.written:
        case MirrorSummary() as mirrored:
            return describe_copy(mirrored)
        case PageSummary() as page:
            return describe_single_file(page)
        case None:
            return describe_capture(done.captured)


def _capture_arguments(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments without those that are about the copy."""
    values = {name: value for name, value in vars(args).items() if name not in _COPY_ARGUMENTS}
    if args.filters:
        values["rules"] = [*(values.get("rules") or []), *rules_from_filters(args.filters)]
    return argparse.Namespace(**values)
