"""`webkeep service restore`: a service and its archives brought back out of a backup."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.service.run import add_database_option
from webkeep.cli.subcommand import DONE
from webkeep.service.run import ServiceFolder
from webkeep.service.upkeep import restore_service


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "target", type=Path, metavar="TARGET", help="a folder of backups, for the newest, or one of them"
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to; new or empty")
    add_database_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring it back."""
    backup = restore_service(args.target, ServiceFolder(args.folder), args.store_address, lambda _: None)
    facts = {"backup": str(backup), "folder": str(args.folder)}
    out.summary(facts, f"{args.folder} is as it was in {backup}; every file is what was backed up")
    return DONE
