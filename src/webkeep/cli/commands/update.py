"""`webkeep update`: bring an archive up to date, and say what changed: its options, and its summary of changes by their
kind.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from webkeep.cli.capture_run import (
    capture_summary_facts,
    coherence_facts,
    describe_coherence,
    report_capture,
    run_capture,
)
from webkeep.cli.options.capture_options import add_capture_options, plan_values_from_arguments
from webkeep.cli.output.change_lines import ChangePrinter, describe_change_counts
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.crawl import CaptureResult
from webkeep.crawl.run import build_update_plan, capture_to_update
from webkeep.model import Capture
from webkeep.presentation import format_elapsed, format_moment, format_size
from webkeep.quality.diff import ChangeKind, compare_states, snapshot_of_capture, state_in_captures
from webkeep.store.archive import Archive, WritableArchive


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
    with WritableArchive(args.archive) as archive:
        FindingPrinter(out).print_findings(archive.repair_findings)
        before = capture_to_update(archive, args.capture or "")
        plan = build_update_plan(archive, before, plan_values_from_arguments(args))
        out.note(f"bringing capture {before.id[:SHORT_ID_CHARS]} of {format_moment(before.started)} up to date")
        view = CaptureProgressView(out, plan.retries > 0)
        captured, coherence = run_capture(plan, archive, view, args.new, before.id)
        out.status("")
        counts = _report_changes(archive, before, captured, args.changes, out)
    code = report_capture(plan, captured, view, out)
    facts = {"archive": str(args.archive), "updates": before.id, "changes": counts, **capture_summary_facts(captured)}
    out.summary(facts | coherence_facts(coherence), _update_words(captured, counts) + describe_coherence(coherence))
    return code


def _report_changes(
    archive: Archive, before: Capture, captured: CaptureResult, in_full: bool, out: Output
) -> dict[str, int]:
    """List the changes, and count them by kind."""
    lines = ChangePrinter(archive, out, in_full)
    counts: Counter[ChangeKind] = Counter()
    for change in compare_states(
        archive, snapshot_of_capture(archive, before), state_in_captures(archive, captured.capture)
    ):
        counts[change.kind] += 1
        lines.print_change(change)
    return {kind.value: counts[kind] for kind in ChangeKind}


def _update_words(captured: CaptureResult, counts: dict[str, int]) -> str:
    pace = f"{format_size(captured.bytes)} in {format_elapsed(captured.seconds)}"
    end = "" if captured.finished else "; stopped before the end: the same command goes on"
    return f"{describe_change_counts(counts)} ({pace}){end}"
