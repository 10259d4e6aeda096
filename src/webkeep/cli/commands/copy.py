"""`webkeep copy`: from the web to a copy on a disk in one step; where the archive is kept beside it, and which
arguments are about the copy and not the capture.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.capture_run import capture_summary_facts, describe_capture, report_capture, run_capture
from webkeep.cli.options.capture_options import add_capture_options, capture_plan_from_arguments
from webkeep.cli.options.mirror_options import (
    CONTENT_OPTIONS,
    FORM_OPTIONS,
    add_content_arguments,
    add_form_arguments,
    check_single_file,
    form_from_arguments,
    report_copy,
    unfrozen_form_from_arguments,
    write_single_file,
)
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.copy_meter import CopyProgressMeter
from webkeep.cli.subcommand import UNFINISHED
from webkeep.errors import UsageError
from webkeep.mirror import check_file, check_targets, mirror
from webkeep.mirror.rendering import check_state_addresses
from webkeep.mirror.selection import CopySelection
from webkeep.store.archive import Archive, WritableArchive
from webkeep.url.scope import rules_from_filters

_ARCHIVE_SUFFIX = ".archive"
"""The archive lies beside the copy under the same name with this ending."""
_COPY_ARGUMENTS = frozenset({"out", "filters", *CONTENT_OPTIONS, *FORM_OPTIONS})
"""Arguments about the copy, which no capture plan knows."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs=1, metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument("out", type=Path, metavar="OUT", help="a new folder, or a copy that webkeep made")
    parser.add_argument(
        "--into", type=Path, metavar="ARCHIVE", help=f"where the archive is kept (OUT{_ARCHIVE_SUFFIX})"
    )
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    parser.add_argument("--filters", metavar="FILTERS", help="rules as HTTrack has them: '+*.gif -*/cgi/*'")
    add_content_arguments(parser)
    add_form_arguments(parser)
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, then write the copy of what was captured."""
    check_single_file(args)
    form = unfrozen_form_from_arguments(args)
    if args.single_file is None:
        check_targets(args.out, form)
    else:
        check_file(args.out, form.replace)
    check_state_addresses(args.freeze)
    into = args.into or args.out.with_name(f"{args.out.name}{_ARCHIVE_SUFFIX}")
    if not into.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {into.absolute().parent} to make the archive {into.name} in")
    plan = capture_plan_from_arguments(_capture_arguments(args), out.note)
    with WritableArchive.open_or_create(into) as archive:
        FindingPrinter(out).print_findings(archive.repair_findings)
        view = CaptureProgressView(out, plan.retries > 0)
        captured, _ = run_capture(plan, archive, view, args.new)
        out.status("")
    code = report_capture(plan, captured, view, out)
    facts = {"archive": str(into), **capture_summary_facts(captured)}
    if code == UNFINISHED:
        out.summary({**facts, "out": str(args.out)}, describe_capture(captured))
        return code
    out.note(describe_capture(captured))
    with Archive(into) as archive:
        # What is gone was seen by an earlier capture.
        of_capture = "" if args.with_gone else captured.capture
        wanted = CopySelection(archive.clock.now(), capture=of_capture, with_gone=args.with_gone)
        form = form_from_arguments(args, archive)
        if args.single_file is not None:
            return max(code, write_single_file(args, out, archive, wanted, form, facts))
        with CopyProgressMeter(out) as meter:
            made = mirror(archive, wanted, args.out, form, meter.add_files)
    return max(code, report_copy(args, out, made, facts))


def _capture_arguments(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments without those that are about the copy."""
    values = {name: value for name, value in vars(args).items() if name not in _COPY_ARGUMENTS}
    if args.filters:
        values["rules"] = [*(values.get("rules") or []), *rules_from_filters(args.filters)]
    return argparse.Namespace(**values)
