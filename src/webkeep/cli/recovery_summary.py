"""What `webkeep recover` says at its end, and when the exit code says that something is missing."""

from __future__ import annotations

from webkeep.api import RecoverySummary
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_elapsed, format_share, format_size
from webkeep.recover.report import describe_completeness, report_headline


def report_recovery(done: RecoverySummary, out: Output) -> int:
    """Say what a recovery came to; gives the exit code."""
    out.summary(done.to_dict(), describe_recovery(done))
    if done.written.vaults:
        out.note(
            "its pages carry server components: "
            f"webkeep vault recover {done.archive} --into DIR brings back what enough blocks were found of"
        )
    if not done.finished:
        return UNFINISHED
    return DONE if done.is_whole else FINDINGS


def describe_recovery(done: RecoverySummary) -> str:
    """What a recovery came to, for people."""
    recovered, counts, comparison = done.result, done.written.counts, done.written.comparison
    if recovered.unreachable and len(recovered.unreachable) == len(recovered.repositories):
        whom = ", ".join(recovered.unreachable)
        return f"nothing could be asked for: nobody answers at {whom}; check --from; the same command goes on"
    told = [f"{report_headline(counts)} ({format_size(counts.bytes)} in {format_elapsed(recovered.seconds)})"]
    if counts.recovered:
        told.append(f"how complete: {describe_completeness(counts)}")
    if comparison is not None:
        vector = comparison.vector
        told.append(
            f"against the original {format_share(vector.changed)} changed, {format_share(vector.missing)} missing, "
            f"{format_share(vector.added)} added"
        )
    if done.findings:
        told.append("not all could be read that lies on this machine, as told above")
    if recovered.unreachable:
        told.append(f"nobody answered at {', '.join(recovered.unreachable)}")
    told.append(f"see {done.written.report}")
    if not recovered.is_finished:
        told.append("stopped before the end: the same command goes on")
    return "; ".join(told)
