"""`webkeep capture`: turn a website into an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.capture_board import Board
from webkeep.cli.capture_options import add_options, plan_from
from webkeep.cli.facts import SHORT
from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.crawl.capture import Captured, capture
from webkeep.crawl.jobs import PLAN_FACT, to_go_on_with, unfinished
from webkeep.crawl.plan import Plan
from webkeep.errors import UsageError
from webkeep.frontier.traps import Trap
from webkeep.model import Outcome
from webkeep.store.writable import WritableArchive

_LONGEST_VALUE = 80

NAME = "capture"
HELP = "Turn a website into an archive: complete, polite, and resumed by the same command if it is stopped."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="SEED", help="where to begin, such as https://example.org/")
    parser.add_argument("--into", required=True, type=Path, metavar="ARCHIVE", help="made if it is not there")
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
        board = Board(out)
        if not args.new:
            _tell_of_others(plan, archive, board)
        captured = capture(plan, archive, board, args.new)
        out.status("")
    board.tell_failures(captured.failures)
    for trap in captured.traps:
        out.event("trap", **_trap_facts(trap))
        out.note(f"left out {_trap_line(trap)}")
    for fate in captured.seeds_missed:
        out.event("seed", url=fate.url, outcome=fate.outcome.value, reason=fate.reason)
        if fate.outcome is not Outcome.FAILED:  # those were told
            out.note(f"the seed {fate.url} came to nothing: {fate.reason}")
    for host in _never_asked(plan, captured):
        board.noted(f"nothing was asked of {host}, for which --auth has a password; check how it is written")
    out.summary({"archive": str(args.into), **_facts(captured)}, _outcome(captured))
    if not captured.finished:
        return UNFINISHED
    return FINDINGS if captured.missed or captured.seeds_missed else DONE


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


def _never_asked(plan: Plan, captured: Captured) -> list[str]:
    """The hosts that credentials were given for, and that nothing was asked of from beginning to end."""
    asked = {name for host in captured.hosts for name in (host, host.rpartition(":")[0])}
    return [host for host, _, _ in plan.credentials if captured.finished and host not in asked]


def _facts(captured: Captured) -> dict[str, object]:
    counts = captured.counts
    return {
        "capture": captured.capture,
        "finished": captured.finished,
        "resumed": captured.resumed,
        "stored": counts.get(Outcome.STORED, 0),
        "duplicates": counts.get(Outcome.DUPLICATE, 0),
        "failed": counts.get(Outcome.FAILED, 0),
        "refused": counts.get(Outcome.REFUSED, 0),
        "bytes": captured.bytes,
        "seconds": round(captured.seconds, 3),
        "seeds_missed": len(captured.seeds_missed),
        "fates": {outcome.value: counts.get(outcome, 0) for outcome in Outcome},
        "traps": [_trap_facts(trap) for trap in captured.traps],
        "hosts": captured.hosts,
    }


def _outcome(captured: Captured) -> str:
    counts = {**captured.counts, Outcome.FAILED: captured.counts.get(Outcome.FAILED, 0) - captured.rules_failed}
    told = [f"stored {measure.counted(counts.get(Outcome.STORED, 0), 'URL')}"]
    for outcome, words in _WORDS.items():
        if counts.get(outcome):
            told.append(f"{counts[outcome]:,} {words}")
    pace = f"{measure.size(captured.bytes)} in {measure.elapsed(captured.seconds)}"
    if captured.resumed:
        pace = f"{measure.size(captured.bytes)} in all; this run took {measure.elapsed(captured.seconds)}"
    end = "" if captured.finished else "; stopped before the end: the same command goes on"
    return f"{', '.join(told)} ({pace}){end}"


_WORDS = {
    Outcome.DUPLICATE: "the same as others",
    Outcome.FAILED: "failed",
    Outcome.REFUSED: "refused by robots.txt",
    Outcome.TRAPPED: "left out as traps",
    Outcome.CUT: "cut by a limit",
    Outcome.OUT_OF_SCOPE: "out of scope",
    Outcome.QUEUED: "still queued",
}


def _trap_facts(trap: Trap) -> dict[str, object]:
    return {"kind": trap.kind, "pattern": trap.shape, "left_out": trap.left_out, "advice": trap.advice}


def _trap_line(trap: Trap) -> str:
    return f"{measure.counted(trap.left_out, 'URL')} like {trap.shape} ({trap.kind}); {trap.advice}"
