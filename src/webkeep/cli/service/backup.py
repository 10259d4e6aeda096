"""`webkeep service backup`: a service and its archives copied while it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.service.run import add_database_option
from webkeep.cli.subcommand import DONE
from webkeep.clock import SystemClock
from webkeep.presentation import format_count, format_size
from webkeep.service.run import ServiceFolder
from webkeep.service.upkeep import back_up_service


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the service, which may run")
    parser.add_argument("target", type=Path, metavar="TARGET", help="a folder of backups, best on another disk")
    add_database_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Make a backup."""
    folder = ServiceFolder(args.folder.absolute())
    made = back_up_service(folder, args.store_address, args.target, SystemClock().now(), lambda _: None)
    facts = {"path": str(made.path), "files": made.files, "bytes": made.total_bytes, "new_bytes": made.new_bytes}
    what = f"{format_count(made.files, 'file')}, {format_size(made.total_bytes)}"
    out.summary(facts, f"{made.path}: {what}, of which {format_size(made.new_bytes)} are new")
    return DONE
