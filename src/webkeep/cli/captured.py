"""Captures as commands carry them out, and what they say afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webkeep.cli import measure
from webkeep.cli.browsed import browsed_facts, browsed_words, tell_browsed
from webkeep.cli.capture_board import Board
from webkeep.cli.outcome_words import OUTCOME_WORDS, outcome_counts
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.crawl.capture import Captured, capture
from webkeep.crawl.plan import Plan
from webkeep.frontier.traps import Trap
from webkeep.model import Outcome
from webkeep.store.writable import WritableArchive

if TYPE_CHECKING:
    from webkeep.coherence.certificate import Certificate, Summary


_AGAIN = "--include URL, with the whole URL, asks for one again"


def carry_out(
    plan: Plan, archive: WritableArchive, board: Board, anew: bool, updates: str = ""
) -> tuple[Captured, Summary | None]:
    """Capture by a plan; gives what that came to, and the summary of its certificate if it has one."""
    certificates: list[Certificate] = []

    def certify(into: WritableArchive, capture_id: str) -> None:
        from webkeep.quality import keep_certificate  # few captures need what is behind it

        certificates.append(keep_certificate(into, capture_id))

    captured = capture(plan, archive, board, anew, certify, updates)
    return captured, certificates[0].summary if certificates else None


def tell_afterwards(plan: Plan, captured: Captured, board: Board, out: Output) -> int:
    """Say what a person should know of a capture at its end; gives the exit code."""
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
    if left := captured.counts.get(Outcome.TAKEN_DOWN, 0):
        what = measure.counted(left, "URL")
        out.note(f"{what} taken down here before {'is' if left == 1 else 'are'} not asked for; {_AGAIN}")
    is_all_run = tell_browsed(captured.browsed, out)
    if not captured.finished:
        return UNFINISHED
    if captured.not_seen_again:
        out.note(f"{measure.counted(captured.not_seen_again, 'URL')} could not be seen again, and prove nothing")
    is_whole = is_all_run and not (captured.missed or captured.seeds_missed or captured.not_seen_again)
    return DONE if is_whole else FINDINGS


def coherence_facts(summary: Summary | None) -> dict[str, object]:
    """What programs are told of a certificate."""
    if summary is None:
        return {}
    from webkeep.coherence.certificate_json import summary_values  # few captures need what is behind it

    return {"coherence": summary_values(summary)}


def coherence_words(summary: Summary | None) -> str:
    """What a certificate says in a sentence, behind the outcome."""
    if summary is None:
        return ""
    from webkeep.quality.wording import headline  # few captures need what is behind it

    return f"; {headline(summary)}"


def _never_asked(plan: Plan, captured: Captured) -> list[str]:
    """The hosts that credentials were given for, and that nothing was asked of from beginning to end."""
    asked = {name for host in captured.hosts for name in (host, host.rpartition(":")[0])}
    return [host for host, _, _ in plan.credentials if captured.finished and host not in asked]


def captured_facts(captured: Captured) -> dict[str, object]:
    """What programs are told of a capture."""
    counts = captured.counts
    return {
        "capture": captured.capture,
        "finished": captured.finished,
        "resumed": captured.resumed,
        "stored": counts.get(Outcome.STORED, 0),
        "duplicates": counts.get(Outcome.DUPLICATE, 0),
        "failed": counts.get(Outcome.FAILED, 0),
        "refused": counts.get(Outcome.REFUSED, 0),
        "taken_down": counts.get(Outcome.TAKEN_DOWN, 0),
        "bytes": captured.bytes,
        "seconds": round(captured.seconds, 3),
        "seeds_missed": len(captured.seeds_missed),
        "not_seen_again": captured.not_seen_again,
        "fates": {outcome.value: counts.get(outcome, 0) for outcome in Outcome},
        "traps": [_trap_facts(trap) for trap in captured.traps],
        "hosts": captured.hosts,
        **browsed_facts(captured.browsed),
    }


def outcome_words(captured: Captured) -> str:
    """What a capture came to, for people."""
    counts = {**captured.counts, Outcome.FAILED: captured.counts.get(Outcome.FAILED, 0) - captured.rules_failed}
    stored, again = counts.get(Outcome.STORED, 0), counts.get(Outcome.DUPLICATE, 0)
    known = f", {again:,} of them with content that was held already" if again else ""
    told = [f"stored {measure.counted(stored + again, 'URL')}{known}"]
    told += outcome_counts(counts, [each for each in OUTCOME_WORDS if each not in (Outcome.STORED, Outcome.DUPLICATE)])
    pace = f"{measure.size(captured.bytes)} in {measure.elapsed(captured.seconds)}"
    if captured.resumed:
        pace = f"{measure.size(captured.bytes)} in all; this run took {measure.elapsed(captured.seconds)}"
    end = "" if captured.finished else "; stopped before the end: the same command goes on"
    return f"{', '.join(told)} ({pace}){browsed_words(captured.browsed)}{end}"


def _trap_facts(trap: Trap) -> dict[str, object]:
    return {"kind": trap.kind, "pattern": trap.shape, "left_out": trap.left_out, "advice": trap.advice}


def _trap_line(trap: Trap) -> str:
    return f"{measure.counted(trap.left_out, 'URL')} like {trap.shape} ({trap.kind}); {trap.advice}"
