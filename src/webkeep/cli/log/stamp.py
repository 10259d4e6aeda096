"""`webkeep log stamp`: the last checkpoint dated by time-stamping authorities."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_log_stamp
from webkeep.cli.options.stamp_options import add_stamp_options, stamp_request_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive that keeps a log")
    parser.add_argument("--into", required=True, type=Path, metavar="FOLDER", help="where checkpoint and stamps go")
    add_stamp_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask every authority; one that gives nothing makes the exit code 1, none that does makes it 3."""
    done = run_log_stamp(stamp_request_from_arguments(args, args.archive), args.into, WorkView(out))
    for name, moment in done.stamps.items():
        out.note(f"{name}: the checkpoint was there at {moment}")
    for authority, reason in done.failed.items():
        out.note(f"{authority} gave no time stamp: {reason}")
    told = format_count(len(done.stamps), "time stamp")
    out.summary(done.to_dict(), f"{told} for the checkpoint over {format_count(done.size, 'record')} in {args.into}")
    if not done.stamps:
        return UNFINISHED
    return FINDINGS if done.failed else DONE
