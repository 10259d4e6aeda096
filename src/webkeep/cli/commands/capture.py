"""`webkeep capture`: turn a website into an archive, and say where an unfinished capture with another plan lies beside
it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.capture_run import (
    capture_summary_facts,
    coherence_facts,
    describe_capture,
    describe_coherence,
    report_capture,
    run_capture,
)
from webkeep.cli.options.capture_options import add_capture_options, capture_plan_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import find_resumable, unfinished_captures
from webkeep.errors import UsageError
from webkeep.presentation import format_moment
from webkeep.store.archive import WritableArchive
from webkeep.store.jobs import PLAN_FACT

_MAX_VALUE_CHARS = 80
"""More of a plan's value would bury the line that says how two plans differ."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, or go on with an unfinished capture of the same plan."""
    plan = capture_plan_from_arguments(args, out.note)
    parent = args.into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {args.into.name} in; make it first")
    with WritableArchive.open_or_create(args.into) as archive:
        FindingPrinter(out).print_findings(archive.repair_findings)
        view = CaptureProgressView(out, plan.retries > 0)
        if not args.new:
            _report_unfinished(plan, archive, view)
        captured, coherence = run_capture(plan, archive, view, args.new)
        out.status("")
    code = report_capture(plan, captured, view, out)
    facts = {"archive": str(args.into), **capture_summary_facts(captured), **coherence_facts(coherence)}
    out.summary(facts, describe_capture(captured) + describe_coherence(coherence))
    return code


def _report_unfinished(plan: CapturePlan, archive: WritableArchive, view: CaptureProgressView) -> None:
    """Where a new capture is begun beside one that is not finished, say so, and what would go on with that."""
    other = next((each for each in unfinished_captures(archive) if each.facts.get(PLAN_FACT)), None)
    if other is None or find_resumable(archive, plan) is not None:
        return
    differences = plan.differences(other.facts[PLAN_FACT])
    said = ", ".join(_plan_value_words(name.replace("_", "-"), there) for name, (there, _) in differences.items())
    named = f"capture {other.id[:SHORT_ID_CHARS]} of {format_moment(other.started)}"
    view.on_note(f"{named} is not finished; with {said} the command would go on with it, and this is a new one")


def _plan_value_words(name: str, value: object) -> str:
    """What a plan says, short."""
    if value is None:
        return f"no {name}"
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name} {text if len(text) <= _MAX_VALUE_CHARS else text[:_MAX_VALUE_CHARS] + '…'}"
