"""`webkeep update`: bring an archive up to date, and say what changed."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.capture_board import Board
from webkeep.cli.capture_options import add_options, values_from
from webkeep.cli.captured import captured_facts, carry_out, coherence_facts, coherence_words, tell_afterwards
from webkeep.cli.change_lines import ChangeLines, change_counts
from webkeep.cli.facts import SHORT
from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.crawl.capture import Captured
from webkeep.crawl.updating import plan_again, to_update
from webkeep.model import Capture
from webkeep.quality.site_changes import Kind, changes_between
from webkeep.quality.site_snapshots import snapshot_of
from webkeep.quality.site_state import state_in
from webkeep.store.archive import Archive
from webkeep.store.writable import WritableArchive


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "--capture", metavar="ID", help="bring this capture up to date (default: the last that came to its end)"
    )
    parser.add_argument("--changes", action="store_true", help="list every change, with the text that came and went")
    parser.add_argument("--new", action="store_true", help="begin anew, even where an update could be gone on with")
    add_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture once more, asking only for what has changed, and compare."""
    with WritableArchive(args.archive) as archive:
        FindingLines(out).tell_all(archive.recovered)
        before = to_update(archive, args.capture or "")
        plan = plan_again(archive, before, values_from(args))
        out.note(f"bringing capture {before.id[:SHORT]} of {measure.date(before.started)} up to date")
        board = Board(out, plan.retries > 0)
        captured, coherence = carry_out(plan, archive, board, args.new, before.id)
        out.status("")
        counts = _told(archive, before, captured, args.changes, out)
    code = tell_afterwards(plan, captured, board, out)
    facts = {"archive": str(args.archive), "updates": before.id, "changes": counts, **captured_facts(captured)}
    out.summary(facts | coherence_facts(coherence), _outcome(captured, counts) + coherence_words(coherence))
    return code


def _told(archive: Archive, before: Capture, captured: Captured, in_full: bool, out: Output) -> dict[str, int]:
    """List the changes, and count them by kind."""
    lines = ChangeLines(archive, out, in_full)
    counts: Counter[Kind] = Counter()
    for change in changes_between(archive, snapshot_of(archive, before), state_in(archive, captured.capture)):
        counts[change.kind] += 1
        lines.tell(change)
    return {kind.value: counts[kind] for kind in Kind}


def _outcome(captured: Captured, counts: dict[str, int]) -> str:
    pace = f"{measure.size(captured.bytes)} in {measure.elapsed(captured.seconds)}"
    end = "" if captured.finished else "; stopped before the end: the same command goes on"
    return f"{change_counts(counts)} ({pace}){end}"
