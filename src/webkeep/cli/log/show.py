"""`webkeep log show`: say what an archive's log is now."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_log_show
from webkeep.cli.log.checkpoint import print_checkpoint
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive that keeps a log")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print size, last checkpoint and key."""
    done = run_log_show(args.archive, WorkView(out))
    if done.checkpoint:
        print_checkpoint(done.checkpoint, done.key, out)
    made = format_count(done.checkpoints or 0, "checkpoint")
    out.summary(done.to_dict(), f"the log {done.origin} has {format_count(done.size, 'record')} and {made}")
    return DONE
