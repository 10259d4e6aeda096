"""`webkeep capture`: turn a website into an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.capture_board import Board
from webkeep.cli.capture_options import add_options, plan_from
from webkeep.cli.captured import (
    captured_facts,
    carry_out,
    coherence_facts,
    coherence_words,
    outcome_words,
    tell_afterwards,
)
from webkeep.cli.facts import SHORT
from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.crawl.jobs import PLAN_FACT, to_go_on_with, unfinished
from webkeep.crawl.plan import Plan
from webkeep.errors import UsageError
from webkeep.store.writable import WritableArchive

_LONGEST_VALUE = 80


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    parser.add_argument("--new", action="store_true", help="begin anew, even where a capture could be gone on with")
    add_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture, or go on with an unfinished capture of the same plan."""
    plan = plan_from(args, out.note)
    parent = args.into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {args.into.name} in; make it first")
    with WritableArchive.open_or_create(args.into) as archive:
        FindingLines(out).tell_all(archive.recovered)
        board = Board(out, plan.retries > 0)
        if not args.new:
            _tell_of_others(plan, archive, board)
        captured, coherence = carry_out(plan, archive, board, args.new)
        out.status("")
    code = tell_afterwards(plan, captured, board, out)
    facts = {"archive": str(args.into), **captured_facts(captured), **coherence_facts(coherence)}
    out.summary(facts, outcome_words(captured) + coherence_words(coherence))
    return code


def _tell_of_others(plan: Plan, archive: WritableArchive, board: Board) -> None:
    """Where a new capture is begun beside one that is not finished, say so, and what would go on with that."""
    other = next((each for each in unfinished(archive) if each.facts.get(PLAN_FACT)), None)
    if other is None or to_go_on_with(archive, plan) is not None:
        return
    differences = plan.differences(other.facts[PLAN_FACT])
    said = ", ".join(_said(name.replace("_", "-"), there) for name, (there, _) in differences.items())
    named = f"capture {other.id[:SHORT]} of {measure.date(other.started)}"
    board.noted(f"{named} is not finished; with {said} the command would go on with it, and this is a new one")


def _said(name: str, value: object) -> str:
    """What a plan says, short."""
    if value is None:
        return f"no {name}"
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name} {text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + '…'}"
