"""`webkeep log publish`: checkpoint and tiles as files, for any web server."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_log_publish
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive that keeps a log")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the files go; those there are added to")


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the files."""
    done = run_log_publish(args.archive, args.folder, WorkView(out))
    covered = format_count(done.checkpoint_size or 0, "record")
    out.summary(done.to_dict(), f"the checkpoint over {covered} and {format_count(done.tiles or 0, 'new tile')}")
    return DONE
