"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import read_kept_checkpoint, run_verify
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count
from webkeep.store.log import LogVerification


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="a checkpoint of its log that was kept elsewhere"
    )
    parser.add_argument("--log-key", default="", metavar="KEY", help="the key that must have signed its checkpoints")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    done = run_verify(args.archive, WorkView(out), read_kept_checkpoint(args.checkpoint, args.log_key))
    verdict = format_count(done.findings, "finding") if done.findings else "all is well"
    gone_through = f"{format_count(done.records, 'record')} in {format_count(done.files, 'file')}"
    out.summary(done.to_dict(), f"{gone_through}: {verdict}{_log_words(done.log)}")
    return FINDINGS if done.findings else DONE


def _log_words(log: LogVerification | None) -> str:
    """What the log says, and how far that can be relied on."""
    if log is None:
        return ""
    taken = f", {format_count(log.taken_down, 'record')} taken down" if log.taken_down else ""
    told = f"; the log has {format_count(log.size, 'record')}{taken}"
    if log.kept_size is not None:
        return f"{told}, {format_count(log.since_kept, 'record')} of them since the checkpoint that was given"
    return f"{told}; only a checkpoint that was kept elsewhere (--checkpoint) shows that it was not written anew"
