"""`webkeep log begin`: have an archive keep a log."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_log_begin
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive; made if not there")
    parser.add_argument("--origin", default="", metavar="NAME", help="what the log is called, such as example.org/log")


def run(args: argparse.Namespace, out: Output) -> int:
    """Begin the log."""
    done = run_log_begin(args.archive, args.origin)
    words = f"{args.archive} keeps the log {done.origin}, with {format_count(done.size, 'record')} so far"
    out.summary(done.to_dict(), f"{words}; webkeep log checkpoint {args.archive} makes a checkpoint to keep elsewhere")
    return DONE
